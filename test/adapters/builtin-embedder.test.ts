import { expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";

const embedder = createBuiltinEmbedder();

async function cosine(one: string, other: string): Promise<number> {
  const [first, second] = await embedder.embed([one, other], "document");
  let sum = 0;
  for (const [index, value] of (first ?? new Float32Array(0)).entries()) sum += value * (second?.[index] ?? 0);
  return sum;
}

test("the same text has the same vector in every process and Node version", async () => {
  const [vector] = await embedder.embed(["Anna moved to Lisbon."], "document");
  const largest = [...(vector ?? [])].map((value, index) => ({ index, value: Math.abs(value) }));
  largest.sort((one, other) => other.value - one.value);
  expect(largest.slice(0, 4).map(({ index }) => index)).toMatchInlineSnapshot(`
    [
      4,
      296,
      144,
      162,
    ]
  `);
});

test("queries and documents share one space", async () => {
  const [asDocument] = await embedder.embed(["green tea"], "document");
  const [asQuery] = await embedder.embed(["green tea"], "query");
  expect(asQuery).toEqual(asDocument);
});

test.each([
  ["Where does Anna live?", "Anna moved to Lisbon.", "Anna plays the cello."],
  ["What is his job?", "He works as a nurse.", "He has two cats."],
  ["Which database is used?", "Data is kept in PostgreSQL.", "Buttons are blue."],
  ["favorite colour", "favourite color", "favourite song"],
  ["Kubernets", "Kubernetes", "moonlight"],
  ["我喜欢咖啡", "早上我喝咖啡", "火车晚点了"],
  ["кофе утром", "люблю кофе по утрам", "поезд опоздал"],
])("%j is nearer to %j than to %j", async (query, near, far) => {
  expect(await cosine(query, near)).toBeGreaterThan((await cosine(query, far)) + 0.05);
});

test("texts without words match only equal texts", async () => {
  expect(await cosine("😀", "😀")).toBeCloseTo(1);
  expect(await cosine("😀", "😢")).toBeLessThan(0.9);
});

test("texts of several megabytes embed like shorter texts of the same content", async () => {
  const long = "Lisbon is a city. ".repeat(10_000);
  expect(await cosine(long, long.repeat(20))).toBeCloseTo(1, 3);
});
