import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import { unitOf, type Memory, type MemoryDraft } from "../../src/core/types.js";
import { buildMemoryDraft, FIRST_VERSION } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openDatabase } from "../support/store-folder.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const call = () => opened.call();
/** A guess as the extraction creates it: derived from this many memories, and searchable. */
const infer = async (values: Partial<MemoryDraft> = {}, parents = 0): Promise<Memory> => {
  const { store } = opened;
  const { organizationId } = store;
  const draft = buildMemoryDraft({ isInference: true, ...values });
  const [container] = await store.containers.ensure(organizationId, [draft.containerTag]);
  const memory = await store.memories.insert(organizationId, draft, FIRST_VERSION);
  const unit = unitOf("memory", memory.seq);
  const containerIds = [container?.id ?? 0];
  await store.units.indexText({ unit, containerIds, text: memory.text, context: "" });
  for (let parent = 0; parent < parents; parent++) {
    const { containerTag } = draft;
    const from = await store.memories.insert(organizationId, buildMemoryDraft({ containerTag }), FIRST_VERSION);
    await store.memories.relate(organizationId, memory.id, from.id, "derives");
  }
  return memory;
};
const queue = async (containerTag = "a") => core.listInferred(call(), { containerTag });
const review = (id: string, action: string, containerTag = "a") =>
  core.reviewInferred(call(), { containerTag, id, action });
const read = (id: string) => opened.store.memories.byId(opened.store.organizationId, id);
const search = async (q: string) => {
  const { results } = await core.search(call(), { q, searchMode: "memories", containerTags: ["a"], threshold: 0 });
  return results.map(({ text }) => text);
};
const actions = async () => {
  const connection = await openDatabase(opened.file, { readOnly: true });
  const rows = connection.prepare("select action, actor, before, after from journal order by seq").all() as {
    action: string;
  }[];
  connection.close();
  return rows.map(({ action }) => action);
};

describe("the review queue", () => {
  test("lists guesses with the most sources first, then the newest", async () => {
    const weak = await infer({ text: "Ada may like tea" }, 1);
    const strong = await infer({ text: "Ada may like bees" }, 3);
    opened.clock.advance(1_000);
    const young = await infer({ text: "Ada may like goats" }, 1);
    const listed = await queue();
    expect(listed.map(({ memory, parentCount }) => [memory.id, parentCount])).toEqual([
      [strong.id, 3],
      [young.id, 1],
      [weak.id, 1],
    ]);
  });

  test("counts only the memories that a guess was derived from", async () => {
    const { store } = opened;
    const guess = await infer({}, 2);
    const other = await infer({}, 0);
    await store.memories.relate(store.organizationId, guess.id, other.id, "extends");
    await store.memories.relate(store.organizationId, other.id, guess.id, "derives");
    const counts = new Map((await queue()).map(({ memory, parentCount }) => [memory.id, parentCount]));
    expect(counts.get(guess.id)).toBe(2);
  });

  test("shows at most 50", async () => {
    for (let index = 0; index < 55; index++) await infer();
    expect(await queue()).toHaveLength(50);
  });

  test("leaves out stated, forgotten, expired and reviewed memories, and other containers", async () => {
    await infer({ isInference: false });
    await infer({ forgetAfter: opened.clock.from(1_000).toISOString() });
    await infer({ containerTag: "b" });
    const forgotten = await infer();
    await core.forget(call(), { ids: [forgotten.id] });
    const [approved, declined, open] = [await infer(), await infer(), await infer()];
    await review(approved.id, "approve");
    await review(declined.id, "decline");
    opened.clock.advance(1_000);
    expect((await queue()).map(({ memory }) => memory.id)).toEqual([open.id]);
  });

  test("of an unknown container is empty", async () => {
    expect(await queue("nowhere")).toEqual([]);
  });
});

describe("reviewing a guess", () => {
  test("by approval makes it a stated fact", async () => {
    const { id } = await infer({ text: "Ada may keep bees", metadata: { team: "red" } });
    expect(await review(id, "approve")).toEqual({
      id,
      isInference: false,
      isForgotten: false,
      reviewStatus: "approved",
    });
    expect(await read(id)).toMatchObject({ metadata: { team: "red", reviewStatus: "approved" } });
    expect(await search("Ada may keep bees")).toEqual(["Ada may keep bees"]);
  });

  test("by declining removes it from search", async () => {
    const { id } = await infer({ text: "Ada may keep bees" });
    expect(await review(id, "decline")).toEqual({ id, isInference: true, isForgotten: true, reviewStatus: "declined" });
    expect(await read(id)).toMatchObject({
      metadata: { reviewStatus: "declined" },
      forgetReason: "declined in review",
    });
    expect(await search("Ada may keep bees")).toEqual([]);
  });

  test.each(["approve", "decline"])("can be undone after %s, which restores it exactly", async (action) => {
    const before = await infer({
      text: "Ada may keep bees",
      metadata: { team: "red" },
      forgetAfter: "2030-01-01T00:00:00.000Z",
      forgetReason: "a season",
    });
    await review(before.id, action);
    expect(await review(before.id, "undo")).toEqual({
      id: before.id,
      isInference: true,
      isForgotten: false,
      reviewStatus: null,
    });
    expect(await read(before.id)).toEqual(before);
    expect(await search("Ada may keep bees")).toEqual(["Ada may keep bees"]);
    expect((await queue()).map(({ memory }) => memory.id)).toEqual([before.id]);
  });

  test("records each step in the journal", async () => {
    const { id } = await infer();
    for (const action of ["approve", "undo", "decline", "undo"]) await review(id, action);
    expect(await actions()).toEqual([
      "memory.approved",
      "memory.review_undone",
      "memory.declined",
      "memory.review_undone",
    ]);
  });

  test("with the same operation id is done once", async () => {
    const { id } = await infer();
    const again = { ...call(), operationId: "one" };
    const first = await core.reviewInferred(again, { containerTag: "a", id, action: "approve" });
    expect(await core.reviewInferred(again, { containerTag: "a", id, action: "approve" })).toEqual(first);
  });
});

describe("not possible:", () => {
  test.each<[string, string[], string, RegExp]>([
    ["undone before any review", [], "undo", /was not reviewed: there is nothing to undo/],
    ["undone twice", ["approve", "undo"], "undo", /was not reviewed/],
    ["approved twice", ["approve"], "approve", /is already approved\. Undo that first to approve it/],
    ["declined after approval", ["approve"], "decline", /is already approved/],
    ["approved after declining", ["decline"], "approve", /is already declined/],
    ["declined twice", ["decline"], "decline", /is already declined/],
  ])("%s is a permanent conflict", async (_name, done, action, message) => {
    const { id } = await infer();
    for (const step of done) await review(id, step);
    await expect(review(id, action)).rejects.toMatchObject({
      kind: "conflict",
      retryAfter: undefined,
      message: expect.stringMatching(message) as string,
    });
  });

  test.each(["approve", "decline", "undo"])("a stated memory cannot be reviewed: %s", async (action) => {
    const { id } = await infer({ isInference: false });
    await expect(review(id, action)).rejects.toMatchObject({ kind: "conflict" });
  });

  test("a declined guess cannot be restored once it is known again", async () => {
    const { id } = await infer({ text: "Ada keeps bees" });
    await review(id, "decline");
    await core.createMemories(call(), { containerTag: "a", memories: [{ content: "Ada keeps bees." }] });
    await expect(review(id, "undo")).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(/says the same/) as string,
    });
    expect(await read(id)).toMatchObject({ isForgotten: true, metadata: { reviewStatus: "declined" } });
  });

  test("unknown, forgotten and other containers' memories, and unknown containers, are not found", async () => {
    const elsewhere = await infer({ containerTag: "b" });
    const forgotten = await infer();
    await core.forget(call(), { ids: [forgotten.id] });
    for (const id of [elsewhere.id, forgotten.id, "1111111111111111111111", "nonsense"])
      for (const action of ["approve", "decline", "undo"])
        await expect(review(id, action)).rejects.toMatchObject({
          kind: "not_found",
          message: `Memory not found: ${id}`,
        });
    await expect(review(forgotten.id, "approve", "nowhere")).rejects.toMatchObject({
      kind: "not_found",
      message: "Container not found: nowhere",
    });
  });

  test("a guess declined in a deleted container cannot be restored in a new one with the same tag", async () => {
    const { id } = await infer();
    await review(id, "decline");
    const { store } = opened;
    await store.containers.remove(store.organizationId, "a");
    await store.containers.ensure(store.organizationId, ["a"]);
    await expect(review(id, "undo")).rejects.toMatchObject({ kind: "not_found" });
    expect(await read(id)).toMatchObject({ isForgotten: true });
  });

  test("an unknown action", async () => {
    await expect(review("x", "reject")).rejects.toMatchObject({
      kind: "invalid",
      message: "action: must be approve, decline or undo",
    });
  });

  test("a container that the caller may not use", async () => {
    const { id } = await infer({ containerTag: "b", text: "secret guess" });
    const onlyA = opened.call(["a"]);
    await expect(core.listInferred(onlyA, { containerTag: "b" })).rejects.toMatchObject({ kind: "forbidden" });
    await expect(core.reviewInferred(onlyA, { containerTag: "b", id, action: "approve" })).rejects.toMatchObject({
      kind: "forbidden",
    });
    await infer();
    await expect(core.reviewInferred(onlyA, { containerTag: "a", id, action: "approve" })).rejects.toMatchObject({
      kind: "not_found",
    });
    expect(JSON.stringify(await core.listInferred(onlyA, { containerTag: "a" }))).not.toContain("secret");
    expect(await read(id)).toMatchObject({ isInference: true });
  });
});
