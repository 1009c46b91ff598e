import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core, UseCase } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** A caller limited to container `a`, with other documents in `b` and in both. */
let opened: ManualCore;
let core: Core;
let all: Call;
let onlyA: Call;
let ids: { mine: string; theirs: string; shared: string; myMemory: string; theirMemory: string; moved: string };

const SECRET = "secret";

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  all = opened.call();
  onlyA = opened.call(["a"]);
  const add = async (content: string, containerTags: string[], more: Record<string, unknown> = {}) =>
    (await core.addDocument(all, { content, containerTags, wait: 20, facts: [{ text: `${content} fact` }], ...more }))
      .id;
  const mine = await add("My bees note", ["a"]);
  const theirs = await add(`${SECRET} bees note`, ["b"], { customId: "theirs", title: `${SECRET} title` });
  const shared = await add("Shared bees note", ["a", "b"], { customId: "shared" });
  // In `b`, the same document states a fact that exists only there.
  await core.createMemories(all, { containerTag: "b", memories: [{ content: `${SECRET} memory of bees` }] });
  const { store } = opened;
  const [theirMemory] = await store.memories.active(store.organizationId, "b", { limit: 1 });
  await store.memories.addSource(store.organizationId, theirMemory?.id ?? "", shared, null);
  // Was in `a` once and left a fact there; its text and title now belong to `b`.
  const moved = await add("Moving bees note", ["a"], { customId: "moved" });
  await add("Moving bees note", ["a", "b"], { customId: "moved" });
  await add(`${SECRET} bees, moved away`, ["b"], { customId: "moved", title: `${SECRET} moved`, facts: [] });
  const [myMemory] = await store.memories.ofDocument(store.organizationId, mine);
  ids = { mine, theirs, shared, moved, myMemory: myMemory?.id ?? "", theirMemory: theirMemory?.id ?? "" };
  await opened.settle();
});
afterEach(() => opened.close());

const refusal = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (answer) => ({ answer }),
    (error: unknown) => error,
  );

describe("reading", () => {
  test.each<[string, UseCase, (known: typeof ids) => unknown]>([
    ["search everywhere", "search", () => ({ q: "bees note secret", threshold: 0 })],
    ["search memories", "search", () => ({ q: "bees note secret", threshold: 0, searchMode: "memories" })],
    [
      "search including forgotten memories",
      "search",
      () => ({ q: "bees secret", threshold: 0, includeForgotten: true }),
    ],
    ["search their document", "search", ({ theirs }) => ({ q: "bees", threshold: 0, documentId: theirs })],
    ["search by their customId", "search", () => ({ q: "bees", threshold: 0, documentId: "theirs" })],
    ["search for what moved away", "search", ({ moved }) => ({ q: "bees", threshold: 0, documentId: moved })],
    [
      "search with a filter",
      "search",
      () => ({ q: "bees", threshold: 0, filters: { AND: [{ key: "k", value: "v", negate: true }] } }),
    ],
    [
      "search with all context",
      "search",
      () => ({ q: "bees", threshold: 0, includeRelatives: true, includeNeighbours: true, includeChunks: true }),
    ],
    ["search for an end user", "search", () => ({ q: "bees", threshold: 0, endUserId: "u" })],
    [
      "search documents",
      "searchDocuments",
      () => ({ q: "bees secret", includeContent: true, includeNeighbours: true, limit: 100 }),
    ],
    ["search all documents", "searchDocuments", () => ({ q: "*", includeContent: true })],
    [
      "search all documents of one's own tags",
      "searchDocuments",
      () => ({ q: "*", operator: "all", containerTags: ["a"] }),
    ],
    ["search in the shared document", "searchDocuments", ({ shared }) => ({ q: "*", documentId: shared })],
    ["profile", "profile", () => ({ containerTag: "a", q: "bees secret", threshold: 0 })],
    ["profile of the only container", "profile", () => ({})],
    ["buckets", "listProfileBuckets", () => ({ containerTag: "a" })],
    ["list everything", "listDocuments", () => ({ includeContent: true })],
    [
      "list everything in one's own tags",
      "listDocuments",
      () => ({ operator: "all", containerTags: ["a"], includeContent: true }),
    ],
    ["read the own document", "getDocument", ({ mine }) => ({ id: mine })],
    ["read the shared document", "getDocument", ({ shared }) => ({ id: shared })],
    ["fetch the shared document", "fetch", ({ shared }) => ({ id: shared })],
    ["fetch the own memory", "fetch", ({ myMemory }) => ({ id: myMemory })],
    ["list the containers", "listContainers", () => ({})],
    ["read the details of one's own container", "getContainer", () => ({ containerTag: "a" })],
    ["list the projects", "listProjects", () => ({})],
    ["list what could be forgotten by query", "forget", () => ({ query: "bees secret", threshold: 0 })],
    ["list memories", "listMemories", () => ({ containerTags: ["a"], limit: 100 })],
    ["list guesses", "listInferred", () => ({ containerTag: "a" })],
    ["list the journal", "listJournal", () => ({ limit: 200 })],
    ["list the journal of the shared document", "listJournal", ({ shared }) => ({ documentId: shared })],
    ["list the journal of what moved away", "listJournal", ({ moved }) => ({ documentId: moved })],
    ["list the journal of their memory", "listJournal", ({ theirMemory }) => ({ memoryId: theirMemory })],
    ["read the history of the own memory", "readHistory", ({ myMemory }) => ({ id: myMemory })],
    [
      "show what would be forgotten",
      "forgetMatching",
      () => ({ containerTag: "a", query: "bees secret", threshold: 0, dryRun: true }),
    ],
    ["list documents with memories", "listDocumentsWithMemories", () => ({ limit: 100 })],
    [
      "read documents with memories",
      "readDocumentsWithMemories",
      ({ mine, theirs, shared, moved }) => ({ ids: [mine, theirs, shared, moved] }),
    ],
    [
      "read documents by customId",
      "readDocumentsWithMemories",
      () => ({ ids: ["theirs", "shared", "moved"], by: "customId" }),
    ],
  ])("%s reveals nothing of the other container", async (_name, useCase, input) => {
    const answer = JSON.stringify(await core[useCase](onlyA, input(ids)));
    expect(answer).not.toContain(SECRET);
    expect(answer).not.toContain('"b"');
    for (const hidden of [ids.theirs, ids.theirMemory]) expect(answer).not.toContain(hidden);
  });

  test("does not list a document that moved away as a source", async () => {
    const { store } = opened;
    const [fact] = await store.memories.ofDocument(store.organizationId, ids.moved);
    expect(fact?.containerTag).toBe("a");
    expect((await core.fetch(onlyA, { id: fact?.id })).sources).toEqual([]);
    expect((await core.fetch(all, { id: fact?.id })).sources).toEqual([ids.moved]);
  });

  test("without a tag lists documents of all the caller's containers", async () => {
    const both = opened.call(["a", "c"]);
    await core.addDocument(all, { content: "of c", containerTags: ["c"] });
    for (const operator of ["any", "all"]) expect((await core.listDocuments(both, { operator })).total).toBe(3);
  });

  test.each(["theirs", "theirMemory", "moved"] as const)(
    "%s is not found, with the same message as an unknown document",
    async (name) => {
      const id = ids[name];
      for (const useCase of ["getDocument", "fetch"] as const)
        expect(await refusal(core[useCase](onlyA, { id }))).toMatchObject({
          kind: "not_found",
          message: `Document not found: ${id}`,
        });
    },
  );

  test("another container is forbidden, whatever the call", async () => {
    const calls: [UseCase, unknown][] = [
      ["search", { q: "x", containerTags: ["a", "b"] }],
      ["searchDocuments", { q: "x", containerTags: ["b"] }],
      ["profile", { containerTag: "b" }],
      ["listProfileBuckets", { containerTag: "b" }],
      ["listDocuments", { containerTags: ["b"] }],
      ["forget", { query: "x", containerTag: "b" }],
      ["forget", { content: "x", containerTag: "b" }],
      ["forgetOne", { content: "x", containerTag: "b" }],
      ["forgetMatching", { query: "x", containerTag: "b" }],
      ["updateMemory", { id: ids.theirMemory, newContent: "x", containerTag: "b" }],
      ["listMemories", { containerTags: ["a", "b"] }],
      ["listInferred", { containerTag: "b" }],
      ["listJournal", { containerTag: "b" }],
      ["reviewInferred", { containerTag: "b", id: ids.theirMemory, action: "approve" }],
      ["listDocumentsWithMemories", { containerTags: ["b"] }],
      ["readDocumentsWithMemories", { ids: [ids.theirs], containerTags: ["b"] }],
      ["countDocumentCategories", { containerTags: ["b"] }],
      ["addDocument", { content: "x", containerTags: ["a", "b"] }],
      ["createMemories", { containerTag: "b", memories: [{ content: "x" }] }],
      ["getContainer", { containerTag: "b" }],
      ["updateContainer", { containerTag: "b", name: "mine" }],
    ];
    const before = await opened.rowCounts();
    for (const [useCase, input] of calls)
      expect(await refusal(core[useCase](onlyA, input)), useCase).toMatchObject({
        kind: "forbidden",
        message: expect.stringMatching(/^This key may not use the container .*It may use: a\.$/) as string,
      });
    expect(await opened.rowCounts()).toEqual(before);
  });

  test("a caller without containers sees nothing", async () => {
    const none = opened.call([]);
    expect((await core.search(none, { q: "bees", threshold: 0 })).results).toEqual([]);
    expect((await core.search(none, { q: "bees" })).waiting).toBe(0);
    expect((await core.listDocuments(none, {})).total).toBe(0);
    expect(await refusal(core.getDocument(none, { id: ids.mine }))).toMatchObject({ kind: "not_found" });
  });
});

describe("changing", () => {
  test("a customId used in another container is free in one's own, and refers to one's own document there", async () => {
    const before = await core.getDocument(all, { id: ids.theirs });
    const added = await core.addDocument(onlyA, { content: "Mine.", containerTags: ["a"], customId: "theirs" });
    await opened.settle();
    expect(added.id).not.toBe(ids.theirs);
    expect((await core.getDocument(onlyA, { id: "theirs" })).document.id).toBe(added.id);
    expect(await core.getDocument(all, { id: ids.theirs })).toEqual(before);
    expect(await refusal(core.getDocument(all, { id: "theirs" }))).toMatchObject({ kind: "conflict" });
  });

  test("documents and memories of others cannot be deleted, forgotten, replaced or superseded", async () => {
    const before = await opened.everything();
    const tries: [UseCase, unknown, string][] = [
      ["deleteDocument", { id: ids.theirs }, "not_found"],
      ["deleteDocument", { id: "theirs" }, "not_found"],
      ["deleteDocument", { id: ids.shared }, "forbidden"],
      ["forget", { ids: [ids.theirMemory] }, "not_found"],
      ["forget", { ids: [ids.myMemory, ids.theirMemory] }, "not_found"],
      ["forgetOne", { id: ids.theirMemory, containerTag: "a" }, "not_found"],
      ["forgetOne", { id: ids.theirs, containerTag: "a" }, "not_found"],
      ["forgetOne", { id: "moved", containerTag: "a" }, "not_found"],
      ["forgetOne", { id: ids.shared, containerTag: "a" }, "forbidden"],
      ["updateMemory", { id: ids.theirMemory, newContent: "x", containerTag: "a" }, "not_found"],
      ["updateMemory", { id: ids.theirMemory, newContent: "x" }, "not_found"],
      ["reviewInferred", { id: ids.theirMemory, containerTag: "a", action: "approve" }, "not_found"],
      ["addDocument", { content: "mine now", containerTags: ["a"], customId: "shared" }, "forbidden"],
      [
        "addDocument",
        { content: "x", containerTags: ["a"], facts: [{ text: "y", updates: ids.theirMemory }] },
        "invalid",
      ],
    ];
    for (const [useCase, input, kind] of tries) {
      const error = await refusal(core[useCase](onlyA, input));
      expect(error, JSON.stringify(input)).toMatchObject({ kind });
      expect(String(error)).not.toContain(SECRET);
    }
    expect(await opened.everything()).toBe(before);
  });

  test("deleting a document forgets nothing in other containers", async () => {
    const onlyB = opened.call(["b"]);
    await core.deleteDocument(onlyB, { id: ids.moved });
    const found = await core.search(onlyA, { q: "Moving bees note fact", searchMode: "memories" });
    expect(found.results[0]?.text).toBe("Moving bees note fact");
  });

  test("the same statement in two containers becomes two memories", async () => {
    const [one, two] = await Promise.all(
      ["a", "b"].map((containerTag) =>
        core.createMemories(all, { containerTag, memories: [{ content: "The sky is blue today" }] }),
      ),
    );
    expect(one?.memories[0]?.id).not.toBe(two?.memories[0]?.id);
    await core.forget(onlyA, { ids: [one?.memories[0]?.id ?? ""] });
    const found = await core.search(all, { q: "The sky is blue today", containerTags: ["b"], searchMode: "memories" });
    expect(found.results[0]?.id).toBe(two?.memories[0]?.id);
  });

  test("keys, diagnostics and settings are only for callers of the whole organisation", async () => {
    const { secret } = await core.createKey(all, { name: "mine" });
    const { keys } = await core.listKeys(all);
    for (const [useCase, input] of [
      ["createKey", { name: "more" }],
      ["listKeys", {}],
      ["revokeKey", { id: keys[0]?.id }],
      ["ensureFirstKey", {}],
      ["diagnose", {}],
      ["deleteContainer", { containerTag: "a" }],
      ["mergeContainers", { containerTags: ["a", "b"], targetContainerTag: "a" }],
      ["getMerge", { id: "x" }],
      ["getSettings", {}],
      ["updateSettings", {}],
      ["resetOrganization", { confirmation: "Recollect" }],
      ["suggestBuckets", {}],
      ["createProject", { name: "x" }],
      ["deleteProject", { id: "x", action: "delete" }],
    ] as const)
      expect(await refusal(core[useCase](onlyA, input)), useCase).toMatchObject({ kind: "forbidden" });
    expect(await core.authenticate(all, secret)).toMatchObject({ containers: "all" });
  });
});

describe("another organisation", () => {
  test("sees and changes nothing, and has separate containers", async () => {
    const stranger: Call = { actor: { organizationId: "someone-else", name: "key:x", containers: "all" } };
    expect((await core.search(stranger, { q: "bees secret", threshold: 0 })).results).toEqual([]);
    expect((await core.listDocuments(stranger, {})).total).toBe(0);
    expect(await core.profile(stranger, { containerTag: "b" })).toMatchObject({ static: [], dynamic: [] });
    expect((await core.listKeys(stranger)).keys).toEqual([]);
    expect((await core.listContainers(stranger)).containers).toEqual([]);
    expect((await core.getSettings(stranger)).settings).toEqual({});
    for (const useCase of ["getContainer", "deleteContainer"] as const)
      expect(await refusal(core[useCase](stranger, { containerTag: "b" }))).toMatchObject({ kind: "not_found" });
    for (const id of [ids.mine, ids.theirMemory, "theirs"]) {
      expect(await refusal(core.getDocument(stranger, { id }))).toMatchObject({ kind: "not_found" });
      expect(await refusal(core.fetch(stranger, { id }))).toMatchObject({ kind: "not_found" });
      expect(await refusal(core.deleteDocument(stranger, { id }))).toMatchObject({ kind: "not_found" });
      expect(await refusal(core.forget(stranger, { ids: [id] }))).toMatchObject({ kind: "not_found" });
    }
    const added = await core.addDocument(stranger, { content: "x", customId: "theirs", containerTags: ["b"] });
    expect(added.id).not.toBe(ids.theirs);
    expect((await core.getDocument(all, { id: "theirs" })).document.id).toBe(ids.theirs);
  });
});
