import { describe, expect, test } from "vitest";
import { summariseFacts } from "../../src/core/profile/digest.js";

const facts = (...texts: string[]) => texts.map((text) => ({ text, strength: 1 }));

describe("the summary of older facts", () => {
  test("is null without facts, and repeats a single fact unchanged", () => {
    expect(summariseFacts([])).toBeNull();
    expect(summariseFacts(facts("", "  "))).toBeNull();
    expect(summariseFacts(facts("Ines lives in Faro."))).toBe("Ines lives in Faro.");
  });

  test("combines facts with the same beginning", () => {
    expect(summariseFacts(facts("Ines likes tea", "Ines lives in Faro", "Ines likes ripe figs."))).toBe(
      "Ines likes tea; ripe figs. Ines lives in Faro.",
    );
  });

  test("starts with the fact stated most often", () => {
    expect(summariseFacts([...facts("Ines owns a boat"), { text: "Ines hates noise", strength: 3 }])).toBe(
      "Ines hates noise. Ines owns a boat.",
    );
  });

  test("has at most 400 characters, and counts what is left out", () => {
    const many = facts(
      ...Array.from({ length: 300 }, (_, index) => `Person ${index} keeps ${index} bees in the garden`),
    );
    const summary = summariseFacts(many) ?? "";
    expect(summary.length).toBeLessThanOrEqual(400);
    const [, more] = /\((\d+) more\)$/.exec(summary) ?? [];
    expect(Number(more) + summary.split(". ").length - 1).toBe(300);
    expect(
      (summariseFacts(facts(`Ines ${"x".repeat(5_000)}`, `Otto ${"y".repeat(5_000)}`)) ?? "").length,
    ).toBeLessThanOrEqual(400);
  });

  test("is one line, whatever the facts contain", () => {
    expect(summariseFacts(facts("Ines likes\n\ntea\tand   figs"))).toBe("Ines likes tea and figs.");
  });
});
