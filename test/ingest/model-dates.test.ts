import { expect, test } from "vitest";
import { createQuoteFinder } from "../../src/language/find-quote.js";
import { checkFact } from "../../src/ingest/check-fact.js";

function checked(content: string, text: string, eventDates: string[]) {
  const stated = {
    text,
    kind: "fact" as const,
    isStatic: false,
    eventDates,
    forgetAfter: null,
    entities: [],
    buckets: [],
    quote: content,
  };
  const source = { content, containerTag: "a", date: "2026-11-26T09:00:00Z", timeZone: "UTC" as const };
  return checkFact(stated, source, createQuoteFinder(content));
}

test.each([
  ["The lease starts 1 February.", "2027-02-01", { said: "1 February", parts: ["year"] }],
  ["We open on March 3rd.", "2027-03-03", { said: "March 3rd", parts: ["year"] }],
  ["The lease was signed yesterday.", "2026-11-25", { said: "yesterday", parts: ["day", "month", "year"] }],
  ["The review is next Friday.", "2026-12-04", { said: "next Friday", parts: ["day", "month", "year"] }],
])("marks a year that a model adds: %s", (content, date, mark) => {
  expect(checked(content, `${content} (${date})`, [date])?.completedDates).toEqual([{ ...mark, date }]);
});

test("does not mark a date stated in full", () => {
  expect(
    checked("The lease starts 1 February 2027.", "The lease starts on 1 February 2027", ["2027-02-01"]),
  ).not.toHaveProperty("completedDates");
});
