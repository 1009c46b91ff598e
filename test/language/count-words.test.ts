import { expect, test } from "vitest";
import { countWords } from "../../src/language/count-words.js";

test.each([
  ["", 0],
  [" \n\t ", 0],
  ["bees", 1],
  ["  Ada  keeps\nbees. ", 3],
  ["one\u00a0two\u3000three\u2028four", 4],
  ["漢字 と 🐝", 3],
  ["a\u200bb", 1],
])("%j has %i words", (text, words) => {
  expect(countWords(text)).toBe(words);
});

test("counts a large text like a small one", () => {
  expect(countWords("bee ".repeat(500_000))).toBe(500_000);
});
