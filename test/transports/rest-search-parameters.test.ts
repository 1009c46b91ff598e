import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let documentId: string;

/** Long enough to become several chunks. */
const PARAGRAPHS = ["bees", "trains", "rivers", "engines", "violins", "mountains"].map((subject) =>
  `A paragraph about ${subject}. `.repeat(60).trim(),
);

beforeAll(async () => {
  rest = await openRest();
  const add = (body: Record<string, unknown>) =>
    rest.send("POST", "/v3/documents", { taskType: "superrag", ...body }, { prefer: "wait=30" });
  const { body } = await add({
    content: PARAGRAPHS.join("\n\n"),
    containerTag: "long",
    customId: "notes/long.md",
    filepath: "/notes/long.md",
  });
  documentId = body.id;
  await add({ content: "Bees of the first user.", containerTag: "users", metadata: { endUserId: "u1", n: 1 } });
  await add({ content: "Bees of the second user.", containerTag: "users", metadata: { endUserId: "u2", n: 1 } });
  await add({ content: "Bees in both containers.", containerTags: ["left", "right"] });
  await add({ content: "Bees on the left alone.", containerTag: "left" });
});
afterAll(() => rest.close());

type Result = Record<string, any>;
const search = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
  const answer = await rest.send("POST", "/v4/search", { q: "a paragraph about bees", ...body }, headers);
  expect(answer.status).toBe(200);
  return answer.body as { results: Result[]; total: number };
};
const texts = async (body: Record<string, unknown>) =>
  (await search({ q: "bees", threshold: 0, searchMode: "documents", ...body })).results.map(({ chunk }) => chunk);

describe("narrowing", () => {
  test("docId accepts an id or a customId, and finds nothing for an unknown one", async () => {
    for (const docId of [documentId, "notes/long.md"])
      expect((await search({ docId })).results.length).toBeGreaterThan(0);
    for (const docId of ["9TbHwQe5RrPz3JmKx6VnCa", "notes/none.md"])
      expect(await search({ docId })).toMatchObject({ results: [], total: 0 });
  });

  test("endUserId matches metadata, combined with any filters", async () => {
    const containerTag = "users";
    expect(await texts({ containerTag, endUserId: "u1" })).toEqual(["Bees of the first user."]);
    const filters = { AND: [{ key: "n", value: "1", filterType: "numeric" }] };
    expect(await texts({ containerTag, endUserId: "u2", filters })).toEqual(["Bees of the second user."]);
    const others = { AND: [{ key: "n", value: "2", filterType: "numeric" }] };
    expect(await texts({ containerTag, endUserId: "u2", filters: others })).toEqual([]);
  });

  test("operator AND requires documents with all tags, OR any of them", async () => {
    const containerTags = ["left", "right"];
    expect(await texts({ containerTags, operator: "AND" })).toEqual(["Bees in both containers."]);
    expect(await texts({ containerTag: "left", containerTags: ["right"], operator: "and" })).toEqual([
      "Bees in both containers.",
    ]);
    for (const operator of ["OR", undefined])
      expect(new Set(await texts({ containerTags, operator }))).toEqual(
        new Set(["Bees in both containers.", "Bees on the left alone."]),
      );
    expect(await texts({ containerTags: ["left", "nowhere"], operator: "AND" })).toEqual([]);
  });

  test("filepath matches exactly, or as a prefix if it ends in a slash", async () => {
    for (const filepath of ["/notes/long.md", "/notes/", "/"])
      expect((await search({ filepath })).results.length).toBeGreaterThan(0);
    for (const filepath of ["/notes", "/notes/long", "/other/"])
      expect((await search({ filepath })).results).toEqual([]);
    const ofFile = (await search({ containerTag: "long" })).results.map(({ filepath }) => filepath);
    expect(new Set(ofFile)).toEqual(new Set(["/notes/long.md"]));
    const ofNone = (await search({ containerTag: "left", threshold: 0 })).results.map(({ filepath }) => filepath);
    expect(new Set(ofNone)).toEqual(new Set([null]));
  });

  test("a star has no special meaning", async () => {
    expect((await search({ q: "*", containerTag: "long" })).results).toEqual([]);
  });
});

describe("thresholds", () => {
  test("a threshold equal to a shown similarity includes that result, and none below it", async () => {
    const all = await search({ containerTag: "long", threshold: 0, limit: 100 });
    expect(all.results.length).toBeGreaterThan(1);
    for (const { similarity } of all.results) {
      const above = all.results.filter((result) => result.similarity >= similarity);
      const { results } = await search({ containerTag: "long", threshold: similarity, limit: 100 });
      expect(new Set(results.map(({ id }) => id))).toEqual(new Set(above.map(({ id }) => id)));
    }
  });

  test("chunkThreshold applies to chunks only", async () => {
    await rest.send("POST", "/v4/memories", { containerTag: "floor", memories: [{ content: "Ada keeps bees" }] });
    const content = "On the roof of the house next door somebody seems to keep bees.";
    const body = { content, containerTag: "floor", taskType: "superrag" };
    await rest.send("POST", "/v3/documents", body, { prefer: "wait=30" });
    const q = "who keeps bees in the city centre and sells honey";
    const kinds = async (more: Record<string, unknown>) =>
      (await search({ q, containerTag: "floor", threshold: 0, ...more })).results.map(({ memory }) =>
        memory === undefined ? "chunk" : "memory",
      );
    expect((await kinds({})).toSorted()).toEqual(["chunk", "memory"]);
    expect(await kinds({ chunkThreshold: 1 })).toEqual(["memory"]);
    expect(await kinds({ chunkThreshold: 0, documentThreshold: 1 })).toEqual(["memory"]);
    expect(await kinds({ chunkThreshold: 0, threshold: 1 })).toEqual([]);
  });
});

describe("additional context of a result", () => {
  test("onlyMatchingChunks false adds the chunks before and after a chunk", async () => {
    const q = "a paragraph about rivers";
    const [alone] = (await search({ q, containerTag: "long" })).results;
    expect(alone).not.toHaveProperty("chunks");
    const [result] = (await search({ q, containerTag: "long", onlyMatchingChunks: false, limit: 1 })).results;
    const chunks = await rest.core.searchDocuments(
      { actor: rest.actor },
      { q: "*", containerTags: ["long"], includeNeighbours: false },
    );
    const inOrder = chunks.results[0]?.chunks ?? [];
    const place = inOrder.findIndex(({ content }) => content === result?.["chunk"]);
    expect(place).toBeGreaterThan(0);
    expect(result?.["chunks"]).toEqual(
      [inOrder[place - 1], inOrder[place + 1]].flatMap((chunk) =>
        chunk ? [{ content: chunk.content, position: chunk.position, documentId, score: 0 }] : [],
      ),
    );
  });

  test("include.chunks returns memories only, each with the matching chunks of its own documents", async () => {
    await rest.send(
      "POST",
      "/v3/documents",
      { content: "I moved to Bern because of the bees. The flat is small.", containerTag: "embedded" },
      { prefer: "wait=30" },
    );
    await rest.send("POST", "/v4/memories", {
      containerTag: "embedded",
      memories: [{ content: "Ada saw bees in Bern" }],
    });
    const { results } = await search({ q: "bees in Bern", containerTag: "embedded", include: { chunks: true } });
    expect(results.flatMap((result) => result["chunks"])).not.toEqual([]);
    for (const result of results) {
      expect(result).toHaveProperty("memory");
      for (const { score, documentId: source, content, position } of result["chunks"]) {
        expect(score).toBeGreaterThanOrEqual(0.5);
        expect([typeof source, typeof content, position]).toEqual(["string", "string", 0]);
      }
    }
    // A memory that was added directly has no chunks to show.
    expect(results.find(({ memory }) => memory === "Ada saw bees in Bern")?.["chunks"]).toEqual([]);
  });

  test("include.relatedMemories adds older versions and related facts; without it there is no context", async () => {
    const containerTag = "related";
    const { body } = await rest.send("POST", "/v4/memories", {
      containerTag,
      memories: [{ content: "Ada lives in Rome" }],
    });
    await rest.send("PATCH", "/v4/memories", {
      containerTag,
      id: body.memories[0].id,
      newContent: "Ada lives in Bern",
    });
    const q = "where does Ada live";
    const [result] = (await search({ q, containerTag, include: { relatedMemories: true } })).results;
    expect(result).toMatchObject({ memory: "Ada lives in Bern", version: 2, rootMemoryId: body.memories[0].id });
    expect(result?.["context"]).toEqual({
      parents: [
        {
          relation: "updates",
          version: -1,
          memory: "Ada lives in Rome",
          metadata: null,
          updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ],
      children: [],
      related: [],
    });
    const plain = (await search({ q, containerTag })).results;
    expect(plain).not.toEqual([]);
    for (const found of plain) expect(found).not.toHaveProperty("context");
    const chunks = (await search({ containerTag: "long", include: { relatedMemories: true } })).results;
    expect(chunks).not.toEqual([]);
    for (const found of chunks) expect(found["context"]).toEqual({ parents: [], children: [], related: [] });
  });

  test("include.forgottenMemories never returns superseded memories", async () => {
    const { results } = await search({
      q: "where does Ada live",
      containerTag: "related",
      threshold: 0,
      include: { forgottenMemories: true },
    });
    expect(results.map(({ memory }) => memory)).toEqual(["Ada lives in Bern"]);
  });
});

describe("the result fields that strict clients require", () => {
  test("every result has id, similarity, a numeric version, and either memory or chunk, but no context", async () => {
    const { results } = await search({ threshold: 0, limit: 100 });
    expect(results.length).toBeGreaterThan(3);
    for (const result of results) {
      expect(result["id"]).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
      expect(typeof result["similarity"]).toBe("number");
      expect(typeof result["version"]).toBe("number");
      expect("memory" in result).not.toBe("chunk" in result);
      for (const key of ["metadata", "updatedAt", "filepath"]) expect(result).toHaveProperty(key);
      for (const key of ["context", "documents", "chunks", "isAggregated"]) expect(result).not.toHaveProperty(key);
      if ("chunk" in result) expect(result).not.toHaveProperty("rootMemoryId");
    }
  });
});

describe("bad requests", () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ["no question", { q: undefined }, /^q: is missing/],
    ["an empty question", { q: "" }, /^q: must not be empty/],
    ["a question of spaces", { q: "   " }, /^q: must not be empty/],
    ["a number as a question", { q: 7 }, /^q: must be a string/],
    ["no results wanted", { limit: 0 }, /^limit: must be at least 1/],
    ["too many results", { limit: 101 }, /^limit: must be at most 100/],
    ["a fractional limit", { limit: 1.5 }, /^limit: must be a whole number/],
    ["a limit as text", { limit: "5" }, /^limit: must be a number/],
    ["a threshold as text", { threshold: "0.5" }, /^threshold: must be a number/],
    ["a threshold above one", { threshold: 1.01 }, /^threshold: must be at most 1/],
    ["a negative threshold", { chunkThreshold: -0.1 }, /^chunkThreshold: must be at least 0/],
    ["a document threshold as text", { documentThreshold: "0" }, /^documentThreshold: must be a number/],
    ["an unknown mode", { searchMode: "all" }, /^searchMode: must be one of memories, hybrid, documents/],
    ["an unknown operator", { operator: "XOR" }, /^operator: must be AND or OR/],
    ["a bare condition", { filters: { key: "a", value: "b" } }, /^filters: must be an object with AND or OR/],
    ["a filter that is not JSON", { filters: "AND" }, /^filters: is a string that is not JSON/],
    ["a list as a filter", { filters: [] }, /^filters: /],
    ["a flag as text", { rerank: "true" }, /^rerank: must be true or false/],
    ["an include as a list", { include: ["documents"] }, /^include: /],
    ["a tag with a space", { containerTag: "a b" }, /^containerTag: /],
    ["tags as text", { containerTags: "a" }, /^containerTags: /],
    ["an empty document id", { docId: "" }, /^docId: must not be empty/],
    ["an empty end user", { endUserId: "" }, /^endUserId: must not be empty/],
    ["an empty path", { filepath: "" }, /^filepath: must not be empty/],
  ])("%s is refused, naming the field", async (_name, change, message) => {
    const { status, body } = await rest.send("POST", "/v4/search", { q: "bees", ...change });
    expect(status).toBe(400);
    expect(body.message).toMatch(message);
    expect(body.error).toBe(body.message);
  });

  test("parameters that need a model, and unknown ones, change nothing", async () => {
    const plain = await search({ containerTag: "long" });
    const { results } = await search({
      containerTag: "long",
      rerank: false,
      aggregate: true,
      rewriteQuery: true,
      documentThreshold: 1,
      onlyMatchingChunks: true,
      unheardOf: { deep: [1] },
    });
    expect(results).toEqual(plain.results);
  });
});

test("the server's mode and threshold apply when a request sets none", async () => {
  const narrow = await openRest({
    settings: { RECOLLECT_SEARCH_MODE: "memories", RECOLLECT_THRESHOLD: "0" },
  });
  try {
    const body = { content: "I keep bees on the roof.", containerTag: "a" };
    await narrow.send("POST", "/v3/documents", body, { prefer: "wait=30" });
    const found = async (more: Record<string, unknown>) =>
      (await narrow.send("POST", "/v4/search", { q: "trains", ...more })).body.results as Result[];
    expect(await found({})).not.toHaveLength(0);
    for (const result of await found({})) expect(result).toHaveProperty("memory");
    for (const result of await found({ searchMode: "documents" })) expect(result).toHaveProperty("chunk");
    expect(await found({ threshold: 0.9 })).toEqual([]);
  } finally {
    await narrow.close();
  }
});
