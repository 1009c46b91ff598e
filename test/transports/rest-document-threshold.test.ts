import { afterAll, beforeAll, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

const Q = "Which bees live on the roof of the town hall?";
const containerTag = "roofs";
let rest: OpenedRest;

beforeAll(async () => {
  rest = await openRest();
  const filling = "Somebody keeps a list of roofs. ".repeat(40);
  const contents = [
    `The bees that live on the roof of the town hall are Carniolan.\n\n${filling}`,
    `Pigeons live on a roof near the station.\n\n${filling}`,
  ];
  for (const content of contents)
    await rest.send("POST", "/v3/documents", { content, containerTag, taskType: "superrag" }, { prefer: "wait=30" });
  await rest.send("POST", "/v4/memories", { memories: [{ content: "Mia looks after a roof" }], containerTag });
});
afterAll(() => rest.close());

async function send(path: string, body: Record<string, unknown>): Promise<any[]> {
  const answer = await rest.send("POST", path, { q: Q, containerTag, limit: 100, ...body });
  expect(answer.status).toBe(200);
  return answer.body.results;
}

test("v3: omits documents whose score is below, keeps all chunks of the others, and treats 0 as no threshold", async () => {
  const all = await send("/v3/search", {});
  const scores = all.map(({ score }) => score as number).toSorted((one, other) => other - one);
  const [best = 0, second = 0] = scores;
  expect(best).toBeGreaterThan(second);
  expect(await send("/v3/search", { documentThreshold: 0 })).toEqual(all);
  const kept = await send("/v3/search", { documentThreshold: best });
  expect(kept).toEqual(all.filter(({ score }) => score === best));
  expect(kept[0]?.chunks.length).toBeGreaterThan(1);
  expect(await send("/v3/search", { documentThreshold: second })).toEqual(all.filter(({ score }) => score >= second));
  expect(await send("/v3/search", { documentThreshold: 1 })).toEqual([]);
});

test("v4: omits chunks with their document, and keeps memories", async () => {
  const wanted = { threshold: 0, include: { documents: true } };
  const all = await send("/v4/search", wanted);
  const bestOf = (id: string) => Math.max(...all.filter((one) => documentOf(one) === id).map((one) => one.similarity));
  const documentOf = ({ chunk, documents }: any): string | undefined => chunk && documents[0].id;
  const ids = [...new Set(all.flatMap((one) => documentOf(one) ?? []))];
  expect(ids).toHaveLength(2);
  const best = Math.max(...ids.map(bestOf));
  expect(await send("/v4/search", { ...wanted, documentThreshold: 0 })).toEqual(all);
  const kept = await send("/v4/search", { ...wanted, documentThreshold: best });
  expect(kept).toEqual(all.filter((one) => !one.chunk || bestOf(documentOf(one) ?? "") >= best));
  expect(kept.some(({ chunk, similarity }) => chunk && similarity < best)).toBe(true);
  expect(kept.some(({ memory }) => memory)).toBe(true);
  expect(kept.length).toBeLessThan(all.length);
  const first = await send("/v4/search", { ...wanted, documentThreshold: best, limit: 1 });
  expect(first).toEqual(kept.slice(0, 1));
});

test.each(["/v3/search", "/v4/search"])("%s refuses anything but a number from 0 to 1", async (path) => {
  for (const documentThreshold of ["0.5", -0.1, 1.1, null])
    expect((await rest.send("POST", path, { q: Q, containerTag, documentThreshold })).status).toBe(400);
});
