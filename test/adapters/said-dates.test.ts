import { describe, expect, test } from "vitest";
import { SEEN } from "../fixtures/said-dates/seen.js";
import { judgeDate } from "../support/said-dates.js";

describe("of dates that are not whole, in the sentences that the rules were written against", () => {
  test("at least 150 are labelled", () => {
    expect(SEEN.length).toBeGreaterThanOrEqual(150);
    expect(new Set(SEEN.map(({ saidOn }) => saidOn)).size).toBeGreaterThanOrEqual(5);
  });

  test.each(SEEN.map((said) => [`${said.text} (${said.saidOn.slice(0, 10)})`, said] as const))(
    "no day that nobody said: %s",
    async (_name, said) => {
      expect((await judgeDate(said)).wrong).toEqual([]);
    },
  );
});
