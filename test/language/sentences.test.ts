import { describe, expect, test } from "vitest";
import { sentenceSpans } from "../../src/language/sentences.js";
import { safeCut, truncate } from "../../src/lib/truncate.js";

const sentencesOf = (text: string): string[] => sentenceSpans(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["I left. You stayed!  Why? ", ["I left.", "You stayed!", "Why?"]],
  ["One\ntwo\r\n\n three", ["One", "two", "three"]],
  ["I met Dr. Smith at 5 p.m. on Friday.", ["I met Dr. Smith at 5 p.m. on Friday."]],
  [
    "I live in the U.S. He said no. J. R. Tolkien wrote.",
    ["I live in the U.S.", "He said no.", "J. R. Tolkien wrote."],
  ],
  ["See No. 5, e.g. there. Me and I. Done", ["See No. 5, e.g. there.", "Me and I.", "Done"]],
  ['"Stop!" (She left.) Fin…', ['"Stop!"', "(She left.)", "Fin…"]],
  ["Version 2.10 of a.b.c", ["Version 2.10 of a.b.c"]],
  ["元気です。はい！", ["元気です。", "はい！"]],
  ["", []],
  [" \n ", []],
])("splits %j into sentences", (text, sentences) => {
  expect(sentencesOf(text)).toEqual(sentences);
});

describe("a cut", () => {
  test("never splits a surrogate pair", () => {
    expect(truncate("a😀b", 2)).toBe("a");
    expect(truncate("a😀b", 3)).toBe("a😀");
    expect(truncate("abc", 9)).toBe("abc");
  });

  test("always advances, so that repeated cutting ends", () => {
    expect(safeCut("😀😀", 1)).toBe(1);
    expect(safeCut("ab", 0)).toBe(1);
  });
});
