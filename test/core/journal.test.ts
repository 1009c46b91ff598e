import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core, Undone } from "../../src/core/index.js";
import type { Memory, MemoryDraft } from "../../src/core/types.js";
import { unitOf } from "../../src/core/types.js";
import { noteMemory } from "../../src/core/memories/memory-state.js";
import { createId } from "../../src/lib/ids.js";
import { buildMemoryDraft, FIRST_VERSION } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const call = () => opened.call();
const journal = async (query: Record<string, unknown> = {}) => (await core.listJournal(call(), query)).items;
const newestBatch = async (): Promise<string> => (await journal({ limit: 1 }))[0]?.batchId ?? "";
const undo = async (batchId: string): Promise<Undone> => core.undoBatch(call(), { batchId });
const undoNewest = async (): Promise<Undone> => undo(await newestBatch());
const refusal = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (error: unknown) => error,
  );

const remember = async (content: string, more: Record<string, unknown> = {}, containerTag = "a"): Promise<Memory> => {
  const created = await core.createMemories(call(), { containerTag, memories: [{ content, ...more }] });
  const [memory] = created.memories;
  if (!memory) throw new Error("nothing was created");
  return memory;
};
const update = async (id: string, newContent: string, more: Record<string, unknown> = {}): Promise<Memory> =>
  core.updateMemory(call(), { containerTag: "a", id, newContent, ...more });
const forget = async (...ids: string[]) => core.forget(call(), { ids });
/** A guess as the extraction creates it. */
const infer = async (values: Partial<MemoryDraft> = {}): Promise<Memory> => {
  const { store } = opened;
  const draft = buildMemoryDraft({ isInference: true, ...values });
  const [container] = await store.containers.ensure(store.organizationId, ["a"]);
  const memory = await store.memories.insert(store.organizationId, draft, FIRST_VERSION);
  const entry = { unit: unitOf("memory", memory.seq), containerIds: [container?.id ?? 0], text: memory.text };
  await store.units.indexText({ ...entry, context: "" });
  return memory;
};

/** The memory without the time of its last change. */
const read = async (id: string) => {
  const memory = await opened.store.memories.byId(opened.store.organizationId, id);
  if (!memory) throw new Error(`no memory ${id}`);
  const { updatedAt: _updatedAt, ...rest } = memory;
  return rest;
};
const active = async (containerTag = "a"): Promise<string[]> => {
  const { store } = opened;
  const memories = await store.memories.active(store.organizationId, containerTag, { limit: 1_000 });
  return memories.map(({ text }) => text).toSorted();
};
const found = async (q: string, containerTag = "a"): Promise<string[]> => {
  const answer = await core.search(call(), { q, searchMode: "memories", containerTags: [containerTag], threshold: 0 });
  return answer.results.map(({ text }) => text);
};

describe("undo and redo of", () => {
  test("a new memory forgets it, and restores it", async () => {
    const { id } = await remember("Ada keeps bees");
    const before = await read(id);
    const undone = await undoNewest();
    expect(undone).toEqual({ batchId: await newestBatch(), undone: 1, skipped: [] });
    expect(await found("Ada keeps bees")).toEqual([]);
    expect(await read(id)).toMatchObject({
      isForgotten: true,
      forgetReason: expect.stringMatching(/^undo of \w{22}$/),
    });
    await undo(undone.batchId);
    expect(await read(id)).toEqual(before);
    expect(await found("Ada keeps bees")).toEqual(["Ada keeps bees"]);
  });

  test("an update restores the version before, which is immediately searchable", async () => {
    const first = await remember("Ada lives in Rome");
    const second = await update(first.id, "Ada lives in Bonn", { metadata: { sure: true } });
    const before = [await read(first.id), await read(second.id)];
    const undone = await undoNewest();
    expect(await found("Where does Ada live?")).toEqual(["Ada lives in Rome"]);
    expect(await read(first.id)).toMatchObject({ isLatest: true, isForgotten: false });
    expect(await read(second.id)).toMatchObject({ isLatest: false, isForgotten: true });
    expect(await vectorsOf(first, second)).toEqual([1, 0]);
    await undo(undone.batchId);
    expect([await read(first.id), await read(second.id)]).toEqual(before);
    expect(await found("Where does Ada live?")).toEqual(["Ada lives in Bonn"]);
    expect(await vectorsOf(first, second)).toEqual([0, 1]);
  });

  test("an update that changed only metadata", async () => {
    const first = await remember("Ada lives in Rome", { metadata: { sure: false } });
    await update(first.id, "Ada lives in Rome", { metadata: { sure: true } });
    const { batchId } = await undoNewest();
    const metadata = async () =>
      (await core.listMemories(call(), { containerTags: ["a"] })).entries[0]?.memory.metadata;
    expect(await metadata()).toEqual({ sure: false });
    await undo(batchId);
    expect(await metadata()).toEqual({ sure: true });
  });

  test("an update, after which a new update starts from the restored version", async () => {
    const first = await remember("Ada lives in Rome");
    await update(first.id, "Ada lives in Bonn");
    const undone = await undoNewest();
    const third = await update(first.id, "Ada lives in Oslo");
    expect(third).toMatchObject({ parentId: first.id, isLatest: true });
    expect(await active()).toEqual(["Ada lives in Oslo"]);
    expect(await refusal(undo(undone.batchId))).toMatchObject({ kind: "conflict" });
    const { entries } = await core.listMemories(call(), { containerTags: ["a"] });
    expect(entries[0]?.history.map(({ text }) => text)).toEqual(["Ada lives in Rome"]);
  });

  test("an update that merged another memory", async () => {
    const rome = await remember("Ada sings about Rome");
    const bonn = await remember("Ada sings about Bonn");
    const merged = await update(rome.id, "Ada sings about Bonn");
    const ids = [rome.id, bonn.id, merged.id];
    const before = await Promise.all(ids.map(read));
    const undone = await undoNewest();
    expect(undone).toMatchObject({ undone: 2, skipped: [] });
    expect(await active()).toEqual(["Ada sings about Bonn", "Ada sings about Rome"]);
    expect(await read(bonn.id)).toMatchObject({ isForgotten: false });
    await undo(undone.batchId);
    expect(await Promise.all(ids.map(read))).toEqual(before);
  });

  test("a repeated statement: strength, metadata, expiry and source", async () => {
    const first = await remember("Ada keeps bees", { metadata: { n: 1 }, forgetAfter: "2999-01-01T00:00:00Z" });
    const before = await read(first.id);
    await remember("Ada keeps bees", { metadata: { m: 2 }, isStatic: true });
    const after = await read(first.id);
    expect(after).toMatchObject({ strength: 2, sourceCount: 2, isStatic: true, forgetAfter: null });
    const undone = await undoNewest();
    expect(await read(first.id)).toEqual(before);
    await undo(undone.batchId);
    expect(await read(first.id)).toEqual(after);
  });

  test("a repeated statement, including the quote of its source and the position", async () => {
    const { id } = await remember("Ada keeps bees");
    const letter = { content: "She keeps bees.", containerTags: ["a"], taskType: "superrag" };
    const { id: documentId } = await core.addDocument(call(), letter);
    const { organizationId, journal, memories } = opened.store;
    const quote = { text: "keeps bees", at: { start: 4, end: 14 } };
    await memories.addSource(organizationId, id, documentId, quote);
    const memory = await memories.byId(organizationId, id);
    if (!memory) throw new Error("the memory is gone");
    const noted = { batchId: createId(), action: "memory.strengthened", cause: null };
    const linked = [{ documentId, quote: quote.text }];
    await noteMemory({ journal, memories }, call().actor, { ...noted, linked }, { before: memory, after: memory });
    const before = await memories.statements(organizationId, [id]);
    const { batchId } = await undo(noted.batchId);
    expect(await memories.statements(organizationId, [id])).toHaveLength(1);
    await undo(batchId);
    expect(await memories.statements(organizationId, [id])).toEqual(before);
    expect(before.find((statement) => statement.documentId === documentId)).toMatchObject({
      quote: "keeps bees",
      quoteAt: { start: 4, end: 14 },
    });
  });

  test("a repeated statement, without a link to a document deleted since", async () => {
    const first = await remember("Ada keeps bees");
    const again = await core.createMemories(call(), { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
    const undone = await undoNewest();
    await core.deleteDocument(call(), { id: again.documentId });
    await undo(undone.batchId);
    expect(await read(first.id)).toMatchObject({ strength: 2, sourceCount: 1 });
  });

  test("forgetting several ids in one call", async () => {
    const memories = [await remember("Ada keeps bees"), await remember("Ada sells honey")];
    const ids = memories.map(({ id }) => id);
    await forget(...ids);
    const undone = await undoNewest();
    expect(undone.undone).toBe(2);
    expect(await active()).toEqual(["Ada keeps bees", "Ada sells honey"]);
    expect(await found("honey")).toContain("Ada sells honey");
    expect((await core.profile(call(), { containerTag: "a" })).dynamic).toHaveLength(2);
    await undo(undone.batchId);
    expect(await active()).toEqual([]);
    expect(await found("honey")).toEqual([]);
    expect((await core.profile(call(), { containerTag: "a" })).dynamic).toEqual([]);
  });

  test("forget-matching, by the batch id it returned, including its mark in the metadata", async () => {
    const { id } = await remember("Ada keeps bees", { metadata: { n: 1 } });
    const { forgetBatchId } = await core.forgetMatching(call(), { containerTag: "a", query: "bees" });
    expect((await undo(forgetBatchId ?? "")).undone).toBe(1);
    expect(await read(id)).toMatchObject({ isForgotten: false, metadata: { n: 1 } });
  });

  test("memories forgotten with their document, which stays deleted", async () => {
    const { id } = await core.addDocument(call(), {
      content: "A note.",
      containerTags: ["a"],
      facts: [{ text: "Ada keeps bees" }],
      wait: 20,
    });
    await opened.settle();
    await core.deleteDocument(call(), { id });
    const undone = await undoNewest();
    expect(undone.undone).toBe(1);
    expect(undone.skipped).toEqual([
      {
        memoryId: null,
        reason: expect.stringMatching(/^document\.deleted of document \w{22} is not a change to a memory/),
      },
    ]);
    expect(await active()).toEqual(["Ada keeps bees"]);
  });

  test.each(["approve", "decline"])("a review: %s", async (action) => {
    const { id } = await infer({ text: "Ada may like tea", metadata: { n: 1 } });
    const before = await read(id);
    await core.reviewInferred(call(), { containerTag: "a", id, action });
    const after = await read(id);
    const { batchId } = await undoNewest();
    expect(await read(id)).toEqual(before);
    expect(await core.listInferred(call(), { containerTag: "a" })).toHaveLength(1);
    expect(await found("tea")).toEqual(["Ada may like tea"]);
    await undo(batchId);
    expect(await read(id)).toEqual(after);
  });

  test("all facts of one document", async () => {
    const { id } = await remember("Ada sells honey");
    const facts = ["Ada keeps bees", "Ada sells honey", "Ada lives in Rome"].map((text) => ({ text }));
    await core.addDocument(call(), { content: "A note.", containerTags: ["a"], facts, wait: 20 });
    await opened.settle();
    expect(await undoNewest()).toMatchObject({ undone: 3, skipped: [] });
    expect(await active()).toEqual(["Ada sells honey"]);
    expect(await read(id)).toMatchObject({ strength: 1, sourceCount: 1 });
  });
});

/** How many vectors each memory has. */
async function vectorsOf(...memories: readonly Memory[]): Promise<number[]> {
  const lines = (await opened.everything()).split("\n");
  const vectors = lines.find((line) => line.startsWith("vectors:"))?.slice("vectors:".length) ?? "[]";
  const rows = JSON.parse(vectors) as { unit: number }[];
  return memories.map(({ seq }) => rows.filter(({ unit }) => unit === unitOf("memory", seq)).length);
}

describe("cannot be undone:", () => {
  test.each<[string, (memory: Memory) => Promise<unknown>, RegExp]>([
    [
      "repeated",
      () => remember("Ada keeps bees"),
      /it has been changed since \(memory\.strengthened in batch \w{22}\)/,
    ],
    ["updated", ({ id }) => update(id, "Ada keeps goats"), /a newer version has taken its place/],
    ["forgotten", ({ id }) => forget(id), /it has been changed since \(memory\.forgotten/],
    [
      "deleted with its container",
      () => core.deleteContainer(call(), { containerTag: "a" }),
      /its container was deleted/,
    ],
    [
      "deleted with its container, whose tag is used again",
      async () => {
        await core.deleteContainer(call(), { containerTag: "a" });
        await remember("Ada sells honey");
      },
      /its container was deleted/,
    ],
  ])("a new memory that was %s since; nothing changes", async (_name, change, reason) => {
    const memory = await remember("Ada keeps bees");
    const batchId = await newestBatch();
    await change(memory);
    await opened.settle();
    const before = await opened.everything();
    const error = await refusal(undo(batchId));
    expect(error).toMatchObject({ kind: "conflict", retryAfter: undefined, message: expect.stringMatching(reason) });
    expect(await opened.everything()).toBe(before);
  });

  test("forgetting a memory whose text is known again", async () => {
    const { id } = await remember("Ada keeps bees");
    await forget(id);
    const batchId = await newestBatch();
    const again = await remember("Ada keeps bees");
    const message = `Nothing of batch ${batchId} can be undone: memory ${id}: memory ${again.id} now says the same.`;
    expect(await refusal(undo(batchId))).toMatchObject({ kind: "conflict", message });
  });

  test("forgetting a memory that has expired since", async () => {
    const forgetAfter = opened.clock.from(60_000).toISOString();
    const { id } = await remember("Ada has an exam", { forgetAfter });
    await forget(id);
    opened.clock.advance(61_000);
    expect(await refusal(undoNewest())).toMatchObject({ message: expect.stringContaining("it expired at") });
  });

  test("part of a batch, while the rest is undone", async () => {
    const [bees, honey] = [await remember("Ada keeps bees"), await remember("Ada sells honey")];
    await forget(bees.id, honey.id);
    const batchId = await newestBatch();
    await remember("Ada sells honey");
    const { undone, skipped } = await undo(batchId);
    expect([undone, skipped.map(({ memoryId }) => memoryId)]).toEqual([1, [honey.id]]);
    expect(await active()).toEqual(["Ada keeps bees", "Ada sells honey"]);
  });

  test("a batch that was already undone", async () => {
    await remember("Ada keeps bees");
    const batchId = await newestBatch();
    await undo(batchId);
    expect(await refusal(undo(batchId))).toMatchObject({ kind: "conflict" });
  });

  test("the move of memories with their document", async () => {
    const { id } = await core.addDocument(call(), {
      content: "A note.",
      containerTags: ["a"],
      facts: [{ text: "Ada keeps bees" }],
      wait: 20,
    });
    await opened.settle();
    await core.updateDocument(call(), { id, containerTags: ["b"] });
    const [moved] = await journal({ action: "memory.moved" });
    expect(await refusal(undo(moved?.batchId ?? ""))).toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("move that back instead"),
    });
    expect(await active("b")).toEqual(["Ada keeps bees"]);
  });

  test("a change to a container", async () => {
    await core.updateContainer(call(), { containerTag: "a", name: "Ada" });
    expect(await refusal(undoNewest())).toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("only those can be undone"),
    });
  });

  test.each(["1111111111111111111111", "x", "'; drop table journal"])("an unknown batch: %s", async (batchId) => {
    expect(await refusal(undo(batchId))).toMatchObject({ kind: "not_found", message: `Batch not found: ${batchId}` });
  });

  test.each([undefined, null, {}, { batchId: "" }, { batchId: 5 }, { batchId: "x".repeat(256) }])(
    "an invalid request: %j",
    async (input) => {
      expect(await refusal(core.undoBatch(call(), input))).toMatchObject({ kind: "invalid" });
    },
  );
});

test("an undo with the same operation id is done once", async () => {
  await remember("Ada keeps bees");
  const batchId = await newestBatch();
  const again = { ...call(), operationId: createId() };
  const first = await core.undoBatch(again, { batchId });
  expect(await core.undoBatch(again, { batchId })).toEqual(first);
  expect(await journal({ batchId: first.batchId })).toHaveLength(1);
});

describe("a caller limited to one container", () => {
  /** One batch with a memory in `a` and one in `b`. */
  const forgetInBoth = async () => {
    const [mine, theirs] = [await remember("Ada keeps bees"), await remember("a secret", {}, "b")];
    await forget(mine.id, theirs.id);
    return { mine, theirs, batchId: await newestBatch() };
  };

  test("undoes its part of a batch and learns nothing about the rest", async () => {
    const { mine, theirs, batchId } = await forgetInBoth();
    const answer = await core.undoBatch(opened.call(["a"]), { batchId });
    expect(answer).toMatchObject({ undone: 1, skipped: [] });
    expect([(await read(mine.id)).isForgotten, (await read(theirs.id)).isForgotten]).toEqual([false, true]);
  });

  test("sees only the entries of its container", async () => {
    const { batchId } = await forgetInBoth();
    const onlyA = opened.call(["a"]);
    const { items, total } = await core.listJournal(onlyA, { batchId });
    expect([items.map(({ containerTag }) => containerTag), total]).toEqual([["a"], 1]);
    expect(JSON.stringify(await core.listJournal(onlyA, {}))).not.toContain("secret");
    expect(await refusal(core.listJournal(onlyA, { containerTag: "b" }))).toMatchObject({ kind: "forbidden" });
  });

  test("finds no batch and no history of other containers", async () => {
    const { id } = await remember("a secret", {}, "b");
    const batchId = await newestBatch();
    expect(await refusal(core.undoBatch(opened.call(["a"]), { batchId }))).toMatchObject({ kind: "not_found" });
    expect(await refusal(core.readHistory(opened.call(["a"]), { id }))).toMatchObject({ kind: "not_found" });
  });

  test("of another organisation finds nothing at all", async () => {
    const { mine, batchId } = await forgetInBoth();
    const stranger = { actor: { organizationId: "someone-else", name: "key:x", containers: "all" as const } };
    expect(await refusal(core.undoBatch(stranger, { batchId }))).toMatchObject({ kind: "not_found" });
    expect(await refusal(core.readHistory(stranger, { id: mine.id }))).toMatchObject({ kind: "not_found" });
    expect((await core.listJournal(stranger, {})).total).toBe(0);
  });

  test("does not see which container a memory came from", async () => {
    const { id } = await core.addDocument(call(), {
      content: "A note.",
      containerTags: ["hidden"],
      facts: [{ text: "Ada keeps bees" }],
      wait: 20,
    });
    await opened.settle();
    await core.updateDocument(call(), { id, containerTags: ["a"] });
    const seen = await core.listJournal(opened.call(["a"]), { action: "memory.moved" });
    expect(seen.items).toMatchObject([{ before: null, after: null, cause: null }]);
    expect(JSON.stringify(await core.listJournal(opened.call(["a"]), {}))).not.toContain("hidden");
  });
});

describe("the journal", () => {
  test("is listed newest first, in pages", async () => {
    for (const text of ["one bee", "two cats", "three dogs"]) await remember(text);
    const page = await core.listJournal(call(), { action: "memory.added", limit: 2 });
    expect(page).toMatchObject({ page: 1, limit: 2, total: 3 });
    expect(page.items.map(({ after }) => (after as Memory).text)).toEqual(["three dogs", "two cats"]);
    expect((await core.listJournal(call(), { action: "memory.added", limit: 2, page: 2 })).items).toHaveLength(1);
    expect((await core.listJournal(call(), { page: 9 })).items).toEqual([]);
  });

  test("can be filtered by container, memory, document, batch, action, actor and time", async () => {
    const bees = await core.createMemories(call(), { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
    const id = bees.memories[0]?.id ?? "";
    opened.clock.advance(10_000);
    const noon = opened.clock.now().toISOString();
    const next = await update(id, "Ada keeps goats");
    await remember("a secret", {}, "b");
    const actions = async (query: Record<string, unknown>) => (await journal(query)).map(({ action }) => action);
    expect(await actions({ containerTag: "b" })).toEqual(["memory.added"]);
    for (const memoryId of [id, next.id])
      expect(await actions({ memoryId })).toEqual(["memory.updated", "memory.added"]);
    expect(await actions({ documentId: bees.documentId })).toEqual(["memory.updated", "memory.added"]);
    expect(await actions({ batchId: (await journal({ memoryId: id }))[0]?.batchId })).toEqual(["memory.updated"]);
    expect(await actions({ actor: "local", to: noon })).toEqual(["memory.added"]);
    expect(await actions({ from: noon })).toEqual(["memory.added", "memory.updated"]);
    expect(await actions({ actor: "nobody" })).toEqual([]);
    expect(await actions({ memoryId: createId() })).toEqual([]);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ limit: 201 }, /^limit: must be at most 200/],
    [{ limit: 0 }, /^limit: must be at least 1/],
    [{ page: 1.5 }, /^page: must be a whole number/],
    [{ from: "yesterday" }, /^from: must be an ISO 8601/],
    [{ from: "2024-05-02", to: "2024-05-01" }, /^from: must be before to/],
    [{ containerTag: "a b" }, /^containerTag: must contain only/],
    [{ action: "" }, /^action: must not be empty/],
    [{ actor: "x".repeat(256) }, /^actor: must have at most 255/],
    [{ memoryId: "x", documentId: "y" }, /^memoryId: must not be given together with documentId/],
  ])("rejects %j", async (query, message) => {
    const error = await refusal(core.listJournal(call(), query));
    expect(error).toMatchObject({ kind: "invalid", message: expect.stringMatching(message) });
  });
});

describe("the history of a memory", () => {
  test("contains its versions, quotes of its sources, and who changed what", async () => {
    const { id } = await remember("Ada lives in Rome");
    const letter = { content: "A letter from Rome.", containerTags: ["a"], title: "Letter", taskType: "superrag" };
    const { id: documentId } = await core.addDocument(call(), letter);
    const { store } = opened;
    await store.memories.addSource(store.organizationId, id, documentId, "from Rome");
    const bonn = await update(id, "Ada lives in Bonn", { reason: "she moved" });
    await undoNewest();
    for (const known of [id, bonn.id]) {
      const history = await core.readHistory(call(), { id: known });
      expect(history.memory.id).toBe(id);
      expect(history.versions.map(({ text, isLatest, isForgotten }) => [text, isLatest, isForgotten])).toEqual([
        ["Ada lives in Rome", true, false],
        ["Ada lives in Bonn", false, true],
      ]);
      const quoted = history.sources.filter(({ quote }) => quote !== null);
      expect(quoted).toMatchObject([{ memoryId: id, documentId, title: "Letter", quote: "from Rome" }]);
      expect(history.entries.map(({ action, cause }) => [action, cause])).toEqual([
        ["memory.added", expect.stringMatching(/^document /)],
        ["memory.updated", "she moved"],
        ["memory.reverted", expect.stringMatching(/^undo of /)],
      ]);
    }
  });

  test("is not found for an unknown id", async () => {
    for (const id of [createId(), "x"])
      expect(await refusal(core.readHistory(call(), { id }))).toMatchObject({ kind: "not_found" });
  });
});
