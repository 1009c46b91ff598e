import { describe, expect, test } from "vitest";
import { SEEN } from "../fixtures/said-dates/seen.js";
import { UNSEEN } from "../fixtures/said-dates/unseen.js";
import { judgeDate } from "../support/said-dates.js";

describe("incomplete dates in the sentences that the rules were written against", () => {
  test("at least 150 are labelled, on different days", () => {
    expect(SEEN.length).toBeGreaterThanOrEqual(150);
    expect(new Set(SEEN.map(({ saidOn }) => saidOn)).size).toBeGreaterThanOrEqual(5);
  });

  test.each(SEEN.map((said) => [`${said.text} (${said.saidOn.slice(0, 10)})`, said] as const))(
    "no invented day: %s",
    async (_name, said) => {
      expect((await judgeDate(said)).wrong).toEqual([]);
    },
  );

  test("few facts lose a date that could be completed", async () => {
    const judged = await Promise.all(SEEN.map(judgeDate));
    const stated = judged.filter(({ facts }) => facts.length > 0);
    expect(stated.length / judged.length).toBeGreaterThan(0.85);
    expect(stated.filter(({ isComplete }) => isComplete).length / stated.length).toBeGreaterThan(0.95);
  });
});

test("at least 60 sentences that the rules were not written against get no wrong year", async () => {
  const judged = await Promise.all(UNSEEN.map(judgeDate));
  expect(judged.length).toBeGreaterThanOrEqual(60);
  expect(judged.flatMap(({ wrongYears }) => wrongYears)).toEqual([]);
});
