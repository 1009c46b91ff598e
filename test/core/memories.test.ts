import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const create = (memories: readonly Record<string, unknown>[], containerTag = "a") =>
  core.createMemories(call, { containerTag, memories });
const createOne = async (content: string, more: Record<string, unknown> = {}, containerTag = "a") => {
  const [memory] = (await create([{ content, ...more }], containerTag)).memories;
  if (!memory) throw new Error("Nothing was created");
  return memory;
};
const recall = async (q: string, more: Record<string, unknown> = {}) =>
  (await core.search(call, { q, containerTags: ["a"], searchMode: "memories", threshold: 0, ...more })).results;
const recallTexts = async (q: string, more: Record<string, unknown> = {}) =>
  (await recall(q, more)).map((result) => result.text);

describe("creating memories", () => {
  test("stores each as submitted, in order, immediately searchable, with a document that states them", async () => {
    const given = [
      { content: "Ada keeps bees", isStatic: true, metadata: { team: "red" } },
      { content: "Bo herds sheep", forgetAfter: "2030-01-01", forgetReason: "a season" },
      { content: "Cy paints boats", temporalContext: { documentDate: "2024-05-01", eventDate: ["2024-04-30"] } },
    ];
    const { documentId, memories } = await create(given);
    expect(memories.map((memory) => memory.text)).toEqual(given.map((memory) => memory.content));
    expect(memories).toMatchObject([
      { isStatic: true, metadata: { team: "red" }, version: 1, isLatest: true, sourceCount: 1 },
      { forgetAfter: "2030-01-01T00:00:00.000Z", forgetReason: "a season", isStatic: false },
      { metadata: { temporalContext: { documentDate: "2024-05-01", eventDate: ["2024-04-30"] } } },
    ]);
    expect(await recallTexts("bees", { limit: 1 })).toEqual(["Ada keeps bees"]);
    const { document } = await core.getDocument(call, { id: documentId });
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", containerTags: ["a"] });
  });

  test("strengthens an existing one, and returns that instead", async () => {
    const first = await createOne("Ada keeps bees");
    const { memories } = await create([
      { content: "Bo herds sheep" },
      { content: "ada keeps bees." },
      { content: "Bo herds sheep" },
    ]);
    expect(memories.map((memory) => memory.text)).toEqual(["Bo herds sheep", "Ada keeps bees", "Bo herds sheep"]);
    expect(memories[1]).toMatchObject({ id: first.id, strength: 2, sourceCount: 2 });
    expect(memories[0]?.id).toBe(memories[2]?.id);
    expect(await recallTexts("who keeps or herds what")).toHaveLength(2);
  });

  test("merges a repeated statement: it becomes lasting, and keeps the later expiry or none", async () => {
    await createOne("Ada keeps bees", { forgetAfter: "2024-06-01T00:00:00Z", metadata: { one: 1 } });
    expect(
      await createOne("Ada keeps bees", { forgetAfter: "2024-07-01T00:00:00Z", metadata: { two: 2 } }),
    ).toMatchObject({
      forgetAfter: "2024-07-01T00:00:00.000Z",
      metadata: { one: 1, two: 2 },
      isStatic: false,
    });
    expect(await createOne("Ada keeps bees", { forgetAfter: "2024-06-15T00:00:00Z", isStatic: true })).toMatchObject({
      forgetAfter: "2024-07-01T00:00:00.000Z",
      isStatic: true,
    });
    expect(await createOne("Ada keeps bees")).toMatchObject({ forgetAfter: null, isStatic: true, strength: 4 });
  });

  test("in many simultaneous calls creates one memory", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => createOne("Ada keeps bees")));
    expect(new Set(made.map((memory) => memory.id)).size).toBe(1);
    expect((await opened.store.memories.byId(opened.store.organizationId, made[0]?.id ?? ""))?.strength).toBe(10);
  });

  test("in another container creates a separate memory", async () => {
    const [one, two] = [await createOne("Ada keeps bees"), await createOne("Ada keeps bees", {}, "b")];
    expect(two.id).not.toBe(one.id);
  });

  test("rejects an expiry in the past, naming the entry, and stores nothing of the call", async () => {
    const before = await opened.rowCounts();
    const now = opened.clock.now().toISOString();
    await expect(create([{ content: "fine" }, { content: "late", forgetAfter: now }])).rejects.toMatchObject({
      kind: "invalid",
      message: "memories.1.forgetAfter: must be in the future",
    });
    expect(await opened.rowCounts()).toEqual(before);
  });

  test("reads a time without a zone as UTC, and converts one with a zone", async () => {
    expect((await createOne("one", { forgetAfter: "2030-01-01T10:00" })).forgetAfter).toBe("2030-01-01T10:00:00.000Z");
    expect((await createOne("two", { forgetAfter: "2030-01-01T10:00:00+02:00" })).forgetAfter).toBe(
      "2030-01-01T08:00:00.000Z",
    );
  });

  test("with the same operation id is done once", async () => {
    const again = { ...call, operationId: "op" };
    const input = { containerTag: "a", memories: [{ content: "Ada keeps bees" }] };
    const one = await core.createMemories(again, input);
    const two = await core.createMemories(again, input);
    expect(two).toEqual(one);
    expect(two.memories[0]?.strength).toBe(1);
  });
});

describe("an expired memory", () => {
  test("is not found from that moment, and is recorded as forgotten", async () => {
    const memory = await createOne("Ada keeps bees", { forgetAfter: opened.clock.from(60_000).toISOString() });
    opened.clock.advance(59_999);
    expect(await recallTexts("bees")).toEqual(["Ada keeps bees"]);
    opened.clock.advance(1);
    expect(await recallTexts("bees")).toEqual([]);
    expect((await core.profile(call, { containerTag: "a" })).dynamic).toEqual([]);
    await expect(core.fetch(call, { id: memory.id })).rejects.toMatchObject({ kind: "not_found" });
    await forgetExpired(opened.context, new AbortController().signal);
    const kept = await opened.store.memories.byId(opened.store.organizationId, memory.id);
    expect(kept).toMatchObject({ isForgotten: true, forgetReason: expect.stringContaining("time was over") as string });
  });

  test("allows the same statement to be created again", async () => {
    const first = await createOne("Ada keeps bees", { forgetAfter: opened.clock.from(1_000).toISOString() });
    opened.clock.advance(2_000);
    const second = await createOne("Ada keeps bees");
    expect(second.id).not.toBe(first.id);
    expect(await recallTexts("bees")).toEqual(["Ada keeps bees"]);
  });

  test("is forgotten with more than one batch of others in one run", async () => {
    const forgetAfter = opened.clock.from(1_000).toISOString();
    for (let part = 0; part < 5; part++)
      await create(
        Array.from({ length: 90 }, (_, index) => ({ content: `Fact ${part} of ${index} xyz`, forgetAfter })),
      );
    opened.clock.advance(2_000);
    await forgetExpired(opened.context, new AbortController().signal);
    const { store } = opened;
    expect(await store.memories.expired(store.organizationId, opened.clock.now(), 10)).toEqual([]);
  });
});

describe("forgetting", () => {
  test("by id: removes it from search, profile and fetch, and keeps it in the record with the reason", async () => {
    const memory = await createOne("Ada keeps bees");
    expect(await core.forget(call, { ids: [memory.id], reason: "she moved" })).toEqual({
      forgotten: [{ id: memory.id, text: "Ada keeps bees" }],
      candidates: [],
      statedIn: [],
      batchId: expect.stringMatching(/^\w{22}$/),
    });
    expect(await recallTexts("bees")).toEqual([]);
    expect((await core.profile(call, { containerTag: "a" })).dynamic).toEqual([]);
    await expect(core.fetch(call, { id: memory.id })).rejects.toMatchObject({ kind: "not_found" });
    expect(await recall("bees", { includeForgotten: true })).toMatchObject([
      { id: memory.id, memory: { isForgotten: true, forgetReason: "she moved" } },
    ]);
  });

  test("by exact text, in its container", async () => {
    const memory = await createOne("Ada keeps bees");
    const forget = (content: string, containerTag?: string) => core.forget(call, { content, containerTag });
    await expect(forget("Ada keeps bees")).rejects.toMatchObject({ issues: [{ path: ["containerTag"] }] });
    await expect(forget("ada keeps bees", "a")).rejects.toMatchObject({ kind: "not_found" });
    await expect(forget("Ada keeps bees", "b")).rejects.toMatchObject({ kind: "not_found" });
    expect((await forget("Ada keeps bees", "a")).forgotten).toMatchObject([{ id: memory.id }]);
    await expect(forget("Ada keeps bees", "a")).rejects.toMatchObject({ kind: "conflict" });
  });

  test("by query only lists candidates", async () => {
    const memory = await createOne("Ada keeps bees on the roof");
    await createOne("The train to Bonn leaves at noon");
    const before = await opened.everything();
    const { forgotten, candidates } = await core.forget(call, {
      query: "Where does Ada keep bees?",
      containerTag: "a",
    });
    expect(forgotten).toEqual([]);
    expect(candidates[0]).toMatchObject({ id: memory.id, text: memory.text });
    expect(await opened.everything()).toBe(before);
  });

  test.each([
    ["an unknown id", () => createId(), "not_found"],
    ["an invalid id", () => "nonsense", "not_found"],
    ["the id of a document", async () => (await create([{ content: "other fact" }])).documentId, "not_found"],
    ["an id in another container", async () => (await createOne("elsewhere", {}, "b")).id, "not_found"],
  ])("is all or nothing: with %s among the ids nothing is forgotten", async (_name, makeId, kind) => {
    const memory = await createOne("Ada keeps bees");
    const id = await makeId();
    await expect(core.forget(call, { ids: [memory.id, id], containerTag: "a" })).rejects.toMatchObject({
      kind,
      message: `Memory not found: ${id}`,
    });
    expect(await recallTexts("bees")).toContain("Ada keeps bees");
  });

  test("an already forgotten memory is a conflict, and nothing else is forgotten", async () => {
    const [one, two] = [await createOne("Ada keeps bees"), await createOne("Bo herds sheep")];
    await core.forget(call, { ids: [one.id] });
    await expect(core.forget(call, { ids: [two.id, one.id] })).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining(one.id) as string,
    });
    expect(await recallTexts("sheep")).toEqual(["Bo herds sheep"]);
  });

  test("an older version means the newest; naming both counts once", async () => {
    const old = await createOne("Ada lives in Rome");
    const { facts } = await core.addDocument(call, {
      content: "Moved.",
      containerTags: ["a"],
      facts: [{ text: "Ada lives in Oslo", updates: old.id }],
      wait: 20,
    });
    const newest = facts?.[0]?.id ?? "";
    const { forgotten } = await core.forget(call, { ids: [old.id, newest] });
    expect(forgotten).toEqual([{ id: newest, text: "Ada lives in Oslo" }]);
    expect(await recallTexts("Where does Ada live?")).toEqual([]);
    await expect(core.forget(call, { ids: [old.id] })).rejects.toMatchObject({ kind: "conflict" });
  });

  test("with the same operation id is done once", async () => {
    const { id } = await createOne("Ada keeps bees");
    const again = { ...call, operationId: "op" };
    const answer = await core.forget(again, { ids: [id] });
    expect(await core.forget(again, { ids: [id] })).toEqual(answer);
  });

  test("allows the same statement to become a new memory", async () => {
    const { id } = await createOne("Ada keeps bees");
    await core.forget(call, { ids: [id] });
    expect((await createOne("Ada keeps bees")).id).not.toBe(id);
    expect(await recallTexts("bees")).toEqual(["Ada keeps bees"]);
  });

  test("is recorded in the journal with who, why and what", async () => {
    const { id } = await createOne("Ada keeps bees");
    await core.forget(call, { ids: [id], reason: "no longer true" });
    const journal = (await opened.everything()).split("\n").find((line) => line.startsWith("journal:")) ?? "";
    const entries = JSON.parse(journal.slice("journal: ".length)) as Record<string, unknown>[];
    expect(entries.find((entry) => entry["action"] === "memory.forgotten")).toMatchObject({
      subject_id: id,
      actor: "local",
      cause: "no longer true",
      container_tag: "a",
    });
  });
});

describe("the profile", () => {
  test("separates lasting from recent facts, newest first, and includes search results for a question", async () => {
    await create([
      { content: "Ada is a beekeeper", isStatic: true },
      { content: "Ada bought a hive" },
      { content: "Ada sold honey" },
    ]);
    const whole = await core.profile(call, { containerTag: "a", q: "What did Ada sell?", threshold: 0 });
    expect(whole.static?.map((memory) => memory.text)).toEqual(["Ada is a beekeeper"]);
    expect(whole.dynamic?.map((memory) => memory.text)).toEqual(["Ada sold honey", "Ada bought a hive"]);
    expect(whole.search?.results[0]?.text).toBe("Ada sold honey");
    const part = await core.profile(call, { containerTag: "a", include: ["static"] });
    expect(Object.keys(part)).toEqual(["static", "search", "timeZone"]);
    expect(part.search).toBeNull();
  });

  test("can be filtered by metadata, and is empty for an unknown container", async () => {
    await create([
      { content: "one", metadata: { team: "red" } },
      { content: "two", metadata: { team: "blue" } },
    ]);
    const filters = { AND: [{ key: "team", value: "red" }] };
    expect((await core.profile(call, { containerTag: "a", filters })).dynamic?.map((memory) => memory.text)).toEqual([
      "one",
    ]);
    expect(await core.profile(call, { containerTag: "nowhere" })).toEqual({
      static: [],
      dynamic: [],
      buckets: { preferences: { recent: [], summary: null } },
      search: null,
      timeZone: "UTC",
    });
  });
});
