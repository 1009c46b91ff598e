import { expect, test } from "vitest";
import { judgeText } from "../../src/core/memories/trust.js";
import { createQuoteFinder } from "../../src/language/find-quote.js";

const hidden = `ab@${"\u00ad".repeat(500_000)}c`;

test.each([
  ["an address with hidden characters", hidden],
  ["many punctuation marks", "!".repeat(9_900)],
  ["many line breaks", "\n".repeat(100_000)],
])("judging %s takes time in proportion to its length", (_name, text) => {
  const started = performance.now();
  judgeText("note", text, { origin: "web" });
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a short quote does not match a megabyte of invisible characters", () => {
  expect(createQuoteFinder(hidden)("ab@c")).toBeNull();
});
