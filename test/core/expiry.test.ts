import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const TEXT = "Mia rehearses the cello for the autumn concert";
const LIFETIME_MS = 90_000;

/** No clean-up ever runs here: only the clock advances. */
let opened: ManualCore;
let core: Core;
let call: Call;
let memoryId: string;
let documentId: string;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
  await core.updateContainer(call, {
    containerTag: "a",
    profileBuckets: [{ key: "music", description: "Music, instruments, concerts, rehearses cello" }],
  });
  const forgetAfter = opened.clock.from(LIFETIME_MS).toISOString();
  const created = await core.createMemories(call, { containerTag: "a", memories: [{ content: TEXT, forgetAfter }] });
  documentId = created.documentId;
  memoryId = created.memories[0]?.id ?? "";
  await core.createMemories(call, { containerTag: "a", memories: [{ content: "Mia also plays chess" }] });
  await opened.settle();
});
afterEach(() => opened.close());

const q = "Which instrument does Mia rehearse?";
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: { kind: string }) => error.kind,
  );
const has = (answer: unknown): boolean => JSON.stringify(answer).includes(TEXT);

/** Every way to see a memory, with its result before and after the moment. */
const READERS: [name: string, read: () => Promise<unknown>, before: unknown, after: unknown][] = [
  ["search", async () => has(await core.search(call, { q, containerTags: ["a"], threshold: 0 })), true, false],
  [
    "search in memories",
    async () => has(await core.search(call, { q, containerTags: ["a"], threshold: 0, searchMode: "memories" })),
    true,
    false,
  ],
  [
    "search by its document",
    async () => has(await core.search(call, { q, documentId, containerTags: ["a"], threshold: 0 })),
    true,
    false,
  ],
  [
    "search with forgotten ones",
    async () => has(await core.search(call, { q, containerTags: ["a"], threshold: 0, includeForgotten: true })),
    true,
    true,
  ],
  ["profile, recent", async () => has((await core.profile(call, { containerTag: "a" })).dynamic), true, false],
  ["profile, buckets", async () => has((await core.profile(call, { containerTag: "a" })).buckets), true, false],
  [
    "profile, search",
    async () => has((await core.profile(call, { containerTag: "a", q, threshold: 0 })).search),
    true,
    false,
  ],
  ["list of memories", async () => has(await core.listMemories(call, { containerTags: ["a"] })), true, false],
  ["total of the list", async () => (await core.listMemories(call, { containerTags: ["a"] })).total, 2, 1],
  ["fetch", () => kindOf(core.fetch(call, { id: memoryId })), "done", "not_found"],
  ["fetch of its document", async () => (await core.fetch(call, { id: documentId })).memories.length, 1, 0],
  [
    "its document",
    async () => (await core.getDocument(call, { id: documentId })).memories.map(({ isForgotten }) => isForgotten),
    [false],
    [true],
  ],
  [
    "documents with memories",
    async () => {
      const { documents } = await core.listDocumentsWithMemories(call, { containerTags: ["a"] });
      const own = documents.find(({ document }) => document.id === documentId);
      return own?.memories.map(({ memory }) => memory.isForgotten);
    },
    [false],
    [true],
  ],
  [
    "documents with memories by id",
    async () => {
      const [own] = await core.readDocumentsWithMemories(call, { ids: [documentId] });
      return own?.memories.map(({ memory }) => memory.isForgotten);
    },
    [false],
    [true],
  ],
  [
    "count of a container",
    async () => JSON.stringify(await core.getContainer(call, { containerTag: "a" })).includes('"memoryCount":2'),
    true,
    false,
  ],
  [
    "candidates to forget",
    async () => has(await core.forget(call, { query: q, containerTag: "a", threshold: 0 })),
    true,
    false,
  ],
  [
    "forget-matching by query, dry run",
    async () => has(await core.forgetMatching(call, { query: q, containerTag: "a", threshold: 0, dryRun: true })),
    true,
    false,
  ],
  [
    "forget-matching by id, dry run",
    async () => has(await core.forgetMatching(call, { ids: [memoryId], containerTag: "a", dryRun: true })),
    true,
    false,
  ],
];

describe("an expired memory disappears at that moment, without any clean-up, from", () => {
  test.each(READERS)("%s", async (_name, read, before, after) => {
    opened.clock.advance(LIFETIME_MS - 1);
    expect(await read()).toEqual(before);
    opened.clock.advance(1);
    expect(await read()).toEqual(after);
  });
});

test("lasting facts and unreviewed guesses also expire to the second", async () => {
  const forgetAfter = opened.clock.from(LIFETIME_MS).toISOString();
  const { memories } = await core.createMemories(call, {
    containerTag: "b",
    memories: [
      { content: "Mia is a cellist", isStatic: true, forgetAfter },
      { content: "Mia may like operas", forgetAfter },
    ],
  });
  const { store } = opened;
  await store.memories.update(store.organizationId, memories[1]?.id ?? "", { isInference: true });
  const read = async () => [
    (await core.profile(call, { containerTag: "b" })).static?.length,
    (await core.listInferred(call, { containerTag: "b" })).length,
  ];
  opened.clock.advance(LIFETIME_MS - 1);
  expect(await read()).toEqual([1, 1]);
  opened.clock.advance(1);
  expect(await read()).toEqual([0, 0]);
});

describe("use cases that change memories treat an expired one as forgotten:", () => {
  const WRITERS: [name: string, write: () => Promise<unknown>, after: string][] = [
    ["forget by id", () => core.forget(call, { ids: [memoryId] }), "conflict"],
    ["forget by text", () => core.forget(call, { content: TEXT, containerTag: "a" }), "conflict"],
    ["forget one by id", () => core.forgetOne(call, { id: memoryId, containerTag: "a" }), "conflict"],
    ["forget one by text", () => core.forgetOne(call, { content: TEXT, containerTag: "a" }), "conflict"],
    ["delete", () => core.deleteDocument(call, { id: memoryId }), "not_found"],
    [
      "update by id",
      () => core.updateMemory(call, { id: memoryId, containerTag: "a", newContent: "Mia plays the harp" }),
      "not_found",
    ],
    [
      "update by text",
      () => core.updateMemory(call, { content: TEXT, containerTag: "a", newContent: "Mia plays the harp" }),
      "not_found",
    ],
  ];

  test.each(WRITERS)("%s", async (_name, write, after) => {
    opened.clock.advance(LIFETIME_MS);
    const before = await opened.everything();
    expect(await kindOf(write())).toBe(after);
    expect(await opened.everything()).toBe(before);
  });

  test.each(WRITERS)("%s works until then", async (_name, write) => {
    opened.clock.advance(LIFETIME_MS - 1);
    expect(await kindOf(write())).toBe("done");
  });

  test("forget-matching does not forget an expired memory", async () => {
    opened.clock.advance(LIFETIME_MS);
    for (const what of [{ ids: [memoryId] }, { query: q, threshold: 0 }])
      expect(has(await core.forgetMatching(call, { ...what, containerTag: "a" }))).toBe(false);
  });

  test("a statement made again after it expired becomes a new memory", async () => {
    opened.clock.advance(LIFETIME_MS);
    const { memories } = await core.createMemories(call, { containerTag: "a", memories: [{ content: TEXT }] });
    expect(memories[0]?.id).not.toBe(memoryId);
    expect(has(await core.search(call, { q, containerTags: ["a"], threshold: 0 }))).toBe(true);
    expect((await core.getContainer(call, { containerTag: "a" })).memoryCount).toBe(2);
  });
});
