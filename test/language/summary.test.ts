import { describe, expect, test } from "vitest";
import { summarise } from "../../src/language/summary.js";

const FALCON =
  "The Falcon project replaces our billing system. It began in March with a team of four. " +
  "Lunch was late on the first day. The billing system of today drops invoices at the end of the month. " +
  "Falcon keeps every invoice in a queue before billing begins. The weather in Bergen was awful. " +
  "The team will switch the billing over to Falcon in June.";

describe("a summary", () => {
  test("consists of the sentences about the recurring subjects of the text", () => {
    const summary = summarise(FALCON);
    expect(summary).toContain("The Falcon project replaces our billing system.");
    expect(summary).not.toMatch(/Lunch|weather/);
    expect(summary?.length).toBeLessThanOrEqual(320);
  });

  test("quotes its sentences verbatim and in text order", () => {
    const parts = (summarise(FALCON) ?? "").split(/(?<=\.) /);
    const places = parts.map((part) => FALCON.indexOf(part));
    expect(parts.length).toBeGreaterThan(1);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test("leaves out headings, code, questions and who is speaking", () => {
    const text = `# Billing billing billing\n\n\`\`\`\nbilling billing billing billing billing\n\`\`\`\nUser: What about the billing system of today? ${FALCON.replace("It began", "\nAssistant: It began")}`;
    const summary = summarise(text);
    expect(summary).toContain("Falcon");
    expect(summary).not.toMatch(/#|```|\?|User:|Assistant:/);
  });

  const none: [name: string, text: string][] = [
    ["an empty text", ""],
    ["a short text", "I moved to Porto. It rains. I like it. I stay."],
    ["three sentences, however long", `${"word ".repeat(100)}. ${"other ".repeat(100)}. ${"third ".repeat(100)}.`],
    ["a text without sentences", "x".repeat(100_000)],
    ["numbers", "1 2 3 4 5 6 7 8 9 10\n".repeat(1_000).replaceAll("\n", " ")],
    ["questions only", "Who goes there with the lamp tonight? ".repeat(50)],
  ];
  test.each(none)("is omitted for %s", (_name, text) => {
    expect(summarise(text)).toBeNull();
  });

  test("of a text of megabytes is taken from its beginning", () => {
    expect(summarise(`${FALCON} `.repeat(20_000))).toContain("Falcon");
  });
});
