import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

const BEES = "Ada keeps bees on the roof of her house in Rome. ".repeat(40).trim();

const update = (change: Record<string, unknown>, client?: string) =>
  opened.core.updateSettings({ actor: { ...opened.call().actor, client } }, change);

async function add(more: Record<string, unknown> = {}, client?: string): Promise<string> {
  const call = { actor: { ...opened.call().actor, client } };
  const { id } = await opened.core.addDocument(call, {
    content: BEES,
    containerTags: ["a"],
    dreaming: "instant",
    ...more,
  });
  await opened.settle();
  return id;
}

async function reprocess(input: Record<string, unknown> = { all: true }) {
  const done = await opened.core.reprocess(opened.call(), input);
  await opened.settle();
  return done;
}

const chunksOf = (id: string) => opened.store.chunks.newest(opened.store.organizationId, id);
const longest = async (id: string) => Math.max(...(await chunksOf(id)).map(({ content }) => content.length));

describe("documents whose chunks do not match the settings", () => {
  test("stay unchanged until they are reprocessed, and are then found by their new chunks", async () => {
    const [read, plain] = [await add(), await add({ taskType: "superrag" })];
    await update({ chunkSize: 200, chunkOverlap: 60, chunkingStrategy: "sentence" });
    for (const id of [read, plain]) expect(await longest(id)).toBeGreaterThan(200);
    expect(await reprocess({ all: true, dryRun: true })).toMatchObject({ documents: 2 });
    for (const id of [read, plain]) expect(await longest(id)).toBeGreaterThan(200);
    const memories = await opened.store.memories.ofDocument(opened.store.organizationId, read);
    expect(await reprocess()).toMatchObject({ documents: 2, estimate: { inputTokens: 0 } });
    for (const id of [read, plain]) expect(await longest(id)).toBeLessThanOrEqual(200);
    expect(await opened.store.memories.ofDocument(opened.store.organizationId, read)).toEqual(memories);
    expect((await opened.core.getDocument(opened.call(), { id: read })).document).toMatchObject({
      status: "done",
      dreamingStatus: "done",
    });
    const { results } = await opened.core.search(opened.call(), { q: "Where are the bees?", searchMode: "documents" });
    expect(results.length).toBeGreaterThan(0);
    for (const { text } of results) expect(text.length).toBeLessThanOrEqual(200);
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    for (const { id, revision } of [read, plain].map((id) => ({ id, revision: 1 })))
      expect(await opened.store.chunks.withoutVector(opened.store.organizationId, id, revision, space)).toEqual([]);
  });

  test("are not reprocessed again, and get default chunks once the setting is removed", async () => {
    await update({ chunkSize: 200 });
    const id = await add({ taskType: "superrag" });
    expect(await reprocess()).toMatchObject({ documents: 0 });
    const before = await chunksOf(id);
    await update({ chunkSize: null });
    expect(await reprocess({ containerTag: "a" })).toMatchObject({ documents: 1 });
    expect(await chunksOf(id)).not.toEqual(before);
    expect(await longest(id)).toBeGreaterThan(200);
    expect(await reprocess()).toMatchObject({ documents: 0 });
  });

  test("are determined by the settings of their own client", async () => {
    const [mine, theirs] = [await add({}, "wide"), await add()];
    await update({ chunkSize: 2_000 }, "wide");
    expect(await reprocess({ ids: [theirs] })).toMatchObject({ documents: 1 });
    expect(await reprocess()).toMatchObject({ documents: 1 });
    expect(await longest(mine)).toBeGreaterThan(800);
    expect(await longest(theirs)).toBeLessThanOrEqual(800);
  });

  test("do not include documents that only represent direct memories", async () => {
    await opened.core.createMemories(opened.call(), { containerTag: "a", memories: [{ content: "Mia likes tea." }] });
    await update({ chunkSize: 200 });
    expect(await reprocess({ all: true, onlyOutdated: true })).toMatchObject({ documents: 0 });
    const { results } = await opened.core.search(opened.call(), { q: "tea", searchMode: "documents", threshold: 0 });
    expect(results).toEqual([]);
  });

  test("stay unchanged in containers that the caller may not write to", async () => {
    const id = await add({ containerTags: ["b"] });
    await update({ chunkSize: 200 });
    await opened.core.reprocess(opened.call(["a"]), { all: true });
    await opened.settle();
    expect(await longest(id)).toBeGreaterThan(200);
  });

  test("leave no record of their chunk settings when they are deleted", async () => {
    await update({ chunkSize: 200 });
    const id = await add();
    await opened.core.deleteDocument(opened.call(), { id });
    expect(await opened.store.extractions.cuttings(opened.store.organizationId, { within: "all" })).toEqual([]);
  });
});
