import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const BEES = "Ada keeps bees on the roof.";
const SHEEP = "Bo owns sheep on the hill.";

describe("changing a document", () => {
  let opened: ManualCore;
  let core: Core;
  let call: Call;

  beforeEach(async () => {
    opened = await openManualCore();
    core = opened.core;
    call = opened.call();
  });
  afterEach(() => opened.close());

  const add = (input: Record<string, unknown> = {}) =>
    core.addDocument(call, { content: BEES, customId: "note", containerTags: ["a"], ...input });
  const patch = (input: Record<string, unknown>) => core.updateDocument(call, { id: "note", ...input });
  const get = async (id = "note") => (await core.getDocument(call, { id })).document;
  const profile = async (containerTag = "a") => {
    const { static: lasting, dynamic } = await core.profile(call, { containerTag });
    return [...(lasting ?? []), ...(dynamic ?? [])];
  };
  const memories = async (tag?: string) => (await profile(tag)).map(({ text }) => text);
  const found = async (q: string, tag = "a") =>
    (await core.search(call, { q, containerTags: [tag], threshold: 0, searchMode: "documents" })).results.map(
      ({ text }) => text,
    );

  test("with another text replaces it and what only it stated, and keeps the id", async () => {
    const { id } = await add({ wait: 20, metadata: { k: 1 } });
    await opened.hold();
    expect(await patch({ content: SHEEP })).toMatchObject({ id, status: "queued", dreamingStatus: "dreaming" });
    expect(await get()).toMatchObject({ content: SHEEP, revision: 2, rememberedRevision: 0, receipt: null });
    expect(await memories()).toEqual([]);
    await opened.settle();
    expect(await get(id)).toMatchObject({
      status: "done",
      dreamingStatus: "done",
      title: "Bo owns sheep on the hill.",
      metadata: { k: 1 },
      customId: "note",
    });
    expect([await memories(), await found("bees sheep")]).toEqual([["Bo owns sheep on the hill"], [SHEEP]]);
    expect(await opened.everything()).toContain(`document ${id} was replaced`);
  });

  test("keeps a fact that others also state, without this source", async () => {
    await add({ wait: 20 });
    await add({ customId: "other", content: `${BEES} So it is.`, wait: 20 });
    await patch({ content: SHEEP });
    await opened.settle();
    expect((await profile()).map(({ text, sourceCount }) => [text, sourceCount])).toEqual([
      ["Bo owns sheep on the hill", 1],
      ["Ada keeps bees on the roof", 1],
    ]);
    expect((await core.getDocument(call, { id: "note" })).memories).toHaveLength(1);
  });

  test("remembers a fact again that is also in the new text", async () => {
    await add({ wait: 20 });
    await patch({ content: `${BEES} ${SHEEP}` });
    await opened.settle();
    expect((await memories()).toSorted()).toEqual(["Ada keeps bees on the roof", "Bo owns sheep on the hill"]);
  });

  test("never remembers earlier statements that were not yet processed", async () => {
    await opened.close();
    opened = await openManualCore({ jobs: false });
    ({ core } = opened);
    call = opened.call();
    await add();
    await add({ content: "Cy sells fish." });
    expect(await patch({ content: SHEEP })).toMatchObject({ status: "queued" });
    const again = await openManualCore({ dataDirectory: opened.dataDirectory });
    try {
      await again.settle();
      const { document, memories } = await again.core.getDocument(again.call(), { id: "note" });
      expect(document).toMatchObject({ content: SHEEP, revision: 3, status: "done", dreamingStatus: "done" });
      expect(memories.map(({ text }) => text)).toEqual(["Bo owns sheep on the hill"]);
    } finally {
      await again.close();
    }
  });

  test.each([
    ["the same text", { content: BEES }],
    ["no fields", {}],
    ["metadata", { metadata: { b: 3, c: ["x"] } }],
    ["a title", { title: "Bees" }],
    ["a path", { filepath: "/bees.md" }],
    ["a filter for memories", { filterByMetadata: { team: "red" } }],
    ["a customId", { customId: "note" }],
    ["its current containers", { containerTags: ["a", "a"] }],
    ["its current task type", { taskType: "memory" }],
  ])("with %s works in place: no new revision, no processing, other fields unchanged", async (_name, change) => {
    const { id } = await add({ metadata: { a: 1, b: 2 }, title: "T", filepath: "/t.md", wait: 20 });
    const before = await opened.rowCounts();
    expect(await patch(change)).toMatchObject({ id, status: "done", dreamingStatus: "done" });
    expect(await get()).toMatchObject({
      revision: 1,
      content: BEES,
      title: "T",
      filepath: "/t.md",
      ...change,
      metadata: { a: 1, b: 2, ...("metadata" in change ? change.metadata : {}) },
      ...("containerTags" in change && { containerTags: ["a"] }),
    });
    const after = await opened.rowCounts();
    // The index of metadata follows the document.
    const beside = { journal: 0, metadata_values: 0 };
    expect({ ...after, ...beside }).toEqual({ ...before, ...beside });
  });

  test("can change text and path together", async () => {
    await add({ wait: 20 });
    expect(await patch({ content: SHEEP, filepath: "/sheep.md", title: "Sheep" })).toMatchObject({ status: "queued" });
    await opened.settle();
    expect(await get()).toMatchObject({ content: SHEEP, filepath: "/sheep.md", title: "Sheep", status: "done" });
  });

  test("sets its source from the metadata", async () => {
    await add();
    await patch({ metadata: { sm_source: "slack" } });
    expect((await get()).source).toBe("slack");
  });

  test("to another customId renames it; one already in use is a permanent conflict", async () => {
    const { id } = await add({ wait: 20 });
    await add({ customId: "taken", content: SHEEP });
    await expect(patch({ customId: "taken" })).rejects.toMatchObject({ kind: "conflict", retryAfter: undefined });
    expect(await patch({ customId: "renamed" })).toMatchObject({ id, status: "done" });
    expect((await get("renamed")).id).toBe(id);
    await expect(get("note")).rejects.toMatchObject({ kind: "not_found" });
    expect((await add()).id).not.toBe(id);
  });

  test("to other containers moves it with what only it states", async () => {
    const { id } = await add({ wait: 20 });
    expect(await patch({ containerTags: ["b"] })).toMatchObject({ id, status: "queued", containerTags: ["b"] });
    expect([await found("bees"), await memories()]).toEqual([[], []]);
    expect([await found("bees", "b"), await memories("b")]).toEqual([[BEES], ["Ada keeps bees on the roof"]]);
    await opened.settle();
    expect(await get()).toMatchObject({ status: "done", dreamingStatus: "done", containerTags: ["b"] });
    const { document, memories: stated } = await core.getDocument(call, { id });
    expect(stated).toMatchObject([{ containerTag: "b", strength: 1 }]);
    expect(document.receipt).toMatchObject([{ outcome: "added" }]);
  });

  test("keeps facts in the old container that others also state, and states them in the new one", async () => {
    await add({ wait: 20 });
    await add({ customId: "other", wait: 20 });
    await patch({ containerTags: ["b"] });
    await opened.settle();
    expect([await memories("a"), await memories("b")]).toEqual([
      ["Ada keeps bees on the roof"],
      ["Ada keeps bees on the roof"],
    ]);
    const { memories: stated } = await core.getDocument(call, { id: "note" });
    expect(stated.map(({ containerTag }) => containerTag)).toEqual(["b"]);
  });

  test("adds everything to an additional container, and removes everything from a former one", async () => {
    await add({ wait: 20 });
    await patch({ containerTags: ["a", "b"] });
    await opened.settle();
    expect([await memories("a"), await memories("b")]).toEqual([
      ["Ada keeps bees on the roof"],
      ["Ada keeps bees on the roof"],
    ]);
    await patch({ containerTags: ["b"] });
    await opened.settle();
    expect([await found("bees"), await memories("a"), await found("bees", "b"), await memories("b")]).toEqual([
      [],
      [],
      [BEES],
      ["Ada keeps bees on the roof"],
    ]);
  });

  test("to superrag forgets its memories, and back to memory remembers them again", async () => {
    await add({ wait: 20 });
    expect(await patch({ taskType: "superrag" })).toMatchObject({ status: "queued", dreamingStatus: "done" });
    await opened.settle();
    expect([await memories(), (await get()).status, await found("bees")]).toEqual([[], "done", [BEES]]);
    expect(await patch({ taskType: "memory" })).toMatchObject({ status: "queued", dreamingStatus: "dreaming" });
    await opened.settle();
    expect(await memories()).toEqual(["Ada keeps bees on the roof"]);
  });

  test("to another date reads its text relative to that date", async () => {
    await add({ content: "Ada met Bo in Rome yesterday.", documentDate: "2024-05-06", wait: 20 });
    const dated = async () => (await core.getDocument(call, { id: "note" })).memories.map(({ metadata }) => metadata);
    expect(await dated()).toMatchObject([{ temporalContext: { eventDate: ["2024-05-05"] } }]);
    expect(await patch({ documentDate: "2023-01-02" })).toMatchObject({ status: "queued" });
    await opened.settle();
    expect(await dated()).toMatchObject([{ temporalContext: { eventDate: ["2023-01-01"] } }]);
  });

  test("applies the limits to the result", async () => {
    await opened.close();
    opened = await openManualCore({ limits: { maxTextBytes: 100, maxMetadataBytes: 60 } });
    ({ core } = opened);
    call = opened.call();
    await add({ metadata: { one: "x".repeat(40) } });
    await expect(patch({ metadata: { two: "y".repeat(40) } })).rejects.toMatchObject({ kind: "too_large" });
    await expect(patch({ content: "x".repeat(101) })).rejects.toMatchObject({ kind: "too_large" });
    expect((await get()).metadata).toEqual({ one: "x".repeat(40) });
  });

  test.each(["nothing", createId()])("of an unknown id is not found: %s", async (id) => {
    await expect(patch({ id, metadata: {} })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("requires write access to all of its containers, and to the new ones", async () => {
    await add({ containerTags: ["a", "b"] });
    await add({ customId: "mine", containerTags: ["a"] });
    const mine = opened.call(["a"]);
    const theirs = opened.call(["c"]);
    await expect(core.updateDocument(theirs, { id: "note", title: "x" })).rejects.toMatchObject({ kind: "not_found" });
    await expect(core.updateDocument(mine, { id: "note", title: "x" })).rejects.toMatchObject({ kind: "forbidden" });
    await expect(core.updateDocument(mine, { id: "mine", containerTags: ["c"] })).rejects.toMatchObject({
      kind: "forbidden",
    });
    expect(await core.updateDocument(mine, { id: "mine", title: "x" })).toMatchObject({ containerTags: ["a"] });
  });
});

describe("a document at a path", () => {
  let opened: ManualCore;
  beforeEach(async () => {
    opened = await openManualCore();
    await opened.store.containers.update(opened.store.organizationId, "a", {
      memoryFilesystemPaths: ["/notes/", "/me.md"],
    });
  });
  afterEach(() => opened.close());

  test.each([
    ["/notes/bees.md", "memory", 1],
    ["/me.md", "memory", 1],
    ["/me.md.bak", "superrag", 0],
    ["/note", "superrag", 0],
    [undefined, "memory", 1],
  ])("%s gets the task type %s if only some paths form memories", async (filepath, taskType, count) => {
    const input = { content: BEES, containerTags: ["a"], filepath, wait: 20 };
    const { id } = await opened.core.addDocument(opened.call(), input);
    const { document, memories } = await opened.core.getDocument(opened.call(), { id });
    expect(document).toMatchObject({ taskType, status: "done", dreamingStatus: "done" });
    expect(memories).toHaveLength(count);
  });

  test("forms memories once its path is included, unless superrag was requested", async () => {
    const { core, store } = opened;
    const call = opened.call();
    const input = { content: BEES, containerTags: ["a"], filepath: "/later.md" };
    await core.addDocument(call, { ...input, customId: "added", wait: 20 });
    await core.addDocument(call, { ...input, customId: "changed", wait: 20 });
    await core.addDocument(call, { ...input, customId: "asked", taskType: "superrag", wait: 20 });
    await store.containers.update(store.organizationId, "a", { memoryFilesystemPaths: ["/later.md"] });
    await core.addDocument(call, { ...input, customId: "added", wait: 20 });
    await core.updateDocument(call, { id: "changed", content: SHEEP });
    await core.addDocument(call, { ...input, customId: "asked", taskType: "superrag", wait: 20 });
    await opened.settle();
    const about = async (id: string) => {
      const { document, memories } = await core.getDocument(call, { id });
      return [document.taskType, memories.map(({ text }) => text)];
    };
    expect(await about("added")).toEqual(["memory", ["Ada keeps bees on the roof"]]);
    expect(await about("changed")).toEqual(["memory", ["Bo owns sheep on the hill"]]);
    expect(await about("asked")).toEqual(["superrag", []]);
  });

  test("in several containers forms memories only where the container allows it", async () => {
    const input = { content: BEES, containerTags: ["a", "b"], filepath: "/other.md", wait: 20 };
    const { id } = await opened.core.addDocument(opened.call(), input);
    const { memories } = await opened.core.getDocument(opened.call(), { id });
    expect(memories.map(({ containerTag }) => containerTag)).toEqual(["b"]);
  });
});

describe("client input with a document", () => {
  let opened: ManualCore;
  beforeEach(async () => {
    opened = await openManualCore();
  });
  afterEach(() => opened.close());

  test("guidance for extraction is stored on each container, even if nothing else is new", async () => {
    const { core, store } = opened;
    const guidance = async (tag: string) => (await store.containers.get(store.organizationId, tag))?.entityContext;
    const input = { content: BEES, customId: "note", containerTags: ["a", "b"], entityContext: "Ada is a beekeeper." };
    await core.addDocument(opened.call(), input);
    expect([await guidance("a"), await guidance("b")]).toEqual(["Ada is a beekeeper.", "Ada is a beekeeper."]);
    await core.addDocument(opened.call(), { ...input, entityContext: "She has bees." });
    expect(await guidance("b")).toBe("She has bees.");
    await core.addDocument(opened.call(), { content: SHEEP, containerTags: ["a"] });
    expect(await guidance("a")).toBe("She has bees.");
    await expect(core.addDocument(opened.call(), { ...input, entityContext: "x".repeat(1_501) })).rejects.toMatchObject(
      { kind: "invalid", issues: [{ path: ["entityContext"] }] },
    );
  });

  test("a filter for memories is stored with the document", async () => {
    const filterByMetadata = { team: ["red", "blue"], level: 3 };
    const { id } = await opened.core.addDocument(opened.call(), { content: BEES, filterByMetadata });
    expect((await opened.core.getDocument(opened.call(), { id })).document.filterByMetadata).toEqual(filterByMetadata);
  });

  test.each([
    [200, 200],
    [1, 100],
    [2_000, 2_000],
    [-1, 850],
  ])("a chunkSize of %i in the settings of the client limits the chunks", async (chunkSize, longest) => {
    const { core, store } = opened;
    await store.settings.write(store.organizationId, "wide", { chunkSize });
    const { actor } = opened.call();
    const content = "Ada keeps bees on the roof of her house in Rome. ".repeat(200);
    const { id } = await core.addDocument({ actor: { ...actor, client: "wide" } }, { content, wait: 20 });
    const other = await core.addDocument({ actor }, { content, wait: 20 });
    const lengths = async (of: string) =>
      (await store.chunks.newest(store.organizationId, of)).map((chunk) => chunk.content.length);
    expect(Math.max(...(await lengths(id)))).toBeLessThanOrEqual(longest);
    expect(Math.max(...(await lengths(id)))).toBeGreaterThan(longest / 3);
    expect(Math.max(...(await lengths(other.id)))).toBeLessThanOrEqual(800);
  });
});
