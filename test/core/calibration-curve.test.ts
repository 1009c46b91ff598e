import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import type { Embedder } from "../../src/core/ports.js";
import { calibrationFrom, measureSpace, readMeasurement, type Measurement } from "../../src/core/search/calibration.js";
import { CALIBRATION_TEXTS, CALIBRATION_TEXTS_VERSION } from "../../src/core/search/calibration-texts.js";
import { rankUnits } from "../support/rank-units.js";
import { interpolate } from "../../src/core/search/similarity.js";
import { contentRoot } from "../../src/language/english/relations.js";
import { tokenise } from "../../src/language/words.js";
import { memoryDetail } from "../support/unit-details.js";

type Language = Measurement["languages"][number];

const evenly = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1));

/** A language with ideal cosines. */
const known = (more: Partial<Language> = {}): Language => ({
  language: "en",
  pairs: 40,
  documents: 0.2,
  unrelated: evenly(0, 0.3, 101),
  related: evenly(0.35, 0.7, 40),
  nearIdentical: evenly(0.9, 0.99, 12),
  ...more,
});

const measured = (...languages: Language[]): Measurement => ({ version: CALIBRATION_TEXTS_VERSION, languages });

describe("the calibration texts", () => {
  test("are paraphrases: no English pair shares a content word", () => {
    const english = CALIBRATION_TEXTS.find(({ language }) => language === "en");
    if (!english) expect.unreachable();
    expect(english.pairs).not.toEqual([]);
    for (const [asked, text] of english.pairs) {
      const roots = new Set(tokenise(text).map(contentRoot));
      expect(tokenise(asked).filter((word) => contentRoot(word) !== "" && roots.has(contentRoot(word)))).toEqual([]);
    }
  });

  test("are several dozen in English and some in other languages, unique, and fewer than 200 to embed", () => {
    const all = CALIBRATION_TEXTS.flatMap(({ pairs, nearIdentical }) => [...pairs, ...nearIdentical]);
    for (const { pairs } of CALIBRATION_TEXTS) expect(new Set(pairs.flat()).size).toBe(2 * pairs.length);
    expect(CALIBRATION_TEXTS[0]?.pairs.length).toBeGreaterThanOrEqual(40);
    expect(CALIBRATION_TEXTS.length).toBeGreaterThanOrEqual(5);
    const asked = new Set(all.map(([text]) => text)).size;
    const answers = new Set(all.map(([, text]) => text)).size;
    expect(asked + answers).toBeLessThan(200);
  });
});

describe("the curve of a space", () => {
  test("maps unrelated texts to about 0.2, related ones to above 0.44 and near-identical ones to about 0.9", () => {
    const { points } = calibrationFrom(measured(known()));
    expect(interpolate(0.15, points)).toBeCloseTo(0.2, 1);
    expect(interpolate(0.4, points)).toBeGreaterThan(0.44);
    expect(interpolate(0.93, points)).toBeGreaterThan(0.85);
    expect(interpolate(1, points)).toBe(1);
  });

  test("does not depend on the range of the cosines", () => {
    const squeeze = (values: readonly number[]): number[] => values.map((value) => 0.7 + 0.3 * value);
    const wide = known();
    const narrow = known({
      unrelated: squeeze(wide.unrelated),
      related: squeeze(wide.related),
      nearIdentical: squeeze(wide.nearIdentical),
    });
    const [one, other] = [calibrationFrom(measured(wide)), calibrationFrom(measured(narrow))];
    for (const cosine of [0.05, 0.15, 0.3, 0.4, 0.6, 0.93])
      expect(interpolate(0.7 + 0.3 * cosine, other.points)).toBeCloseTo(interpolate(cosine, one.points), 6);
    expect(other.vectorWeight).toBe(one.vectorWeight);
  });

  test("counts half of the difference as unrelated when stored texts are closer to each other than everyday texts", () => {
    const before = calibrationFrom(measured(known())).points;
    const { points } = calibrationFrom({ ...measured(known()), stored: 0.4 });
    expect(interpolate(0.15 + 0.1, points)).toBeCloseTo(interpolate(0.15, before), 2);
    expect(interpolate(0.35, points)).toBeLessThan(interpolate(0.35, before) - 0.05);
    expect(interpolate(0.95, points)).toBeCloseTo(interpolate(0.95, before), 2);
    expect(calibrationFrom({ ...measured(known()), stored: 0.1 }).points).toEqual(before);
  });

  test("still rises when all stored texts are the same", () => {
    const { points } = calibrationFrom({ ...measured(known()), stored: 1 });
    expectRising(points);
    expect(interpolate(0.9, points)).toBeGreaterThan(0.7);
  });

  test("weights vectors more in a space that separates texts better", () => {
    const good = calibrationFrom(measured(known()));
    const poor = calibrationFrom(measured(known({ related: evenly(0.1, 0.4, 40) })));
    expect(good.vectorWeight).toBeGreaterThan(poor.vectorWeight ?? Infinity);
    expect(good.doubt).toBeGreaterThan(poor.doubt);
    expect(good.wordWeight).toBeLessThan(poor.wordWeight);
  });

  test("leaves the ranking to words when a space separates nothing", () => {
    const nothing = calibrationFrom(measured(known({ related: evenly(0, 0.3, 40) })));
    expect(nothing.vectorWeight).toBeLessThan(0.02);
    expect(nothing.wordWeight).toBeGreaterThan(1.4);
    expect(nothing.doubt).toBe(0);
  });

  test("ignores languages that the model does not know", () => {
    const foreign = known({ language: "ja", unrelated: [1, 1, 1], related: [1, 1], nearIdentical: [1] });
    expect(calibrationFrom(measured(known(), foreign))).toEqual(calibrationFrom(measured(known())));
    expect(calibrationFrom(measured(foreign, known()))).toEqual(calibrationFrom(measured(known())));
  });

  test("rises and ends at 1 even if every cosine is the same", () => {
    for (const cosine of [-1, 0, 0.5, 1]) {
      const flat = known({ unrelated: [cosine], related: [cosine], nearIdentical: [cosine] });
      expectRising(calibrationFrom(measured(flat)).points);
    }
  });

  test("rises from above 0 to 1 with weights in range, for any measurement", () => {
    const cosines = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 50 })
      .map((values) => values.sort((one, other) => one - other));
    const language = fc.record({
      language: fc.constantFrom("en", "de", "ja"),
      pairs: fc.integer({ min: 1, max: 50 }),
      documents: fc.double({ min: -1, max: 1, noNaN: true }),
      unrelated: cosines,
      related: cosines,
      nearIdentical: cosines,
    });
    fc.assert(
      fc.property(fc.array(language, { minLength: 1, maxLength: 4 }), (languages) => {
        const { points, wordWeight, doubt, vectorWeight } = calibrationFrom(measured(...languages));
        expectRising(points);
        expect(wordWeight).toBeGreaterThanOrEqual(1);
        expect(wordWeight).toBeLessThanOrEqual(1.5);
        expect(doubt).toBeGreaterThanOrEqual(0);
        expect(doubt).toBeLessThanOrEqual(0.2);
        expect(vectorWeight).toBeGreaterThanOrEqual(0);
        expect(vectorWeight).toBeLessThanOrEqual(0.5);
      }),
    );
  });
});

function expectRising(points: readonly (readonly [number, number])[]): void {
  expect(points.at(-1)).toEqual([1, 1]);
  for (const [at, [cosine, similarity]] of points.entries()) {
    expect(cosine).toBeGreaterThan(points[at - 1]?.[0] ?? -1.01);
    expect(similarity).toBeGreaterThan(points[at - 1]?.[1] ?? 0);
  }
}

test("a text found only by words gets the same similarity in a narrow and in a wide space", () => {
  const details = ["Ada keeps bees", "Ada keeps bees on the roof", "A ferry sank"].map((text, at) =>
    memoryDetail({ seq: at + 1, text }),
  );
  const found = (low: number, width: number) =>
    rankUnits({
      query: "Where does Ada keep bees?",
      vectorHits: [0.6, 0.4].map((cosine, at) => ({ unit: details[2 * at]?.unit ?? 0, cosine: low + width * cosine })),
      textHits: [],
      details,
      wordCounts: null,
      calibration: {
        points: [0, 0.1, 0.5, 1].map((cosine, at) => [low + width * cosine, [0.1, 0.2, 0.446, 1][at] ?? 1] as const),
        wordWeight: 1,
        doubt: 0.2,
      },
      now: new Date("2024-05-06"),
    }).map(({ unit, similarity, score }) => [unit, similarity.toFixed(6), score.toFixed(6)]);
  expect(found(0.7, 0.3)).toEqual(found(0, 1));
});

describe("measuring a space", () => {
  test("embeds queries and documents, in batches that the embedder accepts", async () => {
    const builtin = createBuiltinEmbedder();
    const calls: { readonly texts: number; readonly purpose: string }[] = [];
    const counting: Embedder = {
      ...builtin,
      maxBatch: 64,
      embed(texts, purpose, signal) {
        calls.push({ texts: texts.length, purpose });
        return builtin.embed(texts, purpose, signal);
      },
    };
    await measureSpace(counting);
    expect(calls.map(({ purpose }) => purpose)).toEqual(["query", "query", "document", "document"]);
    expect(Math.max(...calls.map(({ texts }) => texts))).toBeLessThanOrEqual(64);
  });

  test("yields about the measured weight for the built-in embedder", async () => {
    const { vectorWeight, wordWeight } = calibrationFrom(await measureSpace(createBuiltinEmbedder()));
    expect(vectorWeight).toBeGreaterThan(0.05);
    expect(vectorWeight).toBeLessThan(0.2);
    expect(wordWeight).toBeCloseTo(1, 1);
  });

  test("is stored in a few kilobytes and restores the same calibration", async () => {
    const measurement = await measureSpace(createBuiltinEmbedder());
    const kept = JSON.stringify(measurement);
    expect(kept.length).toBeLessThan(8_000);
    const read = readMeasurement(kept);
    expect(read && calibrationFrom(read)).toEqual(calibrationFrom(measurement));
  });

  test.each([
    ["null", null],
    ["invalid JSON", "{"],
    ["something else", "[]"],
    ["another version of the texts", JSON.stringify({ ...measured(known()), version: CALIBRATION_TEXTS_VERSION + 1 })],
    ["no language", JSON.stringify(measured())],
    ["an invalid cosine", JSON.stringify(measured(known({ related: [7] })))],
    ["an invalid number", JSON.stringify(measured(known({ related: [Number.NaN] })))],
    ["an empty list", JSON.stringify(measured(known({ unrelated: [] })))],
  ])("rejects %s as a stored measurement", (_what, kept) => {
    expect(readMeasurement(kept)).toBeNull();
  });
});
