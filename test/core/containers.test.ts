import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { markDeleted } from "../../src/core/containers/delete-container.js";
import type { Call, Core } from "../../src/core/index.js";
import { buildMemoryDraft } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;
let organization: string;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
  organization = opened.store.organizationId;
});
afterEach(() => opened.close());

const add = async (content: string, containerTags: string[], more: Record<string, unknown> = {}) =>
  core.addDocument(call, { content, containerTags, facts: [{ text: `${content} fact` }], wait: 20, ...more });
const tags = async () => (await core.listContainers(call)).containers.map(({ tag }) => tag);
const texts = async (containerTag: string, q = "bees") =>
  (await core.search(call, { q, containerTags: [containerTag], threshold: 0 })).results.map(({ text }) => text);

describe("the list of containers", () => {
  test("starts with the most recently active ones, then sorts by name, and ends with empty ones", async () => {
    await add("Bees of a", ["a"]);
    opened.clock.advance(60_000);
    await add("Bees of b", ["b"]);
    await core.updateContainer(call, { containerTag: "y", name: "Beta" });
    await core.updateContainer(call, { containerTag: "z", name: "Alpha" });
    expect(await tags()).toEqual(["b", "a", "z", "y"]);
    expect((await core.listContainers(call)).containers[0]).toMatchObject({
      documentCount: 1,
      memoryCount: 1,
      lastActivityAt: opened.clock.now().toISOString(),
      merge: null,
    });
  });

  test("contains only what the caller may see", async () => {
    await add("Bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    const { containers } = await core.listContainers(opened.call(["a", "c"]));
    expect(containers.map(({ tag }) => tag)).toEqual(["a"]);
  });
});

describe("the details of a container", () => {
  const said = {
    name: "Bees",
    entityContext: "She keeps bees.",
    memoryFilesystemPaths: ["/notes/"],
    profileBuckets: [{ key: "hives", description: "Where they stand" }],
  };

  test("are stored, create the container if necessary, and are recorded in the journal", async () => {
    expect(await core.updateContainer(call, { containerTag: "a", ...said })).toMatchObject({ tag: "a", ...said });
    expect(await core.getContainer(call, { containerTag: "a" })).toMatchObject({ ...said, documentCount: 0 });
    expect(await opened.everything()).toContain("container.added");
  });

  test("keep the fields that a change omits; null clears a field, and a list of buckets replaces the old one", async () => {
    await core.updateContainer(call, { containerTag: "a", ...said });
    await core.updateContainer(call, { containerTag: "a", entityContext: null, profileBuckets: [{ key: "honey" }] });
    expect(await core.getContainer(call, { containerTag: "a" })).toMatchObject({
      ...said,
      entityContext: null,
      profileBuckets: [{ key: "honey", description: "" }],
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["an empty name", { name: " " }, "name: must not be empty"],
    ["a long name", { name: "x".repeat(101) }, "name: must have at most 100 characters, has 101"],
    ["null as name", { name: null }, "name: must be a string"],
    ["a long prompt", { entityContext: "x".repeat(1_501) }, "entityContext: must have at most 1500 characters"],
    ["a prompt that is not a text", { entityContext: 7 }, "entityContext: must be a string"],
    ["invalid paths", { memoryFilesystemPaths: "/a" }, "memoryFilesystemPaths: must be an array of paths"],
    ["an empty path", { memoryFilesystemPaths: [""] }, "memoryFilesystemPaths.0: must not be empty"],
    [
      "a bucket name reserved for every profile",
      { profileBuckets: [{ key: "static" }] },
      "profileBuckets.0.key: must not be static or dynamic, which every profile has",
    ],
    ["a bucket without a key", { profileBuckets: [{}] }, "profileBuckets.0.key: is missing"],
    [
      "a key with other characters",
      { profileBuckets: [{ key: "-Work" }] },
      "profileBuckets.0.key: must contain only lower-case letters, digits, underscores and hyphens, and begin with a letter or digit",
    ],
    [
      "a long key",
      { profileBuckets: [{ key: "x".repeat(65) }] },
      "profileBuckets.0.key: must have at most 64 characters",
    ],
    [
      "a duplicate key",
      { profileBuckets: [{ key: "a" }, { key: "b" }, { key: "a" }] },
      "profileBuckets.2.key: repeats a; every key may occur once",
    ],
    [
      "too many buckets",
      { profileBuckets: Array.from({ length: 51 }, (_, index) => ({ key: `k${index}` })) },
      "profileBuckets: must have at most 50 entries",
    ],
    ["null as buckets", { profileBuckets: null }, "profileBuckets: must be an array of buckets"],
    [
      "a long description",
      { profileBuckets: [{ key: "a", description: "x".repeat(2_001) }] },
      "profileBuckets.0.description: must have at most 2000 characters",
    ],
  ])("are rejected with %s, and nothing is created", async (_name, change, message) => {
    await expect(core.updateContainer(call, { containerTag: "a", ...change })).rejects.toMatchObject({
      kind: "invalid",
      message,
    });
    expect(await tags()).toEqual([]);
  });

  test("are rejected if the paths are too many bytes together", async () => {
    const memoryFilesystemPaths = Array.from({ length: 20 }, (_, index) => `/${index}/${"x".repeat(4_000)}`);
    await expect(core.updateContainer(call, { containerTag: "a", memoryFilesystemPaths })).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringMatching(/^memoryFilesystemPaths: has \d+ bytes as JSON, at most 65536/) as string,
    });
  });

  test("are accepted up to the limits", async () => {
    const most = {
      name: "x".repeat(100),
      entityContext: "x".repeat(1_500),
      profileBuckets: Array.from({ length: 50 }, (_, index) => ({
        key: `${index}`.padStart(64, "k"),
        description: "x".repeat(2_000),
      })),
    };
    expect(await core.updateContainer(call, { containerTag: "x".repeat(100), ...most })).toMatchObject(most);
  });

  test("can be changed with a key for this container, except for the buckets", async () => {
    const onlyA = opened.call(["a"]);
    expect(await core.updateContainer(onlyA, { containerTag: "a", name: "Mine" })).toMatchObject({ name: "Mine" });
    await expect(core.updateContainer(onlyA, { containerTag: "a", profileBuckets: [] })).rejects.toMatchObject({
      kind: "forbidden",
      message: "This key may not define profile buckets. Use a key of the whole organisation.",
    });
    for (const useCase of ["getContainer", "updateContainer"] as const)
      await expect(core[useCase](onlyA, { containerTag: "b" })).rejects.toMatchObject({ kind: "forbidden" });
  });

  test("are not found for a tag that was never used", async () => {
    await expect(core.getContainer(call, { containerTag: "nowhere" })).rejects.toMatchObject({
      kind: "not_found",
      message: "Container not found: nowhere",
    });
  });
});

describe("deleting a container", () => {
  test("removes its documents and memories from every response, and counts them exactly", async () => {
    const mine = await add("Bees of a", ["a"], { customId: "mine" });
    await add("More bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: "Ada has a hive of bees" }, { content: "Bees like thyme" }],
    });
    await core.forget(call, { ids: [memories[0]?.id ?? ""] });
    // Two documents, the one created with the memories, and three facts that are not forgotten.
    expect(await core.deleteContainer(call, { containerTag: "a" })).toEqual({
      containerTag: "a",
      deletedDocuments: 3,
      deletedMemories: 3,
    });

    expect(await tags()).toEqual(["b"]);
    expect(await texts("a")).toEqual([]);
    expect((await core.listDocuments(call, {})).total).toBe(1);
    for (const id of [mine.id, "mine"])
      await expect(core.getDocument(call, { id })).rejects.toMatchObject({ kind: "not_found" });
    await expect(core.getContainer(call, { containerTag: "a" })).rejects.toMatchObject({ kind: "not_found" });
    expect(await texts("b")).toHaveLength(2);
    expect((await core.search(call, { q: "bees", threshold: 0 })).results).toHaveLength(2);
  });

  test("keeps its memories in the record as forgotten, with the reason", async () => {
    const { facts } = await add("Bees of a", ["a"]);
    await core.deleteContainer(call, { containerTag: "a" });
    expect(await opened.store.memories.byId(organization, facts?.[0]?.id ?? "")).toMatchObject({
      isForgotten: true,
      forgetReason: "the container a was deleted",
      containerTag: "a",
    });
  });

  test("only removes documents from it that are also in another container", async () => {
    const shared = await add("Shared bees", ["a", "b"]);
    expect(await core.deleteContainer(call, { containerTag: "a" })).toMatchObject({
      deletedDocuments: 0,
      deletedMemories: 1,
    });
    expect((await core.getDocument(call, { id: shared.id })).document.containerTags).toEqual(["b"]);
    expect(await texts("b")).toEqual(expect.arrayContaining(["Shared bees", "Shared bees fact"]));
  });

  test("forgets memories elsewhere that only its documents stated", async () => {
    const document = await add("Bees of a", ["a"]);
    const { store } = opened;
    await store.containers.ensure(organization, ["b"]);
    const only = await store.memories.insert(
      organization,
      buildMemoryDraft({ containerTag: "b", text: "Only there" }),
      {
        parentId: null,
        rootId: null,
        version: 1,
      },
    );
    await store.memories.addSource(organization, only.id, document.id, null);
    await core.deleteContainer(call, { containerTag: "a" });
    expect(await store.memories.byId(organization, only.id)).toMatchObject({
      isForgotten: true,
      forgetReason: `document ${document.id} was deleted`,
    });
  });

  test("leaves nothing behind: the same tag starts empty", async () => {
    await core.updateContainer(call, { containerTag: "a", name: "Old", entityContext: "old" });
    await add("Old bees", ["a"], { customId: "note" });
    await core.deleteContainer(call, { containerTag: "a" });
    await add("New bees", ["a"], { customId: "note" });
    expect(await core.getContainer(call, { containerTag: "a" })).toMatchObject({
      name: null,
      entityContext: null,
      documentCount: 1,
      memoryCount: 1,
    });
    const found = await texts("a");
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((text) => !text.startsWith("New bees"))).toEqual([]);
    const forgotten = { q: "old bees", containerTags: ["a"], threshold: 0, includeForgotten: true };
    expect((await core.search(call, forgotten)).results.filter(({ text }) => text.startsWith("Old"))).toEqual([]);
  });

  test("handles containers of more than one batch", async () => {
    for (let number = 0; number < 45; number++)
      await core.addDocument(call, { content: `Bees number ${number}`, containerTags: ["a"], taskType: "superrag" });
    for (let part = 0; part < 5; part++)
      await core.createMemories(call, {
        containerTag: "a",
        memories: Array.from({ length: 90 }, (_, index) => ({
          content: `Hive ${part}-${index} stands in row ${index}`,
        })),
      });
    await opened.settle();
    expect(await core.deleteContainer(call, { containerTag: "a" })).toMatchObject({
      deletedDocuments: 50,
      deletedMemories: 450,
    });
    expect((await core.listDocuments(call, {})).total).toBe(0);
    expect((await opened.rowCounts())["text_index_docsize"]).toBe(0);
  });

  test("stops documents that are still being processed", async () => {
    const idle = await openManualCore({ jobs: false });
    await idle.core.addDocument(idle.call(), { content: "Bees, not yet read", containerTags: ["a"] });
    const deletion = await idle.core.deleteContainer(idle.call(), { containerTag: "a" });
    expect(deletion).toMatchObject({ deletedDocuments: 1 });
    expect((await idle.core.listDocuments(idle.call(), {})).total).toBe(0);
    await idle.close();
  });

  test("is refused with a key for some containers, for an unknown tag, and the second time", async () => {
    await add("Bees of a", ["a"]);
    await expect(core.deleteContainer(opened.call(["a"]), { containerTag: "a" })).rejects.toMatchObject({
      kind: "forbidden",
    });
    await core.deleteContainer(call, { containerTag: "a" });
    for (const containerTag of ["a", "nowhere"])
      await expect(core.deleteContainer(call, { containerTag })).rejects.toMatchObject({
        kind: "not_found",
        message: `Container not found: ${containerTag}`,
      });
    await expect(core.deleteContainer(call, { containerTag: "a#1" })).rejects.toMatchObject({ kind: "invalid" });
  });

  test("returns the first counts to a repeated call", async () => {
    await add("Bees of a", ["a"]);
    const repeated = { ...call, operationId: "once" };
    const first = await core.deleteContainer(repeated, { containerTag: "a" });
    expect(await core.deleteContainer(repeated, { containerTag: "a" })).toEqual(first);
    expect(first).toMatchObject({ deletedDocuments: 1, deletedMemories: 1 });
  });
});

test("an interrupted deletion is visible to every caller, and its job completes it after a restart", async () => {
  const idle = await openManualCore({ jobs: false });
  const { store, clock, context, dataDirectory } = idle;
  const input = { containerTag: "a", memories: [{ content: "Ada keeps bees" }] };
  const { documentId, memories } = await idle.core.createMemories(idle.call(), input);
  // The first commit of a deletion, and nothing after it.
  await store.transaction((repositories) => markDeleted(context, repositories, idle.call().actor, "a"));
  const search = async () => (await idle.core.search(idle.call(), { q: "bees", threshold: 0 })).results;
  expect(await search()).toEqual([]);
  const kept = await idle.core.createMemories(idle.call(), input);

  clock.advance(60_000);
  const restarted = await openManualCore({ dataDirectory, clock });
  await restarted.settle();
  expect((await restarted.core.listDocuments(idle.call(), {})).documents.map(({ id }) => id)).toEqual([
    kept.documentId,
  ]);
  expect(await store.documents.byId(store.organizationId, documentId)).toBeNull();
  expect(await store.memories.byId(store.organizationId, memories[0]?.id ?? "")).toMatchObject({ isForgotten: true });
  expect((await search()).map(({ id }) => id)).toEqual([kept.memories[0]?.id]);
  expect(await store.jobs.counts()).toMatchObject({ waiting: 0, dead: 0 });
  await restarted.close();
  await idle.close();
});
