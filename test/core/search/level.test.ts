import { expect, test } from "vitest";
import { levelSimilarities } from "../../../src/core/search/level.js";

const level = (...similarities: number[]) => levelSimilarities(similarities.map((similarity) => ({ similarity })));

test("similarities that already fall are unchanged", () => {
  expect(level()).toEqual([]);
  expect(level(0.9)).toEqual([0.9]);
  expect(level(1, 0.9, 0.9, 0.2, 0)).toEqual([1, 0.9, 0.9, 0.2, 0]);
});

test("a similarity above an earlier one is averaged with it, and with as few others as possible", () => {
  expect(level(0.4, 0.8, 0.2)).toEqual([0.6000000000000001, 0.6000000000000001, 0.2]);
  expect(level(0.9, 0.25, 0.5, 0.75)).toEqual([0.9, 0.5, 0.5, 0.5]);
});

test("results that other searches would not find are fitted in without changing the others", () => {
  const further = { isFurther: true };
  const shown = levelSimilarities([
    { similarity: 0.9 },
    { similarity: 0.95, ...further },
    { similarity: 0.5 },
    { similarity: 0.1, ...further },
    { similarity: 0.4, ...further },
    { similarity: 0.3 },
    { similarity: 0.2, ...further },
    { similarity: 0.25, ...further },
  ]);
  expect(shown).toEqual([0.9, 0.9, 0.5, 0.3, 0.3, 0.3, 0.2, 0.2]);
});
