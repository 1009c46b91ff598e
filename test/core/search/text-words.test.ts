import { describe, expect, it } from "vitest";

import { readText } from "../../../src/core/search/text-words.js";

/** Roots with the number of their occurrences. */
function countsOf(text: string): Record<string, number> {
  const { roots, counts } = readText(text);
  return Object.fromEntries(roots.map((root, at) => [root.text, counts?.[at] ?? 1]));
}

describe("a tokenised text", () => {
  it("contains each root once with its frequency, including tokens with digits", () => {
    expect(countsOf("The city of cities: a7f3 with a7f3, and 42 of the city")).toEqual({ citi: 3, a7f3: 2, "42": 1 });
    expect(readText("The city of cities: a7f3 with a7f3").length).toBe(4);
  });

  it("has a time if it names a year, but not for other numbers", () => {
    expect(readText("Opened in 2020").tellsTime).toBe(true);
    expect(readText("Opened by 20200").tellsTime).toBe(false);
    expect(readText("Opened for 7").roots.map(({ text, family }) => [text, family])).toEqual([
      ["open", null],
      ["7", null],
    ]);
  });

  it("names the family of each root, or none if the root is its own family", () => {
    const families = readText("friendly friends").roots.map(({ text, family }) => [text, family]);
    expect(families).toEqual([
      ["friendli", "friend"],
      ["friend", null],
    ]);
  });

  it("is the same however many others are read in between, even more than the cache holds", () => {
    const texts = Array.from({ length: 40 }, (_, at) => `Person ${at} keeps item${at} in drawer ${at % 7}; item${at}!`);
    const before = texts.map((text) => ({ ...countsOf(text), signature: readText(text).signature }));
    for (let at = 0; at < 40_000; at++) readText(`Drawer ${at} holds ${inLetters(at)}`);
    expect(texts.map((text) => ({ ...countsOf(text), signature: readText(text).signature }))).toEqual(before);
  });

  it("is cached when it is read for the second time", () => {
    const text = "The ferry to the northern islands leaves at dawn";
    const [first, second, third] = [readText(text), readText(text), readText(text)];
    expect(second).toEqual(first);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
  });
});

/** A distinct word for each number. */
function inLetters(number: number): string {
  return String(number).replace(/\d/g, (digit) => "bcdfghjklm"[Number(digit)] ?? "");
}
