import { expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";

const rules = createRulesExtractor();

test.each([
  ["We ship on Fridays, or rather on Saturdays.", "User ships on Saturdays"],
  ["I have a cat, I mean a dog.", "User has a dog"],
  ["I live in Bonn, I mean Cologne.", "User lives in Cologne"],
  ["We further recommend that you rotate keys.", "User further recommends that"],
  ["We therefore use Postgres.", "User therefore uses Postgres"],
])("%s", async (content, expected) => {
  const facts = await rules.extract({
    content,
    timeZone: "UTC",
    containerTag: "a",
    date: "2026-11-26T09:00:00Z",
    isOwn: true,
  });
  const text = facts.map((fact) => fact.text).join("\n");
  if (facts.length > 0) expect(text).toContain(expected);
  expect(text).not.toMatch(/furthers|therefores|on on|a a /);
});
