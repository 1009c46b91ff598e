import { expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";

const rules = createRulesExtractor();

async function factsOf(content: string) {
  return rules.extract({ content, timeZone: "UTC", containerTag: "a", date: "2026-11-26T09:00:00Z", isOwn: true });
}

test("a sentence wrapped at a page width is read as one, and quoted verbatim", async () => {
  const content =
    "The monthly rent is due on the\nthird working day of each month. I moved to the coast because the air in the\ncity made my asthma worse.";
  const facts = await factsOf(content);
  const texts = facts.map(({ text }) => text).join("\n");
  expect(texts).toMatch(/monthly rent is due on the third working day of each month/i);
  for (const { quote } of facts) expect(content).toContain(quote);
});

test.each([
  "I like green tea\ni live in Bonn",
  "- I like green tea\n- I live in Bonn",
  "# About\nI like green tea.\nI live in Bonn.",
])("separate lines stay separate: %j", async (content) => {
  const texts = (await factsOf(content)).map(({ text }) => text);
  expect(texts).toContain("User likes green tea");
  expect(texts).toContain("User lives in Bonn");
});
