import { describe, expect, test } from "vitest";
import { titleOf } from "../../src/language/title.js";
import { safeCut, truncate } from "../../src/lib/truncate.js";

const FAMILY = "👩‍👩‍👧‍👦";
const CHARACTERS = [FAMILY, "🇳🇿", "👍🏽", "é".normalize("NFD"), "한".normalize("NFD"), "नि", "🦜", "a", "\r\n"];

describe("text is cut between two characters", () => {
  test.each(CHARACTERS)("%j is kept whole or left out", (character) => {
    const text = `Mia: ${character}${character}${character} end`;
    for (let limit = 5; limit < text.length; limit += 1) {
      const kept = truncate(text, limit).slice(5, 5 + 3 * character.length);
      expect([limit, kept.length % character.length]).toEqual([limit, 0]);
    }
  });

  test.each(CHARACTERS)("a title ends before %j if it does not fit", (character) => {
    for (let before = 70; before <= 80; before += 1) {
      const title = titleOf(`${"x".repeat(before)}${character}${"y".repeat(20)}`) ?? "";
      expect(title.replaceAll(/[xy]/g, "")).toBe(
        title.includes("y") || title.length === before + character.length ? character.trimEnd() : "",
      );
    }
  });

  test("a row of flags is cut between two flags, however long it is", () => {
    for (const row of [`Flags ${"🇩🇪".repeat(60)}`, `Mia ${"🇳🇿".repeat(800)}`])
      for (let limit = row.indexOf(" ") + 1; limit < row.length; limit += 1)
        expect([limit, (truncate(row, limit).length - row.indexOf(" ") - 1) % 4]).toEqual([limit, 0]);
  });

  test("a text that fits is not cut", () => {
    expect(truncate(FAMILY, FAMILY.length)).toBe(FAMILY);
  });

  test("repeated cutting ends, whatever the text is", () => {
    for (const one of ["\u0301", "🦜", FAMILY, "‍", "🇳🇿"]) {
      let rest = one.repeat(500);
      for (let cuts = 0; rest !== ""; cuts += 1) {
        expect(cuts).toBeLessThan(one.length * 500);
        rest = rest.slice(safeCut(rest, 3));
      }
    }
  });

  test("no half of a pair is left, even if a character is longer than the examined range", () => {
    const endless = `${"🦜‍".repeat(200)}x`;
    for (let limit = 2; limit < endless.length; limit += 7) expect(truncate(endless, limit).isWellFormed()).toBe(true);
  });
});
