import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
  const memories = ["Mia likes green tea", "Mia likes old maps", "Ada's physician lives in Bergen"];
  await rest.send("POST", "/v4/memories", { containerTag: "mia", memories: memories.map((content) => ({ content })) });
  const document = { content: "Mia drinks tea in the garden.", containerTag: "mia", taskType: "superrag" };
  await rest.send("POST", "/v3/documents", document, { prefer: "wait=30" });
});
afterAll(() => rest.close());

const search = async (body: Record<string, unknown>, path = "/v4/search") =>
  rest.send("POST", path, { q: "What does Mia like?", containerTag: "mia", ...body });

describe("POST /v4/search", () => {
  test("rerank changes order and similarities, and not which results are found", async () => {
    const found = async (rerank: boolean) => {
      const { status, body } = await search({ threshold: 0, rerank });
      expect(status).toBe(200);
      expect(body).not.toHaveProperty("degraded");
      const similarities = body.results.map(({ similarity }: { similarity: number }) => similarity);
      expect(similarities).toEqual(similarities.toSorted((one: number, other: number) => other - one));
      return body.results.map(({ id }: { id: string }) => id);
    };
    expect((await found(true)).toSorted()).toEqual((await found(false)).toSorted());
  });

  test("rerank and rewriteQuery respect the threshold", async () => {
    const { body } = await search({
      threshold: 0.6,
      rerank: true,
      rewriteQuery: true,
      q: "Hey, what does Mia like? Thanks!",
    });
    expect(body.results.length).toBeGreaterThan(0);
    for (const { similarity } of body.results) expect(similarity).toBeGreaterThanOrEqual(0.6);
  });

  test("aggregate adds one marked memory that cannot be fetched", async () => {
    const { body } = await search({
      threshold: 0.3,
      aggregate: true,
      searchMode: "memories",
      include: { documents: true, relatedMemories: true, chunks: true },
    });
    const [first] = body.results;
    expect(first).toMatchObject({ isAggregated: true, version: 1, metadata: null, rootMemoryId: null });
    expect(first.memory).toMatch(/^Mia likes .+ and .+$/);
    expect(body.results.filter((result: Record<string, unknown>) => "isAggregated" in result)).toHaveLength(1);
    const gone = await rest.send("DELETE", "/v4/memories", { id: first.id, containerTag: "mia" });
    expect(gone.status).toBe(404);
  });

  test.each([
    ["rerank", "true"],
    ["rewriteQuery", 1],
    ["aggregate", "yes"],
  ])("%s must be true or false", async (field, value) => {
    const { status, body } = await search({ [field]: value });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`${field}: must be true or false`);
  });
});

test("POST /v3/search accepts rerank and rewriteQuery", async () => {
  const plain = await search({}, "/v3/search");
  const careful = await search({ rerank: true, rewriteQuery: true, q: "Please tell me what Mia drinks" }, "/v3/search");
  expect(careful.status).toBe(200);
  expect(careful.body.results.map((result: Record<string, unknown>) => result["documentId"])).toEqual(
    plain.body.results.map((result: Record<string, unknown>) => result["documentId"]),
  );
});
