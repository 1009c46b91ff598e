import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCore, type Call, type Core } from "../../src/core/index.js";
import { unitOf } from "../../src/core/types.js";
import { buildChunkDrafts, buildDocumentDraft } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

/** A document with exactly these chunks, searchable by their words. */
async function addChunks(texts: readonly string[], values: Parameters<typeof buildDocumentDraft>[0] = {}) {
  const { store } = opened;
  const draft = buildDocumentDraft({ content: texts.join("\n\n"), status: "done", dreamingStatus: "done", ...values });
  const document = await store.documents.insert(store.organizationId, draft);
  const chunks = await store.chunks.replace(store.organizationId, document.id, 1, buildChunkDrafts(...texts));
  const containers = await store.containers.ofDocument(store.organizationId, document.id);
  for (const chunk of chunks)
    await store.units.indexText({
      unit: unitOf("chunk", chunk.seq),
      containerIds: containers.map(({ id }) => id),
      text: chunk.content,
      context: "",
    });
  return document.id;
}
const search = (q: string, more: Record<string, unknown> = {}) =>
  core.searchDocuments(call, { q, containerTags: ["a"], ...more });
const ids = async (q: string, more: Record<string, unknown> = {}) =>
  (await search(q, more)).results.map(({ document }) => document.id);

describe("a search for documents", () => {
  test("finds every document once, with its matching chunks, best first", async () => {
    const bees = await addChunks(["Bees live in hives.", "Hives of bees stand on the roof.", "The cat sleeps."]);
    const honey = await addChunks(["Honey comes from bees."]);
    await addChunks(["The train leaves at noon."]);
    const { results } = await search("bees hives");
    expect(results.map(({ document }) => document.id)).toEqual([bees, honey]);
    expect(results[0]?.chunks.map(({ position }) => position).toSorted()).toEqual([0, 1]);
    for (const { score, chunks } of results) {
      expect(score).toBe(chunks[0]?.score);
      const scores = chunks.map((chunk) => chunk.score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      for (const chunk of chunks) expect(chunk.isRelevant).toBe(true);
    }
  });

  test("orders documents by their best chunks in a search for chunks", async () => {
    for (const place of ["roof", "garden", "market", "city", "forest"])
      await addChunks([`Bees live on the ${place}.`, `Somebody in the ${place} sells honey from hives of bees.`]);
    const q = "who sells the honey of the bees from the market";
    const { results } = await core.search(call, { q, containerTags: ["a"], searchMode: "documents", threshold: 0 });
    const inOrder = [...new Set(results.flatMap(({ documents }) => documents.map(({ id }) => id)))];
    expect(inOrder).toHaveLength(5);
    expect(await ids(q)).toEqual(inOrder);
  });

  test("counts documents for the limit, however many chunks of the best one match", async () => {
    const best = await addChunks(Array.from({ length: 600 }, (_, n) => `Bees, bees and bees in hive number ${n}.`));
    const others = [];
    for (let n = 0; n < 12; n++) others.push(await addChunks([`Note ${n} on the weather, with one word about bees.`]));
    const found = await ids("bees");
    expect(found).toHaveLength(10);
    expect(found[0]).toBe(best);
    expect(new Set(found).size).toBe(10);
    for (const id of found.slice(1)) expect(others).toContain(id);
    expect(await ids("bees", { limit: 100 })).toHaveLength(13);
    expect(await ids("bees", { limit: 1 })).toEqual([best]);
  });

  test("drops chunks below chunkThreshold, and documents without any left", async () => {
    const bees = await addChunks(["Bees live in hives on the roof.", "A word on hives."]);
    await addChunks(["The roof is red and was mended by a roofer from the next village last May."]);
    const all = await search("bees live in hives on the roof");
    expect(all.results).toHaveLength(2);
    const best = all.results[0]?.score ?? 0;
    const { results } = await search("bees live in hives on the roof", { chunkThreshold: best });
    expect(results.map(({ document }) => document.id)).toEqual([bees]);
    expect(results[0]?.chunks).toHaveLength(1);
    expect(results[0]?.score).toBeGreaterThanOrEqual(best);
  });

  test("finds no memories", async () => {
    await core.createMemories(call, { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
    expect(await ids("bees")).toEqual([]);
  });
});

describe("the context of a match", () => {
  test("includes the previous and the next chunk, in text order, marked as not relevant", async () => {
    const texts = ["First words.", "Second words.", "The bees swarm.", "Fourth words.", "Fifth words."];
    await addChunks(texts);
    const [result] = (await search("bees swarm", { includeNeighbours: true })).results;
    expect(result?.chunks.map(({ position, isRelevant }) => [position, isRelevant])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    expect(result?.chunks.map(({ content }) => content)).toEqual(texts.slice(1, 4));
    expect(result?.score).toBe(result?.chunks[1]?.score);
  });

  test("ends at the document boundary, and lists a chunk that matches itself once", async () => {
    await addChunks(["Bees here.", "More bees.", "Nothing."]);
    const [result] = (await search("bees", { includeNeighbours: true })).results;
    expect(result?.chunks.map(({ position, isRelevant }) => [position, isRelevant])).toEqual([
      [0, true],
      [1, true],
      [2, false],
    ]);
  });

  test("includes the whole text only on request", async () => {
    await addChunks(["Bees here.", "More of it."]);
    expect((await search("bees")).results[0]).not.toHaveProperty("content");
    expect((await search("bees", { includeContent: true })).results[0]?.content).toBe("Bees here.\n\nMore of it.");
  });
});

describe("a search can be limited", () => {
  test("to one document by id or customId; an unknown one is not found", async () => {
    const one = await addChunks(["Bees in the garden."], { customId: "garden/bees" });
    await addChunks(["Bees in the city."]);
    expect(await ids("bees", { documentId: one })).toEqual([one]);
    expect(await ids("bees", { documentId: "garden/bees" })).toEqual([one]);
    for (const documentId of ["nowhere", "9TbHwQe5RrPz3JmKx6VnCa"])
      await expect(search("bees", { documentId })).rejects.toMatchObject({ kind: "not_found" });
    await expect(core.searchDocuments(opened.call(["b"]), { q: "bees", documentId: one })).rejects.toMatchObject({
      kind: "not_found",
    });
  });

  test("to documents with any of the tags, or all of them", async () => {
    const both = await addChunks(["Bees in both."], { containerTags: ["a", "b"] });
    const first = await addChunks(["Bees in the first."], { containerTags: ["a"] });
    const find = async (more: Record<string, unknown>) =>
      new Set(await ids("bees", { containerTags: ["a", "b"], ...more }));
    expect(await find({})).toEqual(new Set([both, first]));
    expect(await find({ operator: "all" })).toEqual(new Set([both]));
    expect(await find({ operator: "all", q: "*" })).toEqual(new Set([both]));
    expect(await find({ operator: "all", containerTags: ["a", "a"] })).toEqual(new Set([both, first]));
    for (const q of ["bees", "*"])
      expect(await find({ operator: "all", q, containerTags: ["a", "unknown"] })).toEqual(new Set());
  });

  test("by metadata, path and end user, all combined", async () => {
    const mine = await addChunks(["Bees one."], { metadata: { endUserId: "u1", team: "red" }, filepath: "/x/1.md" });
    await addChunks(["Bees two."], { metadata: { endUserId: "u2", team: "red" }, filepath: "/x/2.md" });
    await addChunks(["Bees three."], { metadata: { endUserId: "u1" }, filepath: "/y/3.md" });
    const filters = { AND: [{ key: "team", value: "red" }] };
    for (const q of ["bees", "*"]) {
      expect(await ids(q, { filters, endUserId: "u1" })).toEqual([mine]);
      expect(await ids(q, { filepath: "/x/", endUserId: "u1" })).toEqual([mine]);
      expect(await ids(q, { endUserId: "u3" })).toEqual([]);
    }
  });
});

describe("the query *", () => {
  test("finds every document, last changed first, with its first chunks", async () => {
    const old = await addChunks(["Old."]);
    opened.clock.advance(1_000);
    const young = await addChunks(Array.from({ length: 30 }, (_, n) => `Part ${n}.`));
    opened.clock.advance(1_000);
    await addChunks(["Elsewhere."], { containerTags: ["b"] });
    const { results } = await search(" * ");
    expect(results.map(({ document, score }) => [document.id, score])).toEqual([
      [young, 1],
      [old, 1],
    ]);
    expect(results[0]?.chunks.map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, n) => `Part ${n}.`),
    );
    expect(await ids("*", { limit: 1 })).toEqual([young]);
    expect(await ids("*", { documentId: old })).toEqual([old]);
    await opened.store.documents.update(opened.store.organizationId, old, { title: "Changed" });
    expect(await ids("*")).toEqual([old, young]);
  });

  test("finds only what the caller may see", async () => {
    const mine = await addChunks(["Apples."]);
    const shared = await addChunks(["Pears."], { containerTags: ["a", "b"] });
    await addChunks(["Plums."], { containerTags: ["b"] });
    for (const q of ["*", "apples pears plums"]) {
      const { results } = await core.searchDocuments(opened.call(["a"]), { q, includeContent: true });
      expect(new Set(results.map(({ document }) => document.id))).toEqual(new Set([mine, shared]));
      expect(JSON.stringify(results)).not.toContain('"b"');
    }
    expect((await core.searchDocuments(opened.call([]), { q: "*" })).results).toEqual([]);
    await expect(core.searchDocuments(opened.call(["a"]), { q: "*", containerTags: ["b"] })).rejects.toMatchObject({
      kind: "forbidden",
    });
  });
});

test("a document deleted during the search is left out", async () => {
  const gone = await addChunks(["Bees in May."]);
  const { store } = opened;
  const documents = withMethods(store.documents, {
    headsByIds: async (organizationId: string, wanted: readonly string[]) => {
      await store.documents.remove(organizationId, gone);
      return store.documents.headsByIds(organizationId, wanted);
    },
  });
  const interrupted = createCore({ ...opened.context, store: { ...store, documents } });
  expect((await interrupted.searchDocuments(call, { q: "bees" })).results).toEqual([]);
});
