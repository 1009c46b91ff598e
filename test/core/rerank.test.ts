import { describe, expect, test } from "vitest";
import type { UnitDetail } from "../../src/core/ports.js";
import type { RankedUnit } from "../../src/core/search/rank.js";
import { RERANKED, rerankByRules } from "../../src/core/search/rerank.js";
import { chunkDetail, memoryDetail, rankedUnits } from "../support/unit-details.js";

let next = 0;
const turn = (text: string, more: Partial<Parameters<typeof chunkDetail>[0]> = {}) =>
  chunkDetail({ seq: ++next, text, documentId: `talk ${next}`, position: 0, ...more });
const textsOf = (units: readonly RankedUnit[]) => units.map(({ detail }) => detail.text);
const order = (query: string, ...details: readonly UnitDetail[]) =>
  textsOf(rerankByRules(query, rankedUnits(...details)));

describe("among results of about equal quality, rules prefer one", () => {
  test("with the kind of answer that was asked for", () => {
    const [here, then] = [turn("Nora: orchard planted in Bergen"), turn("Nora: orchard planted in March")];
    expect(order("When did Nora plant the orchard?", here, then)[0]).toBe(then.text);
    expect(order("Who planted the orchard of Nora?", here, then)[0]).toBe(here.text);
  });

  test("that answers a question which was itself found", () => {
    const talk = { documentId: "talk" };
    const question = turn("Ada: Which quince did you plant?", { ...talk, position: 4 });
    const other = turn("Nora: larch trunk bark");
    const reply = turn("Nora: golden leaf fruit", { ...talk, position: 5 });
    const found = order("Which quince did Nora plant?", question, other, reply);
    expect(found.indexOf(reply.text)).toBeLessThan(found.indexOf(other.text));
  });

  test("that says more than a greeting", () => {
    const [empty, telling] = [
      turn("Nora: Wow, good to see you, that is great"),
      turn("Nora: Quinces ripen beside larch trunks"),
    ];
    expect(order("What does Nora like?", empty, telling)[0]).toBe(telling.text);
  });
});

describe("questions for several things", () => {
  test("get results from several documents; other questions do not", () => {
    const one = [0, 1, 2].map((position) =>
      turn(`Nora: instrument number ${position}, an oboe of ${position}`, {
        documentId: "one",
        position: position * 10,
      }),
    );
    const two = turn("Nora: instrument of brass, a horn");
    const order = (query: string) => textsOf(rerankByRules(query, rankedUnits(...one, two))).indexOf(two.text);
    expect(order("What instruments does Nora play?")).toBeLessThan(order("What is the instrument of Nora?"));
  });
});

describe("reranking by rules", () => {
  const many = Array.from({ length: RERANKED + 20 }, (_, place) =>
    place % 3 === 0
      ? memoryDetail({ seq: place, text: `Nora plants tree ${place}` })
      : turn(`Nora: tree ${place} in March`),
  );

  test("keeps every result with its similarity, and does not move results far down", () => {
    const before = rankedUnits(...many);
    const after = rerankByRules("When did Nora plant trees?", before);
    expect(after).not.toEqual(before);
    expect(after.toSorted((one, other) => one.unit - other.unit)).toEqual(
      before.toSorted((one, other) => one.unit - other.unit),
    );
    expect(after.slice(RERANKED)).toEqual(before.slice(RERANKED));
  });

  test("keeps a clearly better result first", () => {
    const [best, ...rest] = rankedUnits(
      turn("Nora: the orchard"),
      turn("Nora: planted in March 2020"),
      turn("Nora: in April"),
    );
    if (!best) throw new Error("there are three");
    const units = [{ ...best, score: 10 }, ...rest];
    expect(rerankByRules("When was the orchard planted?", units)[0]).toBe(units[0]);
  });

  test.each(["", " ", "*", "?", "the of and", "\ud800", "何が好きですか", 'AND "OR" NOT (', "when ".repeat(2_000)])(
    "never fails for the query %j",
    (query) => {
      for (const units of [[], rankedUnits(turn("")), rankedUnits(turn(""), turn("…"), turn("😀 😀"), turn("ok?"))])
        expect(rerankByRules(query, units)).toHaveLength(units.length);
    },
  );

  test("keeps the order for scores without information", () => {
    for (const score of [0, -1]) {
      const units = rankedUnits(...many.slice(0, 5)).map((unit) => ({ ...unit, score }));
      expect(rerankByRules("When did Nora plant trees?", units)).toEqual(units);
    }
  });
});
