import { describe, expect, test, vi } from "vitest";
import { editsBetween } from "../../src/ingest/edits.js";

/** The maximum number of lines, all of which begin with the same word and continue differently. */
function lines(words: number, first: number): string {
  return Array.from({ length: 100 }, (_, line) => {
    const others = Array.from({ length: words }, (_, word) => (first + ((line + word * 7) % 30_000)).toString(36));
    return `same ${others.join(" ")} ${line}`;
  }).join("\n");
}

/** Number of word look-ups while two texts are compared. */
function lookUps(previous: string, next: string): number {
  const spy = vi.spyOn(Set.prototype, "has");
  try {
    editsBetween(previous, next);
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

describe("the edits between two texts", () => {
  test("pair sentences that begin with the same word with the most similar one that shares most of their words", () => {
    const previous = "Boris drives a Fiat. Boris plays the oboe in Ghent. Ada paints. Ok.";
    const next = "Boris plays the oboe in Bruges. Boris drives a red Fiat. Eva paints. Ok.";
    expect(editsBetween(previous, next)).toEqual([
      { before: "Boris drives a Fiat.", after: "Boris drives a red Fiat." },
      { before: "Boris plays the oboe in Ghent.", after: "Boris plays the oboe in Bruges." },
    ]);
  });

  test("are found in a list of a hundred very similar short lines", () => {
    const list = (city: string) =>
      Array.from({ length: 100 }, (_, line) => `Boris has friend ${line} in ${city} since ${line + 1_900}.`).join("\n");
    expect(editsBetween(list("Ghent"), list("Bruges"))).toHaveLength(100);
  });

  test("do not include sentences of more than 500 characters", () => {
    const long = (car: string) => `Boris drives a ${car} ${"and on ".repeat(80)}.`;
    expect(editsBetween(long("Fiat"), long("Skoda"))).toEqual([]);
  });

  test("take a bounded amount of work, however long the texts and their sentences", () => {
    for (const words of [90, 300, 2_400])
      expect(lookUps(lines(words, 0), lines(words, 40_000))).toBeLessThan(1_200_000);
  });
});
