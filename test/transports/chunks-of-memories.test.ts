import { afterEach, beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest();
});
afterEach(() => rest.close());

test("chunks listed with memories have the same score as chunks returned by themselves", async () => {
  const texts = [
    "Mia plays the cello in the city orchestra. The rehearsals are on Mondays.",
    "Mia sold her old cello to Ada. Ada plays it in a quartet.",
    "The orchestra moves to a new hall in May. Mia likes the hall.",
    "Ada repairs clocks. She has a cello teacher in Bergen.",
  ];
  for (const content of texts) await rest.send("POST", "/v3/documents", { content, containerTag: "mia" });
  await rest.settle();
  const q = "who plays the cello";
  const search = async (more: Record<string, unknown>) => {
    const { body } = await rest.send("POST", "/v4/search", {
      q,
      containerTag: "mia",
      threshold: 0,
      limit: 50,
      ...more,
    });
    return body.results as any[];
  };
  const alone = await search({ searchMode: "hybrid" });
  const byText = new Map(alone.filter(({ chunk }) => chunk).map(({ chunk, similarity }) => [chunk, similarity]));
  const beside = (await search({ include: { chunks: true } })).flatMap(({ chunks }) => chunks ?? []);
  const both = beside.filter(({ content }) => byText.has(content));
  expect(both.length).toBeGreaterThan(2);
  for (const { content, score } of both) expect(score, content).toBe(byText.get(content));
});
