import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

const TEXT =
  "Lena moved the launch of the rocket to May. The weather station on the coast had warned of storms all through April, and the crew wanted a calm sea for the recovery.";

let rest: OpenedRest;
let documentId: string;

beforeAll(async () => {
  rest = await openRest();
  const { body } = await rest.send(
    "POST",
    "/v3/documents",
    {
      content: TEXT,
      title: "Launch",
      containerTag: "acct:9",
      metadata: { team: "core" },
      filepath: "/plans/launch.md",
    },
    { prefer: "wait=30" },
  );
  documentId = body.id;
});
afterAll(() => rest.close());

type Result = Record<string, unknown>;
const search = async (body: Record<string, unknown>) => {
  const answer = await rest.send("POST", "/v4/search", { q: "when is the launch of the rocket", ...body });
  return answer.body as { results: Result[]; total: number; waiting: number };
};

describe("POST /v4/search", () => {
  test("marks inferred memories, and only those", async () => {
    const facts = [
      { text: "Petra owns a yacht", quote: "Petra owns a yacht" },
      { text: "Petra owns a boat in Ghent", quote: "Petra owns a boat in Ghent" },
    ];
    const document = { content: "Petra owns a boat in Ghent.", containerTag: "guesses", facts };
    await rest.send("POST", "/v3/documents", document, { prefer: "wait=30" });
    const { results } = await search({ q: "What does Petra own?", containerTag: "guesses", searchMode: "memories" });
    const guesses = results.map(({ memory, isInference }) => [memory, isInference]);
    expect(guesses).toContainEqual(["Petra owns a yacht", true]);
    expect(guesses).toContainEqual(["Petra owns a boat in Ghent", undefined]);
  });

  test("returns memories and chunks, each result exactly one of them", async () => {
    const memories = [{ content: "Lena wants a party on a boat after the launch of the rocket" }];
    await rest.send("POST", "/v4/memories", { containerTag: "acct:10", memories });
    const { results, total, waiting } = await search({ containerTags: ["acct:9", "acct:10"] });
    expect(total).toBe(results.length);
    expect(waiting).toBe(0);
    for (const result of results) expect("memory" in result).not.toBe("chunk" in result);
    expect(results).toContainEqual(
      expect.objectContaining({ memory: memories[0]?.content, version: 1, rootMemoryId: null, metadata: null }),
    );
    expect(results).toContainEqual(
      expect.objectContaining({ chunk: TEXT, version: 1, metadata: { team: "core" }, filepath: "/plans/launch.md" }),
    );
    for (const result of results) {
      expect(result).not.toHaveProperty("context");
      expect(result).not.toHaveProperty("documents");
      expect(result).not.toHaveProperty("chunks");
    }
  });

  test.each([
    ["memories", "memory"],
    ["documents", "chunk"],
  ])("searchMode %s returns results with `%s` only", async (searchMode, key) => {
    const { results } = await search({ containerTag: "acct:9", searchMode });
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) expect(result).toHaveProperty(key);
  });

  test("stays inside its containers: an unknown one is empty, both spellings are combined", async () => {
    expect((await search({ containerTag: "acct:1" })).results).toEqual([]);
    expect((await search({ containerTag: "acct:1", containerTags: ["acct:9"] })).results.length).toBeGreaterThan(0);
    expect((await search({})).results.length).toBeGreaterThan(0);
  });

  test("respects threshold and limit", async () => {
    const { results } = await search({ threshold: 0.6 });
    expect(results.length).toBeGreaterThan(0);
    for (const { similarity } of results) expect(similarity).toBeGreaterThanOrEqual(0.6);
    expect((await search({ threshold: 0, limit: 1 })).results).toHaveLength(1);
  });

  test("include.documents and include.summaries add the sources", async () => {
    const [result] = (await search({ containerTag: "acct:9", include: { documents: true } })).results;
    expect(result?.["documents"]).toEqual([
      expect.objectContaining({ id: documentId, title: "Launch", type: "text", metadata: { team: "core" } }),
    ]);
    const [other] = (await search({ containerTag: "acct:9", include: { summaries: true } })).results;
    expect(other?.["documents"]).toEqual([expect.objectContaining({ id: documentId, summary: null })]);
  });

  test("include.relatedMemories adds a context with all three lists", async () => {
    const { results } = await search({ containerTag: "acct:9", include: { relatedMemories: true } });
    expect(results.length).toBeGreaterThan(0);
    for (const { context } of results) expect(context).toEqual({ parents: [], children: [], related: [] });
  });

  test("include.chunks adds the chunks, with their score, to the memories", async () => {
    const { results } = await search({ containerTag: "acct:9", include: { chunks: true } });
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) {
      expect(result).toHaveProperty("memory");
      expect(result["chunks"]).toEqual([{ content: TEXT, position: 0, documentId, score: expect.any(Number) }]);
    }
  });

  test("include.forgottenMemories includes forgotten memories", async () => {
    const memories = [{ content: "The spare key of the boathouse lies under the red stone" }];
    await rest.send("POST", "/v4/memories", { containerTag: "forgotten", memories });
    await rest.send("DELETE", "/v4/memories", { containerTag: "forgotten", content: memories[0]?.content });
    const q = "where is the spare key of the boathouse";
    expect((await search({ q, containerTag: "forgotten", searchMode: "memories" })).results).toEqual([]);
    const include = { forgottenMemories: true };
    const { results } = await search({ q, containerTag: "forgotten", searchMode: "memories", include });
    expect(results).toHaveLength(1);
  });

  test("filters, filepath and docId narrow the search", async () => {
    const filters = { AND: [{ key: "team", value: "core" }] };
    expect((await search({ filters })).results.length).toBeGreaterThan(0);
    expect((await search({ filters: JSON.stringify(filters) })).results.length).toBeGreaterThan(0);
    const others = (await search({ filters: { AND: [{ key: "team", value: "core", negate: "true" }] } })).results;
    expect(others.length).toBeGreaterThan(0);
    expect(others).not.toContainEqual(expect.objectContaining({ metadata: { team: "core" } }));
    expect((await search({ filepath: "/plans/" })).results.length).toBeGreaterThan(0);
    expect((await search({ filepath: "/other/" })).results).toEqual([]);
    expect((await search({ docId: documentId })).results.length).toBeGreaterThan(0);
    expect((await search({ docId: "9TbHwQe5RrPz3JmKx6VnCa" })).results).toEqual([]);
  });

  test("accepts parameters of newer and older clients", async () => {
    const { results } = await search({
      rerank: true,
      aggregate: false,
      rewriteQuery: false,
      documentThreshold: 0.4,
      chunkThreshold: 0.4,
      onlyMatchingChunks: true,
      unknown: { key: [] },
    });
    expect(results.length).toBeGreaterThan(0);
  });
});
