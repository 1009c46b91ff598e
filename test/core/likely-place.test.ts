import { describe, expect, test } from "vitest";
import { createLikelyPlaceFinder } from "../../src/core/memories/likely-place.js";
import { createQuoteFinder } from "../../src/language/find-quote.js";

function likely(content: string, fact: string): string | null {
  const place = createLikelyPlaceFinder(content, createQuoteFinder(content))(fact);
  return place && content.slice(place.start, place.end);
}

const NOTES = "# Kickoff notes\n\nAna leads Atlas. The budget is 40k.\n- Launch is in March.\n- Two people test it.";

describe("the likely place of a fact without a quote in its text", () => {
  test.each([
    ["its exact words", "The budget is 40k", "The budget is 40k"],
    ["the sentence with most of its words", "Ana leads the Atlas project", "Ana leads Atlas."],
    ["the sentence with its numbers", "The Atlas budget is 40k", "The budget is 40k."],
    ["other forms of its words", "Atlas launches in March", "- Launch is in March."],
    ["numbers in words", "2 people test Atlas", "- Two people test it."],
  ])("is the part with %s", (_what, fact, place) => {
    expect(likely(NOTES, fact)).toBe(place);
  });

  test.each([
    ["the number differs", NOTES, "The Atlas budget is 60k"],
    ["half of the words are missing", NOTES, "Ana owns the Borealis rollout of Atlas"],
    ["several sentences say it", "Ana leads Atlas. Since May, Ana leads Atlas alone.", "Ana leads the Atlas project"],
    ["the only sentence is too long", `${"word ".repeat(500)}end`, "Ana leads the Atlas project"],
    ["there are no words", "---\n...", "Ana leads Atlas"],
  ])("is unknown if %s", (_what, content, fact) => {
    expect(likely(content, fact)).toBeNull();
  });

  test("is not a text's only sentence if that says something else", () => {
    expect(likely("A long walk.", "Ada walked to Rome")).toBeNull();
    expect(likely("I prefer tabs over spaces.", "User prefers tabs over spaces")).toBe("I prefer tabs over spaces.");
  });

  test("takes linear time in a long text", () => {
    const content = "Ana leads Atlas and the budget is 40k. ".repeat(5_000);
    const find = createLikelyPlaceFinder(content, createQuoteFinder(content));
    const started = performance.now();
    for (let fact = 0; fact < 100; fact += 1) find(`Ana leads the Atlas budget of 40k, number ${fact}`);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
