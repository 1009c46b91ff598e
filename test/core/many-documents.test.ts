import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { BatchReceipt, Call, Core } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openCore } from "../support/open-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;
let onlyA: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
  onlyA = opened.call(["a"]);
});
afterEach(() => opened.close());

const add = async (input: Record<string, unknown>) =>
  (await core.addDocument(call, { content: "Words to keep.", containerTags: ["a"], ...input })).id;
const list = async (input: Record<string, unknown> = {}, by = call) =>
  (await core.listDocuments(by, { limit: 1_000, ...input })).documents;
const idsOf = ({ items }: BatchReceipt) => items.map(({ id }) => id);

describe("a batch of documents", () => {
  test("is done once, however often the call is repeated", async () => {
    const documents = Array.from({ length: 250 }, (_, index) => ({ content: `Number ${index}.` }));
    const repeated = { ...call, operationId: createId() };
    const first = await core.addDocuments(repeated, { documents, containerTag: "a" });
    const second = await core.addDocuments(repeated, { documents, containerTag: "a" });
    expect(second).toEqual(first);
    expect(new Set(idsOf(first)).size).toBe(250);
    expect(await list()).toHaveLength(250);
  });

  test("keeps the other documents when one is rejected while writing", async () => {
    const documents = Array.from({ length: 120 }, (_, index) => ({
      content: `Number ${index}.`,
      ...(index === 60 && { facts: [{ text: "A fact.", updates: "nothing" }], customId: "refused" }),
    }));
    const { items } = await core.addDocuments(call, { documents, containerTag: "a" });
    expect(items.filter((item) => "error" in item)).toEqual([
      { id: "refused", error: expect.stringContaining("facts.0.updates: there is no memory nothing") },
    ]);
    expect(items[60]).toHaveProperty("error");
    expect(await list()).toHaveLength(119);
  });

  test("is processed oldest document first", async () => {
    await opened.close();
    opened = await openManualCore({ jobs: false });
    await opened.core.updateContainer(opened.call(), { containerTag: "a", timezone: "Pacific/Auckland" });
    await opened.core.addDocuments(opened.call(), {
      containerTag: "a",
      documents: [
        { content: "now", customId: "now" },
        { content: "2024 in Greenwich", customId: "2024 in Greenwich", documentDate: "2024-01-01T00:00:00Z" },
        { content: "2024", customId: "2024", documentDate: "2024-01-01T09:00" },
        { content: "2020", customId: "2020", documentDate: "2020-01-01" },
      ],
    });
    const jobs = await opened.store.jobs.claim("worker", 10, 60_000);
    const documents = await Promise.all(
      jobs.map(async ({ payload }) =>
        opened.store.documents.byId(opened.store.organizationId, (payload as { documentId: string }).documentId),
      ),
    );
    expect(documents.map((document) => document?.customId)).toEqual(["2020", "2024", "2024 in Greenwich", "now"]);
  });

  test("that names a container the caller may not use is rejected as a whole", async () => {
    const documents = ["Mine.", { content: "x", containerTag: "b" }];
    await expect(core.addDocuments(onlyA, { containerTag: "a", documents })).rejects.toMatchObject({
      kind: "forbidden",
      message: expect.stringContaining("may not use the container b"),
    });
    expect((await core.listDocuments(call, {})).total).toBe(0);
  });

  test("leaves a document of other containers unchanged, and adds the rest", async () => {
    await add({ customId: "shared", content: "Shared.", containerTags: ["a", "b"] });
    const { items } = await core.addDocuments(onlyA, {
      containerTag: "a",
      documents: ["Mine.", { content: "Stolen.", customId: "shared" }],
    });
    expect(items.map((item) => "error" in item)).toEqual([false, true]);
    expect((await core.getDocument(call, { id: "shared" })).document.content).toBe("Shared.");
  });

  test("for a store that is already full is rejected, and nothing is stored", async () => {
    const small = await openCore({ settings: { RECOLLECT_MAX_STORE_MEGABYTES: "1" } });
    try {
      const documents = Array.from({ length: 20 }, (_, index) => `${index} ${"words ".repeat(30_000)}`);
      const refused = await small.core
        .addDocuments({ actor: small.actor }, { documents })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(AppError);
      expect(refused).toMatchObject({ kind: "storage_full" });
      expect((await small.core.listDocuments({ actor: small.actor }, {})).total).toBe(0);
    } finally {
      await small.close();
    }
  });

  test("that fills the store midway reports what was stored and what was not", async () => {
    const small = await openCore({ settings: { RECOLLECT_MAX_STORE_MEGABYTES: "9", RECOLLECT_CONCURRENCY: "1" } });
    try {
      const documents = Array.from({ length: 20 }, (_, index) => `${index} ${"words ".repeat(170_000)}`);
      const { items } = await small.core.addDocuments({ actor: small.actor }, { documents });
      const kept = items.filter((item) => "status" in item);
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.length).toBeLessThan(20);
      const listed = await small.core.listDocuments({ actor: small.actor }, { limit: 100 });
      expect(new Set(listed.documents.map(({ id }) => id))).toEqual(new Set(kept.map(({ id }) => id)));
    } finally {
      await small.close();
    }
  });
});

describe("deleting many documents", () => {
  test("returns the first response to a repeated call", async () => {
    for (let index = 0; index < 45; index += 1) await add({ content: `Number ${index}.` });
    const repeated = { ...call, operationId: createId() };
    const first = await core.deleteDocuments(repeated, { containerTags: ["a"] });
    expect(first.deletedCount).toBe(45);
    const later = await add({ content: "Added in between." });
    expect(await core.deleteDocuments(repeated, { containerTags: ["a"] })).toEqual(first);
    expect((await list()).map(({ id }) => id)).toEqual([later]);
  });

  test("leaves nothing of a document that is in no other container", async () => {
    // Questions state nothing: statements would be forgotten but stay in the record.
    await add({ content: "Do zebras sleep in Timbuktu?", customId: "zebra" });
    await add({ content: "Do zebras sleep in Tunis?", customId: "zebra" });
    await opened.settle();
    await core.deleteDocuments(call, { containerTags: ["a"] });
    expect(await opened.rowCounts()).toMatchObject({
      documents: 0,
      chunks: 0,
      vectors: 0,
      document_containers: 0,
      document_revisions: 0,
      memory_sources: 0,
      jobs: 0,
    });
  });

  test("keeps the memories that a document states in its other containers", async () => {
    const id = await add({
      content: "Ada lives in Lisbon.",
      containerTags: ["a", "b"],
      facts: [{ text: "Ada lives in Lisbon." }],
    });
    await opened.settle();
    const memories = async (tag: string) =>
      (await opened.store.memories.active(opened.store.organizationId, tag, { limit: 10 })).map(({ text }) => text);
    const inB = await memories("b");
    expect(await memories("a")).toEqual(["Ada lives in Lisbon."]);
    expect(await core.deleteDocuments(call, { containerTags: ["a"] })).toMatchObject({ deletedCount: 1 });
    expect(await memories("a")).toEqual([]);
    expect(await memories("b")).toEqual(inB);
    expect((await core.getDocument(call, { id })).document.containerTags).toEqual(["b"]);
  });

  test("keeps a memory stated by another document of the container, until that is deleted too", async () => {
    const facts = [{ text: "Bob paints houses." }];
    const only = await add({ content: "Bob paints houses, says one.", containerTags: ["a", "b"], facts });
    await opened.settle();
    await add({ content: "Bob paints houses, says another.", containerTags: ["a", "c"], facts, filepath: "/two.md" });
    await opened.settle();
    const memories = async () =>
      (await opened.store.memories.active(opened.store.organizationId, "a", { limit: 10 })).map(({ text }) => text);
    expect(await memories()).toEqual(["Bob paints houses."]);
    await core.deleteDocuments(call, { containerTags: ["a"], filepath: "/two.md" });
    expect(await memories()).toEqual(["Bob paints houses."]);
    await core.deleteDocuments(call, { containerTags: ["a"] });
    expect(await memories()).toEqual([]);
    expect((await core.getDocument(call, { id: only })).document.containerTags).toEqual(["b"]);
  });

  test("affects nothing outside the caller's containers", async () => {
    const mine = await add({ content: "Mine." });
    const theirs = await add({ content: "Theirs.", containerTags: ["b"], customId: "theirs" });
    const shared = await add({ content: "Shared.", containerTags: ["a", "b"] });
    const { memories } = await core.createMemories(call, { containerTag: "b", memories: [{ content: "Their fact." }] });
    const memory = memories[0]?.id ?? "";
    await expect(core.deleteDocuments(onlyA, { containerTags: ["a", "b"] })).rejects.toMatchObject({
      kind: "forbidden",
    });
    const answer = await core.deleteDocuments(onlyA, { ids: [mine, theirs, "theirs", shared, memory] });
    expect(answer.removed).toEqual([{ id: mine, kind: "document", statedIn: [] }]);
    expect(answer.errors).toMatchObject([
      { id: theirs, error: `Document not found: ${theirs}` },
      { id: "theirs", error: "Document not found: theirs" },
      { id: shared, error: expect.stringContaining("is also in other containers") },
      { id: memory, error: `Document not found: ${memory}` },
    ]);
    await expect(core.getDocument(onlyA, { id: memory })).rejects.toThrow(/^Document not found: \w+$/);
    await expect(core.deleteDocument(onlyA, { id: memory })).rejects.toMatchObject({ kind: "not_found" });
    expect(await core.deleteDocuments(onlyA, { containerTags: ["a"] })).toMatchObject({ deletedCount: 1 });
    expect((await core.getDocument(call, { id: shared })).document.containerTags).toEqual(["b"]);
    expect((await core.getDocument(call, { id: theirs })).document.content).toBe("Theirs.");
  });
});

describe("the chunks of a document", () => {
  test("are returned in order, by id or customId, and are those of the old text until the new one is split", async () => {
    await opened.hold();
    const id = await add({ content: "First words.", customId: "cut" });
    expect(await core.getChunks(call, { id })).toEqual({ documentId: id, chunks: [] });
    await opened.settle();
    const before = await core.getChunks(call, { id: "cut" });
    expect(before).toMatchObject({ documentId: id, chunks: [{ position: 0, content: "First words.", type: "text" }] });
    await opened.hold();
    await add({ content: `${"A sentence of some words. ".repeat(400)}`, customId: "cut" });
    expect(await core.getChunks(call, { id })).toEqual(before);
    await opened.settle();
    const { chunks } = await core.getChunks(call, { id });
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_chunk, index) => index));
  });

  test("are not found for an unknown document or one of other containers", async () => {
    const id = await add({ containerTags: ["b"] });
    for (const unknown of ["nobody", createId()])
      await expect(core.getChunks(call, { id: unknown })).rejects.toThrow(`Document not found: ${unknown}`);
    await expect(core.getChunks(onlyA, { id })).rejects.toMatchObject({ kind: "not_found" });
  });
});
