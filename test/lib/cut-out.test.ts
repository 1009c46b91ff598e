import { describe, expect, test } from "vitest";
import { Cut, placesOf } from "../../src/lib/cut-out.js";

const cutOut = (text: string, places: ReturnType<typeof placesOf>): string => new Cut(text, places).rest();
const without = (text: string, ...quotes: string[]): string =>
  cutOut(
    text,
    placesOf(
      text,
      quotes.map((quote) => ({ quote, at: null })),
    ),
  );

describe("what is cut out of a text", () => {
  test.each([
    ["a line", "Ben\nBen works with Benedict at Benco", "Ben", "Ben works with Benedict at Benco"],
    ["a line of several", "Mia\nBenedict\nBen\nBenco", "Benedict", "Mia\nBen\nBenco"],
    ["a sentence", "I like tea. My code is 7731. I own a boat.", "My code is 7731.", "I like tea. I own a boat."],
    ["a sentence in other quotation marks and case", "“Yes”, he said. Ok.", '"yes", he said.', "Ok."],
    ["the last sentence", "I like tea. My code is 7731.", "My code is 7731", "I like tea."],
    ["every sentence that says it", "Code: 7. Tea. Code: 7. Code: 77.", "Code: 7.", "Tea. Code: 77."],
    [
      "words within a sentence",
      "I own a boat and my code is 7731, as you know.",
      "my code is 7731",
      "I own a boat and , as you know.",
    ],
    [
      "a text of several lines",
      "Tea\nRoses are red\nViolets are blue\nBoat",
      "Roses are red\nViolets are blue",
      "Tea\nBoat",
    ],
    ["nothing but that", "My code is 7731.", "My code is 7731.", ""],
  ])("is %s", (_what, text, quote, rest) => {
    expect(without(text, quote)).toBe(rest);
  });

  test.each([
    ["a part of a word", "Benedict works at Benco.", "Ben"],
    ["the end of a word", "The codebook", "book"],
    ["a word that goes on with a mark", "Zoe\u0308 sings", "Zoe"],
    ["a word beside a letter of two units", "𝒳Ben sings", "Ben"],
  ])("is never %s", (_what, text, quote) => {
    expect(without(text, quote)).toBe(text);
  });

  test("is what stands at the noted place, also where the words stand elsewhere before", () => {
    const text = "Ben has a dog called Ben";
    expect(cutOut(text, placesOf(text, [{ quote: "Ben", at: { start: 21, end: 24 } }]))).toBe("Ben has a dog called");
  });

  test("is found anew where the noted place says something else", () => {
    const text = "Now more. My code is 7731. End.";
    expect(cutOut(text, placesOf(text, [{ quote: "My code is 7731.", at: { start: 0, end: 16 } }]))).toBe(
      "Now more. End.",
    );
  });
});

test("other places are where they were, less what was cut out before them", () => {
  const text = "One two. Three four. Five six.";
  const cut = new Cut(text, placesOf(text, [{ quote: "Three four.", at: null }]));
  const rest = cut.rest();
  for (const word of ["One two.", "Five six."]) {
    const start = text.indexOf(word);
    const place = cut.placeAfter({ start, end: start + word.length });
    expect(rest.slice(place?.start, place?.end)).toBe(word);
  }
  expect(cut.placeAfter({ start: 4, end: 12 })).toBeNull();
  expect(cut.placeAfter({ start: 9, end: 20 })).toBeNull();
});

test("a long text takes linear time", () => {
  const measure = (lines: number): number => {
    const text = "The code is 7731. Tea and more tea.\n".repeat(lines);
    const began = performance.now();
    without(text, "The code is 7731.");
    return performance.now() - began;
  };
  measure(500);
  expect(measure(8_000) / Math.max(1, measure(1_000))).toBeLessThan(30);
});
