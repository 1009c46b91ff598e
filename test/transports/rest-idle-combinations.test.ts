import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

type Body = Record<string, unknown>;

async function warnings(method: string, path: string, body: Body): Promise<readonly string[]> {
  const answer = await rest.send(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body.warnings ?? [];
}

describe("facts sent with a document that forms no memories", () => {
  const told = ["facts: has no effect: this document forms no memories (taskType superrag)"];
  const document = { content: "Mia keeps bees.", containerTag: "bees", facts: [{ text: "Mia keeps bees" }] };

  test("are named in the receipt, also when the document is added again", async () => {
    const searchable = { ...document, customId: "bees", taskType: "superrag" };
    expect(await warnings("POST", "/v3/documents", searchable)).toEqual(told);
    await rest.settle();
    const { taskType: _left, ...again } = searchable;
    expect(await warnings("POST", "/v3/documents", again)).toEqual(told);
    expect(await warnings("POST", "/v3/documents", document)).toEqual([]);
    expect(await warnings("POST", "/v3/documents", { ...searchable, customId: "none", facts: [] })).toEqual([]);
  });

  test("are named in the receipt of a batch", async () => {
    const sent = { documents: [document, { ...document, taskType: "superrag" }] };
    const { body } = await rest.send("POST", "/v3/documents/batch", sent);
    expect(body.results.map((item: { warnings?: unknown }) => item.warnings)).toEqual([undefined, told]);
  });

  test("are named when a container takes no memories from the path", async () => {
    await rest.send("PATCH", "/v3/container-tags/paths", { memoryFilesystemPaths: ["/notes/"] });
    const elsewhere = { ...document, containerTag: "paths", filepath: "/logs/a.md" };
    expect(await warnings("POST", "/v3/documents", elsewhere)).toEqual(told);
    expect(await warnings("POST", "/v3/documents", { ...elsewhere, filepath: "/notes/a.md" })).toEqual([]);
  });
});

describe("a reason for forgetting", () => {
  test.each([
    ["DELETE", "/v4/memories"],
    ["POST", "/v3/memories/forget"],
  ])("is named by %s %s when a document was deleted, which records none", async (method, path) => {
    const named = { containerTag: "reasons", reason: "It is over" };
    const add = () => rest.send("POST", "/v3/documents", { content: "Mia keeps bees.", containerTag: "reasons" });
    const { id } = (await add()).body;
    await rest.settle();
    expect(await warnings(method, path, { ...named, id })).toEqual([
      "reason: has no effect: the id names a document, and deleting one records no reason",
    ]);
    const { id: other } = (await add()).body;
    expect(await warnings(method, path, { containerTag: "reasons", id: other })).toEqual([]);
    await rest.send("POST", "/v4/memories", { containerTag: "reasons", memories: [{ content: "Mia likes tea" }] });
    expect(await warnings(method, path, { ...named, content: "Mia likes tea" })).toEqual([]);
  });
});

test("a customId that differs from the conversationId is named", async () => {
  const chat = {
    conversationId: "chat",
    messages: [
      { role: "user", content: "I keep bees." },
      { role: "user", content: "I sell honey." },
    ],
    containerTag: "chat",
  };
  const told = ["customId: has no effect: the conversation is stored as conversationId chat"];
  expect(await warnings("POST", "/v4/conversations", { ...chat, customId: "other" })).toEqual(told);
  expect(await warnings("POST", "/v4/conversations", { ...chat, customId: "chat" })).toEqual([]);
});

describe("a search names the fields that its mode does not use", () => {
  const MEMORIES = 'has no effect with searchMode "memories" unless include.chunks is true';
  const NEIGHBOURS = 'onlyMatchingChunks: has no effect with searchMode "memories"';
  const DOCUMENTS = 'has no effect with searchMode "documents"';
  const CASES: readonly (readonly [Body, readonly string[]])[] = [
    [{ searchMode: "memories", chunkThreshold: 0.5 }, [`chunkThreshold: ${MEMORIES}`]],
    [{ searchMode: "memories", documentThreshold: 0.5 }, [`documentThreshold: ${MEMORIES}`]],
    [{ searchMode: "memories", onlyMatchingChunks: false }, [NEIGHBOURS]],
    [{ searchMode: "memories", chunkThreshold: 0.5, include: { chunks: true } }, []],
    [{ searchMode: "memories", onlyMatchingChunks: true, aggregate: true, include: { relatedMemories: true } }, []],
    [{ searchMode: "documents", aggregate: true }, [`aggregate: ${DOCUMENTS}`]],
    [{ searchMode: "documents", include: { chunks: true } }, [`include.chunks: ${DOCUMENTS}`]],
    [{ searchMode: "documents", include: { relatedMemories: true } }, [`include.relatedMemories: ${DOCUMENTS}`]],
    [{ searchMode: "documents", aggregate: false, include: { chunks: false }, chunkThreshold: 0.5 }, []],
    [{ chunkThreshold: 0.5, onlyMatchingChunks: false, aggregate: true, include: { relatedMemories: true } }, []],
    [
      { include: { chunks: true }, onlyMatchingChunks: false },
      ["onlyMatchingChunks: has no effect with include.chunks"],
    ],
  ];
  test.each(CASES)("%j", async (fields, told) => {
    expect(await warnings("POST", "/v4/search", { q: "bees", ...fields })).toEqual(told);
  });

  test("and so it does when the mode is that of the server", async () => {
    const byMemories = await openRest({ asOwner: true, settings: { RECOLLECT_SEARCH_MODE: "memories" } });
    const { body } = await byMemories.send("POST", "/v4/search", { q: "bees", chunkThreshold: 0.5 });
    await byMemories.close();
    expect(body.warnings).toEqual([`chunkThreshold: ${MEMORIES}`]);
  });

  test("but not include.summaries, which shows documents with their summaries by itself", async () => {
    const { body } = await rest.send("POST", "/v4/search", { q: "Mia bees", include: { summaries: true } });
    expect(body.results[0].documents[0]).toHaveProperty("summary");
    expect(body.warnings).toBeUndefined();
  });
});

test("a profile names buckets that it does not include", async () => {
  const profile = { containerTag: "bees", buckets: ["none"] };
  const told = ["buckets: has no effect: include does not name buckets"];
  expect(await warnings("POST", "/v4/profile", { ...profile, include: ["static"] })).toEqual(told);
  expect(await warnings("POST", "/v4/profile", { ...profile, include: ["buckets"] })).toEqual([]);
  expect(await warnings("POST", "/v4/profile", profile)).toEqual([]);
});
