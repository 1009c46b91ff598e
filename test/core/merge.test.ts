import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { Call, Core } from "../../src/core/index.js";
import { mergeJobSchema, runMerge } from "../../src/core/containers/merge-job.js";
import type { JobContext } from "../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;
let organization: string;

const use = (manual: ManualCore): void => {
  opened = manual;
  core = opened.core;
  call = opened.call();
  organization = opened.store.organizationId;
};

const add = async (content: string, containerTags: string[], more: Record<string, unknown> = {}) =>
  core.addDocument(call, { content, containerTags, facts: [{ text: `${content} fact` }], ...more });
const remember = async (containerTag: string, ...contents: string[]) =>
  (await core.createMemories(call, { containerTag, memories: contents.map((content) => ({ content })) })).memories;
const merge = (source: string, target: string) =>
  core.mergeContainers(call, { containerTags: [source, target], targetContainerTag: target });
const texts = async (containerTag: string, q = "bees") =>
  (await core.search(call, { q, containerTags: [containerTag], threshold: 0, limit: 50 })).results
    .map(({ text }) => text)
    .toSorted();
const summaries = async () =>
  (await core.listContainers(call)).containers.map(({ tag, documentCount, memoryCount }) => ({
    tag,
    documentCount,
    memoryCount,
  }));

describe("merging containers", () => {
  beforeEach(async () => use(await openManualCore()));
  afterEach(() => opened.close());

  test("moves documents and memories, which are then found only in the target, and deletes the source", async () => {
    await add("Bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    await add("Bees of c", ["c"]);
    await remember("a", "Ada keeps bees on the roof");
    await opened.settle();
    const accepted = await merge("a", "b");
    expect(accepted).toMatchObject({ sourceTags: ["a"], targetTag: "b", documents: 2 });
    await opened.settle();

    expect(await core.getMerge(call, { id: accepted.id })).toMatchObject({
      status: "completed",
      sourceTags: ["a"],
      targetTag: "b",
      progress: { phase: "completed", copiedRows: 4, completedSourceTags: ["a"], attempt: 1 },
      lastError: null,
    });
    expect(await summaries()).toEqual([
      { tag: "b", documentCount: 3, memoryCount: 3 },
      { tag: "c", documentCount: 1, memoryCount: 1 },
    ]);
    const found = ["Ada keeps bees on the roof", "Bees of a", "Bees of a fact", "Bees of b", "Bees of b fact"];
    expect(await texts("b")).toEqual(expect.arrayContaining(found));
    expect(await texts("a")).toEqual([]);
    expect(await texts("c")).toEqual(["Bees of c", "Bees of c fact"]);
    await expect(core.getContainer(call, { containerTag: "a" })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("leaves nothing of the source in any index", async () => {
    await add("Bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    const forgotten = await remember("a", "Wasps sting", "Bees hum");
    await core.forget(call, { ids: [forgotten[0]?.id ?? ""] });
    await opened.settle();
    const [source] = await opened.store.containers.find(organization, ["a"]);
    await merge("a", "b");
    await opened.settle();
    const spaces = await opened.store.vectors.spaces();
    expect(spaces).not.toEqual([]);
    for (const space of spaces) expect((await opened.store.vectors.counts(space.id)).has(source?.id ?? 0)).toBe(false);
    const scope = { containerIds: [source?.id ?? 0], kinds: ["chunk", "memory"] as const, includeForgotten: true };
    expect((await opened.store.units.searchText(scope, ["bees", "wasps"], { limit: 10 })).hits).toEqual([]);
    const withForgotten = { q: "wasps", containerTags: ["b"], threshold: 0, includeForgotten: true };
    expect((await core.search(call, withForgotten)).results.map(({ text }) => text)).toContain("Wasps sting");
  });

  test("joins memories that say the same, including sources, strength and times", async () => {
    await add("Note of a", ["a"], { facts: [{ text: "Ada keeps bees", isStatic: true }] });
    await add("Note of b", ["b"], { facts: [{ text: "Ada keeps bees", forgetAfter: "2099-01-01" }] });
    await opened.settle();
    await merge("a", "b");
    await opened.settle();
    const active = await opened.store.memories.active(organization, "b", { limit: 10 });
    expect(active).toMatchObject([
      { text: "Ada keeps bees", sourceCount: 2, strength: 2, isStatic: true, forgetAfter: null },
    ]);
    expect(await opened.everything()).toContain(`the same as memory ${active[0]?.id}`);
  });

  test("keeps the versions of a memory together", async () => {
    const [old] = await remember("a", "Ada has two hives");
    await core.addDocument(call, {
      content: "Ada bought a hive",
      containerTags: ["a"],
      facts: [{ text: "Ada has three hives", updates: old?.id ?? "" }],
    });
    await opened.settle();
    await core.updateContainer(call, { containerTag: "b", name: "B" });
    await merge("a", "b");
    await opened.settle();
    const latest = await opened.store.memories.latestOf(organization, old?.id ?? "");
    expect(latest).toMatchObject({ text: "Ada has three hives", version: 2, parentId: old?.id, containerTag: "b" });
    expect(await opened.store.memories.byId(organization, old?.id ?? "")).toMatchObject({
      containerTag: "b",
      isLatest: false,
    });
  });

  test("leaves documents of both with one tag, and other tags unchanged", async () => {
    const both = await add("In both", ["a", "b"]);
    const first = await add("In a and c", ["a", "c"]);
    const last = await add("In c and a", ["c", "a"]);
    await opened.settle();
    await merge("a", "b");
    await opened.settle();
    const tagsOf = async ({ id }: { id: string }) => (await core.getDocument(call, { id })).document.containerTags;
    expect(await tagsOf(both)).toEqual(["b"]);
    expect(await tagsOf(first)).toEqual(["b", "c"]);
    expect(await tagsOf(last)).toEqual(["c", "b"]);
  });

  test("can have a third container as its target, and keeps the target's details", async () => {
    await core.updateContainer(call, { containerTag: "c", name: "C", profileBuckets: [{ key: "c" }] });
    await core.updateContainer(call, { containerTag: "a", name: "A", entityContext: "of a" });
    await add("Bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    await opened.settle();
    const input = { containerTags: ["a", "b"], targetContainerTag: "c" };
    expect(await core.mergeContainers(call, input)).toMatchObject({ sourceTags: ["a", "b"], documents: 2 });
    await opened.settle();
    expect(await summaries()).toEqual([{ tag: "c", documentCount: 2, memoryCount: 2 }]);
    expect(await core.getContainer(call, { containerTag: "c" })).toMatchObject({
      name: "C",
      entityContext: null,
      profileBuckets: [{ key: "c", description: "" }],
    });
  });

  test("does not change the modification time of documents", async () => {
    const { id } = await add("Bees of a", ["a"]);
    await add("Bees of b", ["b"]);
    await opened.settle();
    const before = (await core.getDocument(call, { id })).document;
    opened.clock.advance(60_000);
    await merge("a", "b");
    await opened.settle();
    expect((await core.getDocument(call, { id })).document).toEqual({ ...before, containerTags: ["b"] });
  });

  test("handles containers of more than one batch", async () => {
    for (let number = 0; number < 25; number++) await add(`Bees number ${number}`, ["a"], { taskType: "superrag" });
    for (let part = 0; part < 3; part++)
      await remember("a", ...Array.from({ length: 50 }, (_, index) => `Hive ${part}-${index} stands in row ${index}`));
    await remember("b", "Bees hum");
    await opened.settle();
    await merge("a", "b");
    await opened.settle();
    expect(await summaries()).toEqual([{ tag: "b", documentCount: 29, memoryCount: 151 }]);
  });

  test("can be repeated with a source that was created again", async () => {
    await remember("b", "Bees hum");
    for (const text of ["First bees", "Second bees"]) {
      await remember("a", text);
      await merge("a", "b");
      await opened.settle();
    }
    expect(await texts("b")).toEqual(["Bees hum", "First bees", "Second bees"]);
  });

  test.each<[string, unknown, string]>([
    ["no input", undefined, "must be an object"],
    ["one tag", { containerTags: ["a"], targetContainerTag: "b" }, "containerTags: must name two different containers"],
    [
      "three tags",
      { containerTags: ["a", "b", "c"], targetContainerTag: "b" },
      "containerTags: must name two different containers",
    ],
    [
      "one tag twice",
      { containerTags: ["a", "a"], targetContainerTag: "b" },
      "containerTags: must name two different containers",
    ],
    ["no target", { containerTags: ["a", "b"] }, "targetContainerTag: is missing"],
    [
      "no list",
      { containerTags: "a,b", targetContainerTag: "b" },
      "containerTags: must be an array of two container tags",
    ],
    [
      "an invalid tag",
      { containerTags: ["a b", "b"], targetContainerTag: "b" },
      "containerTags.0: must contain only letters, digits, hyphens, underscores, colons and dots",
    ],
  ])("is rejected with %s", async (_name, input, message) => {
    await expect(core.mergeContainers(call, input)).rejects.toMatchObject({ kind: "invalid", message });
  });

  test("is refused for unknown tags and for keys limited to some containers; an unknown merge is not found", async () => {
    await remember("a", "Bees hum");
    for (const [source, target] of [
      ["a", "nowhere"],
      ["nowhere", "a"],
    ] as const)
      await expect(merge(source, target)).rejects.toMatchObject({
        kind: "not_found",
        message: "Container not found: nowhere",
      });
    const onlyA = opened.call(["a"]);
    const input = { containerTags: ["a", "b"], targetContainerTag: "b" };
    await expect(core.mergeContainers(onlyA, input)).rejects.toMatchObject({ kind: "forbidden" });
    await expect(core.getMerge(onlyA, { id: "x" })).rejects.toMatchObject({ kind: "forbidden" });
    await expect(core.getMerge(call, { id: "x" })).rejects.toMatchObject({
      kind: "not_found",
      message: "Merge not found: x",
    });
  });
});

describe("while a merge is in progress", () => {
  beforeEach(async () => {
    use(await openManualCore({ jobs: false }));
    await remember("a", "Bees of a");
    await remember("b", "Bees of b");
    await remember("c", "Bees of c");
  });
  afterEach(() => opened.close());

  test("it is listed, without the name of a container that the caller may not see", async () => {
    const { id } = await merge("a", "b");
    const listed = async (by: Call) => (await core.listContainers(by)).containers.map((one) => [one.tag, one.merge]);
    expect(await core.getMerge(call, { id })).toMatchObject({ status: "queued", progress: null });
    expect(Object.fromEntries(await listed(call))).toEqual({
      a: { id, role: "source", targetTag: "b" },
      b: { id, role: "target", targetTag: "b" },
      c: null,
    });
    expect(await listed(opened.call(["a"]))).toEqual([["a", { id, role: "source" }]]);
  });

  test("writes to the source are deferred; writes to the target and elsewhere continue", async () => {
    await core.createMemories(call, { containerTag: "a", memories: [{ content: "Bees sleep in winter" }] });
    const [newest] = (await core.listJournal(call, { containerTag: "a", limit: 1 })).items;
    await merge("a", "b");
    const putOff = {
      kind: "conflict",
      message: "The container a is being merged into b. Write there, or try again in a moment.",
      retryAfter: 1,
    };
    const writes = (containerTag: string) => [
      core.addDocument(call, { content: "New bees", containerTags: [containerTag] }),
      core.createMemories(call, { containerTag, memories: [{ content: "New bees" }] }),
      core.updateContainer(call, { containerTag, name: "New" }),
    ];
    const undo = core.undoBatch(call, { batchId: newest?.batchId });
    const outcomes = await Promise.allSettled([...writes("a"), undo]);
    for (const outcome of outcomes) expect(outcome.status === "rejected" && outcome.reason).toMatchObject(putOff);
    await expect(core.deleteContainer(call, { containerTag: "a" })).rejects.toMatchObject(putOff);
    await expect(core.deleteContainer(call, { containerTag: "b" })).rejects.toMatchObject({
      kind: "conflict",
      message: "a is being merged into the container b. Try again when that is done.",
      retryAfter: 1,
    });
    for (const tag of ["b", "c"]) await Promise.all(writes(tag));
    expect(await texts("a")).toEqual(["Bees of a", "Bees sleep in winter"]);
  });

  test.each([
    ["a", "c"],
    ["c", "a"],
    ["b", "c"],
    ["c", "b"],
    ["a", "b"],
  ])("another merge of %s into %s is rejected", async (source, target) => {
    const { id } = await merge("a", "b");
    const refused = await merge(source, target).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      kind: "conflict",
      message: expect.stringContaining(`is already part of the merge ${id}`) as string,
    });
    expect(refused).toMatchObject({ retryAfter: undefined });
  });

  test("other containers may be merged at the same time", async () => {
    await remember("d", "Bees of d");
    await merge("a", "b");
    expect(await merge("c", "d")).toMatchObject({ targetTag: "d" });
  });

  test("a repeated call starts one merge", async () => {
    const repeated = { ...call, operationId: "once" };
    const input = { containerTags: ["a", "b"], targetContainerTag: "b" };
    expect(await core.mergeContainers(repeated, input)).toEqual(await core.mergeContainers(repeated, input));
    expect(await opened.store.merges.open(organization)).toHaveLength(1);
  });
});

describe("documents that are still being processed", () => {
  let release: (() => void) | undefined;

  beforeEach(async () => {
    const rules = createRulesExtractor();
    const held = new Promise<void>((resolve) => (release = resolve));
    const factExtractor = {
      ...rules,
      extract: async (...parameters: Parameters<typeof rules.extract>) => {
        await held;
        return rules.extract(...parameters);
      },
    };
    use(await openManualCore({ factExtractor }));
    await remember("b", "Bees of b");
    await core.addDocument(call, { content: "Ada keeps bees on the roof.", containerTags: ["a"] });
  });
  afterEach(async () => {
    release?.();
    await opened.close();
  });

  /** The state of a merge after it was checked once. */
  async function lookedAt(id: string) {
    for (;;) {
      const found = await core.getMerge(call, { id });
      if (found.status !== "queued") return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  test("are waited for, and their memories are moved too", async () => {
    const { id } = await merge("a", "b");
    expect(await lookedAt(id)).toMatchObject({
      status: "waiting_for_ingest",
      progress: { phase: "waiting_for_ingest", inFlightItems: 1, copiedRows: 0 },
    });
    release?.();
    await opened.settle();
    opened.clock.advance(2_000);
    await opened.settle();
    expect(await core.getMerge(call, { id })).toMatchObject({ status: "completed" });
    expect(await texts("b")).toEqual(["Ada keeps bees on the roof", "Bees of b"]);
  });

  test("are waited for no longer than an hour; then the merge fails, and the source is writable again", async () => {
    const { id } = await merge("a", "b");
    await lookedAt(id);
    opened.clock.advance(60 * 60_000 + 1_000);
    while ((await core.getMerge(call, { id })).status !== "failed") {
      // It may have been about to schedule its next check when the hour ended.
      opened.clock.advance(1_000);
      opened.context.wakeJobs();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await core.getMerge(call, { id })).toMatchObject({
      progress: { phase: "failed" },
      lastError:
        "1 documents of a were still being processed after an hour. Merge again when they are done or deleted.",
    });
    await remember("a", "New bees");
  });
});

describe("an interrupted merge", () => {
  const DOCUMENTS = 12;
  const MEMORIES = 60;

  /** A queued merge with more than one batch of everything. */
  async function prepare(): Promise<ManualCore> {
    const idle = await openManualCore({ jobs: false });
    use(idle);
    for (let number = 0; number < DOCUMENTS - 1; number++) await remember("a", `Bees number ${number}`);
    await remember("a", ...Array.from({ length: MEMORIES - DOCUMENTS }, (_, index) => `Hive ${index} hums`));
    for (const tag of ["a", "b"]) await remember(tag, "The same in both");
    await merge("a", "b");
    return idle;
  }

  /** Runs the merge for this many transactions, as if the process then ended. @returns whether it completed */
  async function runUntil({ context, store }: ManualCore, transactions: number): Promise<boolean> {
    const [job] = await store.jobs.claim("worker", 1, 1);
    if (!job) throw new Error("There is no job");
    let left = transactions;
    const dying = {
      ...store,
      transaction: <T>(work: Parameters<typeof store.transaction<T>>[0]) => {
        if (left === 0) return Promise.reject(new Error("The process ended"));
        left -= 1;
        return store.transaction(work);
      },
    };
    const run: JobContext = {
      job,
      signal: new AbortController().signal,
      finish: async () => undefined,
      follow: async () => undefined,
    };
    return runMerge({ ...context, store: dying }, mergeJobSchema.parse(job.payload), run).then(
      () => true,
      () => false,
    );
  }

  test("completes after a restart with the same result, wherever it was interrupted", async () => {
    let isThrough = false;
    for (let transactions = 0; !isThrough; transactions++) {
      const idle = await prepare();
      isThrough = await runUntil(idle, transactions);
      const { store, clock, dataDirectory } = idle;
      expect((await store.merges.open(organization)).length).toBe(isThrough ? 0 : 1);
      const restarted = await openManualCore({ dataDirectory, clock });
      await restarted.settle();
      expect(await summaries(), `after ${transactions}`).toEqual([
        { tag: "b", documentCount: DOCUMENTS + 2, memoryCount: MEMORIES },
      ]);
      expect(await store.merges.open(organization)).toEqual([]);
      expect(await store.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
      await restarted.close();
      await idle.close();
    }
  }, 60_000);
});

describe("a customId used by documents of both containers", () => {
  beforeEach(async () => use(await openManualCore()));
  afterEach(() => opened.close());

  const addNamed = async (content: string, ...containerTags: string[]) =>
    (await add(content, containerTags, { customId: "x1" })).id;
  const named = async (within?: string) => (await core.getDocument(call, { id: "x1", within })).document.id;
  const customIdOf = async (id: string) => (await core.getDocument(call, { id })).document.customId;
  const settledMerge = async (source: string, target: string) => {
    await opened.settle();
    const { id } = await merge(source, target);
    await opened.settle();
    return core.getMerge(call, { id });
  };

  test("stays with the target's document; the other loses its own, which merge and journal report", async () => {
    const [moved, there] = [await addNamed("Bees of a", "a"), await addNamed("Bees of b", "b")];
    const other = (await add("Ants of a", ["a"], { customId: "x2" })).id;
    expect((await settledMerge("a", "b")).progress).toMatchObject({ phase: "completed", withoutCustomId: 1 });
    expect([await named(), await named("b"), await customIdOf(moved)]).toEqual([there, there, null]);
    expect([await customIdOf(other), (await core.getDocument(call, { id: moved })).document.containerTags]).toEqual([
      "x2",
      ["b"],
    ]);
    const { items } = await core.listJournal(call, { documentId: moved, action: "document.moved" });
    expect(items).toMatchObject([{ before: { customId: "x1" }, after: { customId: null, containerTags: ["b"] } }]);
    expect((await add("Bees again", ["b"], { customId: "x1" })).id).toBe(there);
  });

  test("moves if only one of the documents belongs to the target", async () => {
    const [moved, guest] = [await addNamed("Bees of a", "a"), await addNamed("Bees of c", "c", "b")];
    await settledMerge("a", "b");
    expect([await customIdOf(moved), await customIdOf(guest), await named("b")]).toEqual(["x1", "x1", moved]);
  });

  test.each([
    ["its container is deleted", () => core.deleteContainer(call, { containerTag: "a" })],
    ["it is removed from its container", () => core.deleteDocuments(call, { containerTags: ["a"] })],
  ])("stays with the document already there when another becomes the target's because %s", async (_name, leave) => {
    const there = await addNamed("Bees of b", "b");
    const coming = await addNamed("Bees of a", "a", "b");
    await opened.settle();
    await leave();
    await opened.settle();
    expect([await named(), await customIdOf(there), await customIdOf(coming)]).toEqual([there, "x1", null]);
    const { items } = await core.listJournal(call, { documentId: coming, limit: 1 });
    expect(items).toMatchObject([{ before: { customId: "x1" }, after: { customId: null } }]);
  });
});
