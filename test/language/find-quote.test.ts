import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createQuoteFinder } from "../../src/language/find-quote.js";
import { windowsOf } from "../../src/language/windows.js";

function found(text: string, quote: string): string | null {
  const place = createQuoteFinder(text)(quote);
  return place && text.slice(place.start, place.end);
}

describe("a quote is found", () => {
  test.each([
    ["verbatim", "Ada lives in Oslo.", "lives in Oslo", "lives in Oslo"],
    ["in different case", "Ada LIVES in Oslo.", "ada lives", "Ada LIVES"],
    ["with different white space", "Ada  lives\n\tin Oslo.", "Ada lives in Oslo", "Ada  lives\n\tin Oslo"],
    ["with different quotation marks", "She said “it’s fine”, once.", `said "it's fine"`, "said “it’s fine”"],
    ["with added quotation marks", "Ada lives in Oslo.", '"Ada lives"', "Ada lives"],
    ["between ellipses", "Ada lives in Oslo.", "...lives in…", "lives in"],
    ["with different dashes", "Monday – Friday", "monday - friday", "Monday – Friday"],
    ["in another Unicode form", "Rene\u0301 eats", "ren\u00e9 eats", "Rene\u0301 eats"],
    ["in the reverse Unicode form", "Ren\u00e9 eats", "rene\u0301", "Ren\u00e9"],
    ["including a combining mark", "cafe\u0301 x", "caf\u00e9", "cafe\u0301"],
    ["with invisible characters within", "pass\u00adword is", "password is", "pass\u00adword is"],
    ["in Japanese", "彼女は東京に住んでいる。", "東京に住んで", "東京に住んで"],
    ["with emoji", "I 😀 love 😀 it", "love 😀", "love 😀"],
    ["after characters that grow when normalised", "ﬁﬁ İx Ada lives", "ada lives", "Ada lives"],
  ])("%s", (_name, text, quote, words) => {
    expect(found(text, quote)).toBe(words);
  });
});

test.each([
  ["other words", "Ada lives in Oslo.", "Ada lives in Rome"],
  ["a changed word", "Ada does not live in Oslo.", "Ada does live in Oslo"],
  ["an empty quote", "Ada lives in Oslo.", ""],
  ["a quote of punctuation only", "Ada lives (here).", " ... "],
  ["a single letter", "Ada lives in Oslo.", "a"],
  ["a quote from an empty text", "", "Ada"],
])("%s is not found", (_name, text, quote) => {
  expect(found(text, quote)).toBeNull();
});

test("anything cut out of a text is found in it, and the found text is equivalent", () => {
  const pieces = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, fc.nat(60), fc.nat(60), (characters, from, length) => {
      const quote = characters.slice(from, from + length).join("");
      const words = found(characters.join(""), quote);
      if (words !== null) expect(found(words, quote)).not.toBeNull();
      else expect(quote.normalize("NFKD").match(/[\p{L}\p{N}]/gu)?.length ?? 0).toBeLessThan(2);
    }),
    { numRuns: 300 },
  );
});

describe("windows", () => {
  const SIZES = { length: 200, overlap: 40 };

  test("consist of one for a short text", () => {
    expect(windowsOf("short", SIZES)).toEqual([{ start: 0, end: 5 }]);
    expect(windowsOf("", SIZES)).toEqual([{ start: 0, end: 0 }]);
  });

  test("are cut between sentences", () => {
    const text = "This is one sentence of many here. ".repeat(20);
    const windows = windowsOf(text, SIZES);
    expect(windows.length).toBeGreaterThan(3);
    for (const { start } of windows) expect(text.slice(start)).toMatch(/^This is/);
  });

  test("cover every text, overlap, and split no character", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "word ", "\n", "\n\n", "End. ", "😀", "文。")), (pieces) => {
        const text = pieces.join("").repeat(9);
        const windows = windowsOf(text, SIZES);
        expect(windows[0]?.start).toBe(0);
        expect(windows.at(-1)?.end).toBe(text.length);
        for (const [at, { start, end }] of windows.entries()) {
          expect(end - start).toBeLessThanOrEqual(SIZES.length);
          expect(text.slice(start, end).isWellFormed()).toBe(true);
          const next = windows[at + 1];
          if (next) expect(next.start).toBeLessThanOrEqual(end);
          if (next) expect(next.start).toBeGreaterThan(start);
        }
      }),
    );
  });
});
