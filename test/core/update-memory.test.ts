import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { AppError } from "../../src/core/errors.js";
import type { Core } from "../../src/core/index.js";
import type { Memory } from "../../src/core/types.js";
import { openDatabase } from "../support/store-folder.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
});
afterEach(() => opened.close());

const call = () => opened.call();
const remember = async (content: string, more: Record<string, unknown> = {}, containerTag = "a"): Promise<Memory> => {
  const { memories } = await core.createMemories(call(), { containerTag, memories: [{ content, ...more }] });
  const [memory] = memories;
  if (!memory) throw new Error("nothing was kept");
  return memory;
};
const update = (input: Record<string, unknown>) => core.updateMemory(call(), { containerTag: "a", ...input });
const read = (id: string) => opened.store.memories.byId(opened.store.organizationId, id);
const search = async (q: string) => {
  const { results } = await core.search(call(), { q, searchMode: "memories", containerTags: ["a"], threshold: 0.5 });
  return results.map(({ id }) => id);
};
const journal = async (action: string) => {
  const connection = await openDatabase(opened.file, { readOnly: true });
  try {
    return connection.prepare(`select * from journal where action = '${action}' order by seq`).all() as {
      subject_id: string;
      cause: string;
      before: string;
      after: string;
    }[];
  } finally {
    connection.close();
  }
};

describe("a new version of a memory", () => {
  test("replaces the old one, which stays in the record", async () => {
    const first = await remember("Ada lives in Rome");
    const second = await update({ id: first.id, newContent: "Ada lives in Bonn" });
    const third = await update({ id: second.id, newContent: "Ada lives in Oslo" });
    expect(third).toMatchObject({
      text: "Ada lives in Oslo",
      version: 3,
      isLatest: true,
      parentId: second.id,
      rootId: first.id,
    });
    expect(await read(first.id)).toMatchObject({ text: "Ada lives in Rome", version: 1, isLatest: false });
    expect(await read(second.id)).toMatchObject({ version: 2, isLatest: false, parentId: first.id, rootId: first.id });
  });

  test("is found immediately by its words and its meaning, and the old one no longer is", async () => {
    const first = await remember("Ada keeps bees on the roof");
    const second = await update({ id: first.id, newContent: "Ada paints harbours in oil" });
    expect(await search("Ada paints harbours in oil")).toEqual([second.id]);
    expect(await search("Ada keeps bees on the roof")).not.toContain(first.id);
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    if (!space) throw new Error("there is no vector space");
    expect(await opened.store.units.withoutVector(space, 0, 10)).toEqual([]);
  });

  test("can be created by exact text, and by the id of any version", async () => {
    const first = await remember("Ada lives in Rome");
    await update({ content: "Ada lives in Rome", newContent: "Ada lives in Bonn" });
    expect(await update({ id: first.id, newContent: "Ada lives in Oslo" })).toMatchObject({ version: 3 });
  });

  test("is created by id if id and text are both given", async () => {
    const [one, two] = [await remember("Ada likes tea"), await remember("Ben likes coffee")];
    const updated = await update({ id: one.id, content: "Ben likes coffee", newContent: "Ada likes cocoa" });
    expect(updated.parentId).toBe(one.id);
    expect(await read(two.id)).toMatchObject({ isLatest: true });
  });

  test("has the sources of the old one", async () => {
    const first = await remember("Ada lives in Rome");
    const sources = async (id: string) => {
      const found = await opened.store.memories.sources(opened.store.organizationId, [id]);
      return found.map(({ documentId }) => documentId);
    };
    const second = await update({ id: first.id, newContent: "Ada lives in Bonn" });
    expect(await sources(second.id)).toEqual(await sources(first.id));
    expect(second.sourceCount).toBe(1);
  });

  test("is recorded in the journal with who, why and what", async () => {
    const first = await remember("Ada lives in Rome");
    const second = await update({ id: first.id, newContent: "Ada lives in Bonn", reason: "she moved" });
    const [entry, ...more] = await journal("memory.updated");
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ subject_id: second.id, cause: "she moved" });
    expect(JSON.parse(entry?.before ?? "")).toMatchObject({ id: first.id, text: "Ada lives in Rome" });
    expect(JSON.parse(entry?.after ?? "")).toMatchObject({ id: second.id, text: "Ada lives in Bonn" });
  });

  test("with the same operation id is created once, also by exact text", async () => {
    await remember("Ada lives in Rome");
    const again = { ...call(), operationId: "one" };
    const input = { containerTag: "a", content: "Ada lives in Rome", newContent: "Ada lives in Bonn" };
    const first = await core.updateMemory(again, input);
    expect(await core.updateMemory(again, input)).toEqual(first);
  });

  test("by many simultaneous callers forms one chain without a fork", async () => {
    const first = await remember("Ada has 0 bees");
    const versions = await Promise.all(
      Array.from({ length: 8 }, (_, index) => update({ id: first.id, newContent: `Ada has ${index + 1} bees` })),
    );
    expect(versions.map(({ version }) => version).toSorted((one, other) => one - other)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect(new Set(versions.map(({ parentId }) => parentId)).size).toBe(8);
    const { entries } = await core.listMemories(call(), { containerTags: ["a"] });
    expect(entries).toHaveLength(1);
    expect(entries[0]?.history).toHaveLength(8);
  });

  test("without any change is the existing version", async () => {
    const first = await remember("Ada lives in Rome", { metadata: { team: "red" } });
    expect(await update({ id: first.id, newContent: "Ada lives in Rome" })).toMatchObject({ id: first.id, version: 1 });
    expect(await update({ id: first.id, newContent: "Ada lives in Rome", metadata: { team: "blue" } })).toMatchObject({
      version: 2,
      text: "Ada lives in Rome",
      metadata: { team: "blue" },
    });
  });

  test("of an inferred memory counts as stated", async () => {
    const first = await remember("Ada probably lives in Rome", { metadata: { team: "red" } });
    await opened.store.memories.update(opened.store.organizationId, first.id, {
      isInference: true,
      metadata: { team: "red", reviewStatus: "approved" },
    });
    expect(await update({ id: first.id, newContent: "Ada lives in Rome" })).toMatchObject({
      isInference: false,
      metadata: { team: "red" },
    });
  });
});

describe("metadata and expiry", () => {
  const temporalContext = { eventDate: ["2024-01-01"] };

  test.each([
    ["omitted: is unchanged", {}, { team: "red", temporalContext }],
    ["given: replaces all except the temporal context", { metadata: { k: 1 } }, { k: 1, temporalContext }],
    ["empty: keeps only the temporal context", { metadata: {} }, { temporalContext }],
    [
      "temporal context alone: replaces only that",
      { temporalContext: { documentDate: "2024-02-02" } },
      { team: "red", temporalContext: { documentDate: "2024-02-02" } },
    ],
    [
      "both given: replaces both",
      { metadata: { k: 1 }, temporalContext: { eventDate: ["2024-03-03"] } },
      { k: 1, temporalContext: { eventDate: ["2024-03-03"] } },
    ],
  ])("metadata %s", async (_name, input, expected) => {
    const { id } = await remember("Ada lives in Rome", { metadata: { team: "red" }, temporalContext });
    const { metadata } = await update({ id, newContent: "Ada lives in Bonn", ...input });
    expect(metadata).toEqual(expected);
  });

  const season = { forgetAfter: "2030-01-01T00:00:00.000Z", forgetReason: "a season" };
  test.each<[string, Record<string, unknown>, { forgetAfter: string | null; forgetReason: string | null }]>([
    ["omitted: is unchanged, with its reason", {}, season],
    ["null: removes it and the reason", { forgetAfter: null }, { forgetAfter: null, forgetReason: null }],
    [
      "null with a reason: removes both",
      { forgetAfter: null, forgetReason: "x" },
      { forgetAfter: null, forgetReason: null },
    ],
    [
      "given: replaces it and keeps the reason",
      { forgetAfter: "2031-01-01" },
      { ...season, forgetAfter: "2031-01-01T00:00:00.000Z" },
    ],
    ["reason given: replaces the reason", { forgetReason: "a year" }, { ...season, forgetReason: "a year" }],
    ["reason null: removes the reason", { forgetReason: null }, { ...season, forgetReason: null }],
  ])("expiry %s", async (_name, input, expected) => {
    const { id } = await remember("Ada lives in Rome", season);
    expect(await update({ id, newContent: "Ada lives in Bonn", ...input })).toMatchObject(expected);
  });
});

describe("an update to the text of another memory", () => {
  test("merges that memory into the new version: nothing is duplicated and nothing is lost", async () => {
    const target = await remember("Ada stays in Rome", { metadata: { team: "red" } });
    const other = await remember("Ada lives in Bonn", { isStatic: true, metadata: { team: "blue", k: 1 } });
    const updated = await update({ id: target.id, newContent: "Ada lives in Bonn." });
    expect(updated).toMatchObject({
      parentId: target.id,
      version: 2,
      isStatic: true,
      sourceCount: 2,
      strength: 2,
      metadata: { team: "red", k: 1 },
    });
    expect(await search("Ada lives in Bonn")).toEqual([updated.id]);
    expect(await read(other.id)).toMatchObject({
      isForgotten: true,
      forgetReason: `merged into memory ${updated.id}`,
      text: "Ada lives in Bonn",
    });
    const { entries } = await core.listMemories(call(), { containerTags: ["a"] });
    expect(entries.map(({ relations }) => relations)).toEqual([{ [target.id]: "updates", [other.id]: "updates" }]);
  });

  test.each([
    ["no expiry if one of them has none", undefined, "2030-01-01", null],
    ["the later expiry of both", "2031-01-01", "2030-01-01", "2031-01-01T00:00:00.000Z"],
    ["the expiry of the other if it is later", "2030-01-01", "2031-01-01", "2031-01-01T00:00:00.000Z"],
  ])("has %s", async (_name, one, other, expected) => {
    const target = await remember("Ada stays in Rome", one === undefined ? {} : { forgetAfter: one });
    await remember("Ada lives in Bonn", { forgetAfter: other });
    expect((await update({ id: target.id, newContent: "Ada lives in Bonn" })).forgetAfter).toBe(expected);
  });

  test("is not merged with one that has expired", async () => {
    const target = await remember("Ada stays in Rome");
    const other = await remember("Ada lives in Bonn", { forgetAfter: opened.clock.from(1_000).toISOString() });
    opened.clock.advance(1_000);
    const updated = await update({ id: target.id, newContent: "Ada lives in Bonn" });
    expect(updated).toMatchObject({ sourceCount: 1, forgetAfter: null });
    expect(await read(other.id)).toMatchObject({ isForgotten: true, forgetReason: "its time was over" });
  });

  test("does not affect one in another container", async () => {
    const target = await remember("Ada stays in Rome");
    const other = await remember("Ada lives in Bonn", {}, "b");
    await update({ id: target.id, newContent: "Ada lives in Bonn" });
    expect(await read(other.id)).toMatchObject({ isForgotten: false, isLatest: true });
  });
});

describe("under other conditions", () => {
  test("a version created without an embedder is stored, found by its words, and gets its vector later", async () => {
    let isDown = false;
    const embedder = createBuiltinEmbedder();
    const down = () => Promise.reject(new AppError("unavailable", "The provider cannot be reached."));
    const manual = await openManualCore({
      embedder: { ...embedder, embed: (...parameters) => (isDown ? down() : embedder.embed(...parameters)) },
    });
    try {
      const { store } = manual;
      const created = { containerTag: "a", memories: [{ content: "Ada lives in Rome" }] };
      const [first] = (await manual.core.createMemories(manual.call(), created)).memories;
      isDown = true;
      const input = { id: first?.id, containerTag: "a", newContent: "Ada paints harbours" };
      const { id } = await manual.core.updateMemory(manual.call(), input);
      const found = await manual.core.search(manual.call(), { q: "harbours", searchMode: "memories", threshold: 0 });
      expect(found.results.map((result) => result.id)).toEqual([id]);
      const space = await store.findSpace(embedder.fingerprint);
      if (!space) throw new Error("there is no vector space");
      expect(await store.units.withoutVector(space, 0, 10)).toMatchObject([{ text: "Ada paints harbours" }]);
      isDown = false;
      manual.clock.advance(60 * 60_000);
      manual.context.wakeJobs();
      await manual.settle();
      expect(await store.units.withoutVector(space, 0, 10)).toEqual([]);
    } finally {
      await manual.close();
    }
  });

  test("an update during a merge of the container is temporarily refused", async () => {
    const { id } = await remember("Ada stays in Rome");
    const { store } = opened;
    await store.merges.insert(store.organizationId, { id: "m", sourceTags: ["a"], targetTag: "b" });
    await expect(update({ id, newContent: "Ada lives in Bonn" })).rejects.toMatchObject({
      kind: "conflict",
      retryAfter: expect.any(Number) as number,
    });
    await expect(remember("Ada lives in Oslo")).rejects.toMatchObject({ kind: "conflict" });
    expect(await read(id)).toMatchObject({ isLatest: true });
  });
});

describe("rejected:", () => {
  test("forgotten, expired, unknown or other containers' memories are not found, and nothing is written", async () => {
    const forgotten = await remember("forgotten fact");
    await core.forget(call(), { ids: [forgotten.id] });
    const over = await remember("short fact", { forgetAfter: opened.clock.from(1_000).toISOString() });
    opened.clock.advance(1_000);
    const elsewhere = await remember("elsewhere fact", {}, "b");
    const before = await opened.everything();
    const selectors = [
      ...[forgotten, over, elsewhere].map(({ id }) => ({ id })),
      ...["forgotten fact", "short fact", "elsewhere fact", "no such fact"].map((content) => ({ content })),
      { id: "1111111111111111111111" },
      { id: "not an id at all" },
    ];
    for (const selector of selectors)
      await expect(update({ ...selector, newContent: "x y z" }), JSON.stringify(selector)).rejects.toMatchObject({
        kind: "not_found",
      });
    expect(await opened.everything()).toBe(before);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["no selector", { newContent: "x" }, /^id: name the memory by id, or by its exact text as content$/],
    ["no text", { id: "x" }, /^newContent: is missing$/],
    ["an empty text", { id: "x", newContent: " " }, /^newContent: must not be empty$/],
    ["a huge text", { id: "x", newContent: "x".repeat(10_001) }, /^newContent: must have at most 10000 characters/],
    [
      "an expiry in the past",
      { id: "x", newContent: "y", forgetAfter: "2020-01-01" },
      /^forgetAfter: must be in the future$/,
    ],
    ["an invalid date", { id: "x", newContent: "y", forgetAfter: "soon" }, /^forgetAfter: must be an ISO 8601 date/],
    ["nested metadata", { id: "x", newContent: "y", metadata: { a: { b: 1 } } }, /^metadata\.a: must be a string, /],
    ["no container", { id: "x", newContent: "y", containerTag: undefined }, /^containerTag: is missing$/],
    [
      "an invalid list of dates",
      { id: "x", newContent: "y", temporalContext: { eventDate: "2024" } },
      /^temporalContext\.eventDate: must be an array of strings$/,
    ],
  ])("%s", async (_name, input, message) => {
    await expect(update(input)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(message) as string,
    });
  });
});

describe("a caller limited to some containers", () => {
  test("need not name its only container, must name one of several, and cannot change others", async () => {
    const mine = await remember("Ada stays in Rome");
    const theirs = await remember("Ada lives in secret", {}, "b");
    const onlyA = opened.call(["a"]);
    expect(await core.updateMemory(onlyA, { id: mine.id, newContent: "Ada lives in Bonn" })).toMatchObject({
      version: 2,
    });
    await expect(core.updateMemory(onlyA, { id: theirs.id, newContent: "x" })).rejects.toMatchObject({
      kind: "not_found",
    });
    await expect(core.updateMemory(onlyA, { id: theirs.id, containerTag: "b", newContent: "x" })).rejects.toMatchObject(
      { kind: "forbidden" },
    );
    await expect(core.updateMemory(opened.call(["a", "b"]), { id: mine.id, newContent: "x" })).rejects.toMatchObject({
      message: "containerTag: is required for this key, which may write to a, b",
    });
    expect(await read(theirs.id)).toMatchObject({ isLatest: true, text: "Ada lives in secret" });
  });
});
