import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { JudgedItem, LabelledSet, Scoring } from "../bench/facts/labels.js";

const scoring: Scoring = await import(new URL("../bench/facts/score.mjs", import.meta.url).href);
const { judgeItem, matches, sourceOf, summarise } = scoring;
const set = JSON.parse(readFileSync(new URL("../bench/facts/labelled.json", import.meta.url), "utf8")) as LabelledSet;
const everyItem = [...set.tune, ...set.held];

async function judgeTune(): Promise<JudgedItem[]> {
  const extractor = createRulesExtractor();
  const judged: JudgedItem[] = [];
  for (const item of set.tune) judged.push(judgeItem(item, await extractor.extract(sourceOf(item, set.saidOn))));
  return judged;
}

describe("the rules, on the part of the labelled set that they were tuned on,", () => {
  test("find most facts and make up hardly any", async () => {
    const summary = summarise(await judgeTune());
    expect(summary.precision).toBeGreaterThanOrEqual(0.97);
    expect(summary.recall).toBeGreaterThanOrEqual(0.92);
    expect(summary.staticAccuracy).toBeGreaterThanOrEqual(0.96);
    expect(summary.expiryAccuracy).toBeGreaterThanOrEqual(0.97);
    expect(summary.forbidden).toBeLessThanOrEqual(1);
  });

  test("find both sides of every correction", async () => {
    expect(summarise(await judgeTune()).updates).toBe(1);
  });
});

describe("the labelled set", () => {
  test("contains at least 300 sentences and 40 dialogues of 6 to 14 turns, about half of the first series held back", () => {
    const sentences = everyItem.flatMap(({ text }) => text?.split(/(?<=[.!?])\s+|\n/) ?? []);
    const dialogues = everyItem.flatMap(({ turns }) => (turns ? [turns] : []));
    expect(sentences.length).toBeGreaterThanOrEqual(300);
    expect(dialogues.length).toBeGreaterThanOrEqual(40);
    for (const turns of dialogues) {
      expect(turns.length).toBeGreaterThanOrEqual(6);
      expect(turns.length).toBeLessThanOrEqual(14);
      expect(new Set(turns.map(([speaker]) => speaker)).size).toBe(2);
    }
    const firstSeries = (split: "tune" | "held") => set[split].filter(({ series = 1 }) => series === 1);
    const facts = (split: "tune" | "held"): number =>
      firstSeries(split).reduce((sum, item) => sum + item.expected.length, 0);
    expect(facts("held") / facts("tune")).toBeGreaterThan(0.8);
  });

  test("has unique ids within each split, and no text in both", () => {
    for (const split of [set.tune, set.held]) expect(new Set(split.map(({ id }) => id)).size).toBe(split.length);
    const texts = new Set(set.tune.map((item) => JSON.stringify(item.text ?? item.turns)));
    expect(set.held.filter((item) => texts.has(JSON.stringify(item.text ?? item.turns)))).toEqual([]);
  });

  test.each(everyItem.map((item) => [`${set.tune.includes(item) ? "tune" : "held"} ${item.id}`, item] as const))(
    "%s is well-formed",
    (_name, item) => {
      expect((item.text === undefined) === (item.form === "dialogue")).toBe(true);
      expect((item.turns === undefined) === (item.form !== "dialogue")).toBe(true);
      expect(item.expected.length + item.never.length).toBeGreaterThan(0);
      for (const { words } of item.expected) expect(words).toMatch(/^[^\s|]+(?:[ |][^\s|]+)*$/);
    },
  );
});

describe("labelled words match a fact", () => {
  test("as prefixes of words, in any order, in either of two forms", () => {
    expect(matches("mov|relocat User Porto", "User moved to Porto")).toBe(true);
    expect(matches("Porto user relocat|mov", "User is relocating to Porto")).toBe(true);
    expect(matches("User port", "User lives near the airport")).toBe(false);
  });

  test("when both are negated or neither is", () => {
    expect(matches("User eat meat", "User does not eat meat")).toBe(false);
    expect(matches("User not eat meat", "User does not eat meat")).toBe(true);
    expect(matches("User not eat meat", "User eats meat")).toBe(false);
    expect(matches("User share flat", "User shares a flat with somebody who never cleans")).toBe(true);
  });
});
