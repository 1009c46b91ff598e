import { expect, test } from "vitest";
import { resolveRelativeDates } from "../../src/core/search/relative-dates.js";

/** A Friday. */
const NOW = new Date("2026-11-20T19:00:00Z");

test.each([
  ["what happened yesterday", "what happened on 19 November 2026"],
  ["the day before yesterday", "on 18 November 2026"],
  ["what is due tomorrow?", "what is due on 21 November 2026?"],
  ["three days ago", "on 17 November 2026"],
  ["a week ago", "in the week of 9 November 2026"],
  ["2 weeks ago", "in the week of 2 November 2026"],
  ["11 months ago", "in December 2025"],
  ["two years ago", "in 2024"],
  ["Last week", "in the week of 9 November 2026"],
  ["this week", "in the week of 16 November 2026"],
  ["next month", "in December 2026"],
  ["last month", "in October 2026"],
  ["last year", "in 2025"],
  ["last weekend", "on 14 November 2026"],
  ["last friday", "on 13 November 2026"],
  ["next Friday", "on 27 November 2026"],
  ["this past Monday", "on 16 November 2026"],
  ["next monday", "on 23 November 2026"],
  ["last summer", "from June 2026, summer"],
  ["last winter", "from December 2025, winter"],
  ["next spring", "from March 2027, spring"],
])("resolves: %s", (phrase, dates) => {
  expect(resolveRelativeDates(phrase, NOW)).toBe(dates);
});

test("resolves dates across the end of a year", () => {
  expect(resolveRelativeDates("yesterday, last month, last week", new Date("2027-01-01T00:30:00Z"))).toBe(
    "on 31 December 2026, in December 2026, in the week of 21 December 2026",
  );
});

test.each(["a few days ago", "long ago", "last of all", "the week after", "day", "yesterdays", "lastweek", "", "昨日"])(
  "leaves unchanged: %s",
  (text) => {
    expect(resolveRelativeDates(text, NOW)).toBe(text);
  },
);
