import { expect, test } from "vitest";
import { dropAtEnd } from "../../src/lib/drop-at-end.js";

test.each([
  ["Mia likes tea.", "Mia likes tea"],
  ["Tea!!! or coffee?!", "Tea!!! or coffee?"],
  ["...", ""],
  ["", ""],
  ["。。終", "。。終"],
])("%j without trailing full stops is %j", (text, expected) => {
  expect(dropAtEnd(text, /[.!。]/u)).toBe(expected);
});
