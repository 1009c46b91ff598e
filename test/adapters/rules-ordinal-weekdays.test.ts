import { expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";

const rules = createRulesExtractor();

/** 26 November 2026 is a Thursday. */
function factsOf(content: string) {
  return rules.extract({ content, timeZone: "UTC", containerTag: "days", date: "2026-11-26T09:00:00Z", isOwn: true });
}

test.each([
  ["The harvest festival takes place on the second Sunday of October.", "on the second Sunday of October"],
  ["Rent is due on the third Tuesday of the month.", "on the third Tuesday of the month"],
  ["The festival takes place on the 2nd Saturday of September.", "on the 2nd Saturday of September"],
  ["My book club meets on the last Friday of every month.", "on the last Friday of every month"],
  ["My book club meets on the 1st and 3rd Tuesday of each month.", "on the 1st and 3rd Tuesday of each month"],
  ["I have therapy every second Tuesday.", "every second Tuesday"],
  ["I have therapy every other Wednesday.", "every other Wednesday"],
  ["The board meets on the first Monday in May 2027.", "on the first Monday in May 2027"],
])("%s keeps its words and resolves to no day", async (content, words) => {
  const facts = await factsOf(content);
  expect(facts.map(({ text }) => text).join("\n")).toContain(words);
  for (const fact of facts) {
    expect(fact).not.toHaveProperty("eventDates");
    expect(fact).not.toHaveProperty("completedDates");
    expect(fact).not.toHaveProperty("forgetAfter");
  }
});

test("a next or last weekday is still a date", async () => {
  const [fact] = await factsOf("I met Anna last Friday in Berlin.");
  expect(fact?.text).toContain("20 November 2026");
});
