import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Core } from "../../src/core/index.js";
import type { Memory } from "../../src/core/types.js";
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
const remember = async (contents: readonly string[], containerTag = "a"): Promise<readonly Memory[]> => {
  const kept: Memory[] = [];
  for (let start = 0; start < contents.length; start += 100) {
    const memories = contents.slice(start, start + 100).map((content) => ({ content }));
    kept.push(...(await core.createMemories(call(), { containerTag, memories })).memories);
  }
  return kept;
};
const matching = (input: Record<string, unknown>) => core.forgetMatching(call(), { containerTag: "a", ...input });
const active = async (containerTag = "a") =>
  (await opened.store.memories.active(opened.store.organizationId, containerTag, { limit: 10_000 })).map(
    ({ text }) => text,
  );

const MANY = Array.from({ length: 600 }, (_, index) => `Project Falcon has the ticket number ${index}`);

describe("by a query", () => {
  test("forgets what matches it, and nothing else", async () => {
    await remember(["Falcon starts in May", "Falcon is led by Lena", "Ada keeps bees"]);
    const { matches, forgetBatchId, summary, dryRun } = await matching({ query: "Falcon" });
    expect(matches.map(({ text }) => text).toSorted()).toEqual(["Falcon is led by Lena", "Falcon starts in May"]);
    for (const { score } of matches) expect(score).toBeGreaterThanOrEqual(0.5);
    expect({ dryRun, summary }).toEqual({ dryRun: false, summary: "2 memories were forgotten" });
    expect(forgetBatchId).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(await active()).toEqual(["Ada keeps bees"]);
  });

  test("a dry run shows exactly what would be forgotten, and writes nothing", async () => {
    await remember(["Falcon starts in May", "Falcon is led by Lena", "Ada keeps bees"]);
    const before = await opened.everything();
    const shown = await matching({ query: "Falcon", dryRun: true });
    expect(await opened.everything()).toBe(before);
    expect(shown).toMatchObject({ dryRun: true, forgetBatchId: null, summary: "2 memories would be forgotten" });
    const done = await matching({ query: "Falcon" });
    expect(done.matches).toEqual(shown.matches);
  });

  test("goes beyond the results of one search, up to maxForget, and reports that there is more", async () => {
    await remember(MANY);
    const shown = await matching({ query: "Project Falcon ticket", threshold: 0.3, maxForget: 500, dryRun: true });
    expect(shown.matches).toHaveLength(500);
    expect(shown.summary).toBe("500 memories would be forgotten; more match than maxForget allows");
    const done = await matching({ query: "Project Falcon ticket", threshold: 0.3, maxForget: 500 });
    expect(done.matches).toEqual(shown.matches);
    expect(await active()).toHaveLength(100);
  });

  test.each([
    ["Mia is vegan", ["Mia is vegan"], ["Mia's brother is not vegan", "Tom is vegan"]],
    ["tom rents a sailing boat.", ["Tom rents a sailing boat"], ["Mia rents a sailing boat"]],
  ])("with the exact words of a memory means only that memory: %s", async (query, same, others) => {
    await remember([...same, ...others]);
    const shown = await matching({ query, threshold: 0, dryRun: true });
    expect(shown.matches.map(({ text }) => text)).toEqual(same);
    expect(shown.summary).toMatch(/^1 memory would be forgotten; (?:another is|others are) similar/);
    expect((await matching({ query, threshold: 0 })).matches).toEqual(shown.matches);
    expect((await active()).toSorted()).toEqual(others.toSorted());
  });

  test("without maxForget forgets up to 100, the most similar ones first", async () => {
    await remember(MANY.slice(0, 150));
    const { matches } = await matching({ query: "Falcon has ticket number 77", threshold: 0.1 });
    expect(matches).toHaveLength(100);
    expect(matches[0]?.text).toBe("Project Falcon has the ticket number 77");
    expect(matches.map(({ score }) => score)).toEqual(
      matches.map(({ score }) => score).toSorted((one, other) => other - one),
    );
  });

  test("respects the threshold", async () => {
    await remember(["Ada keeps bees on the roof"]);
    expect((await matching({ query: "Ada keeps bees on the roof", threshold: 1, dryRun: true })).matches).toHaveLength(
      1,
    );
    expect(await matching({ query: "quarterly revenue forecast", threshold: 0.9 })).toMatchObject({
      matches: [],
      summary: "No memories were forgotten",
    });
  });

  test("does not affect other containers, superseded versions or expired memories", async () => {
    await remember(["Falcon starts in June"], "b");
    const [old] = await remember(["Falcon starts in April"]);
    await core.updateMemory(call(), { containerTag: "a", id: old?.id, newContent: "The harbour opens in April" });
    const until = opened.clock.from(1_000).toISOString();
    await core.createMemories(call(), {
      containerTag: "a",
      memories: [{ content: "Falcon pauses", forgetAfter: until }],
    });
    opened.clock.advance(1_000);
    expect((await matching({ query: "Falcon" })).matches).toEqual([]);
    expect(await active("b")).toEqual(["Falcon starts in June"]);
  });

  test("in an unknown container finds nothing", async () => {
    expect(await matching({ query: "Falcon", containerTag: "nowhere" })).toMatchObject({ matches: [] });
  });
});

describe("by ids", () => {
  test("counts each once with score 1; unknown ids, other containers and forgotten memories are left out", async () => {
    const [one, two, gone] = await remember(["Falcon starts in May", "Ada keeps bees", "It rains"]);
    const [foreign] = await remember(["Falcon lives in b"], "b");
    await core.forget(call(), { ids: [gone?.id ?? ""] });
    const newer = await core.updateMemory(call(), { containerTag: "a", id: two?.id, newContent: "Ada keeps goats" });
    const ids = [one?.id, one?.id, two?.id, newer.id, gone?.id, foreign?.id, "1111111111111111111111", "nonsense"];
    const { matches } = await matching({ ids, maxForget: 1, threshold: 1 });
    expect(matches).toEqual([
      { id: one?.id, text: "Falcon starts in May", score: 1 },
      { id: newer.id, text: "Ada keeps goats", score: 1 },
    ]);
    expect(await active()).toEqual([]);
    expect(await active("b")).toEqual(["Falcon lives in b"]);
  });

  test("a dry run changes nothing", async () => {
    const [one] = await remember(["Falcon starts in May"]);
    expect(await matching({ ids: [one?.id], dryRun: true })).toMatchObject({
      forgetBatchId: null,
      summary: "1 memory would be forgotten",
    });
    expect(await active()).toEqual(["Falcon starts in May"]);
  });
});

describe("a batch", () => {
  test("has the same id in the journal and in the metadata of each memory, and a reason", async () => {
    const kept = await remember(["Falcon starts in May", "Falcon is led by Lena"]);
    const { forgetBatchId } = await matching({ query: "Falcon", reason: "the project ended" });
    expect(kept).not.toEqual([]);
    for (const { id } of kept)
      expect(await opened.store.memories.byId(opened.store.organizationId, id)).toMatchObject({
        isForgotten: true,
        forgetReason: "the project ended",
        metadata: { forgetBatchId },
      });
    const connection = await openDatabase(opened.file, { readOnly: true });
    const rows = connection.prepare("select batch_id, cause from journal where action = 'memory.forgotten'").all();
    connection.close();
    expect(rows).toEqual([
      { batch_id: forgetBatchId, cause: "the project ended" },
      { batch_id: forgetBatchId, cause: "the project ended" },
    ]);
  });

  test("with the same operation id is done once, and returns the same result", async () => {
    await remember(["Falcon starts in May"]);
    const again = { ...call(), operationId: "one" };
    const first = await core.forgetMatching(again, { containerTag: "a", query: "Falcon" });
    await remember(["Falcon starts in June"]);
    expect(await core.forgetMatching(again, { containerTag: "a", query: "Falcon" })).toEqual(first);
    expect(await active()).toEqual(["Falcon starts in June"]);
  });
});

describe("rejected:", () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ["neither query nor ids", {}, /^query: name exactly one of query and ids$/],
    ["both", { query: "x", ids: ["y"] }, /^query: name exactly one of query and ids$/],
    ["no ids", { ids: [] }, /^ids: must have at least 1 entry$/],
    ["too many ids", { ids: Array.from({ length: 501 }, String) }, /^ids: must have at most 500 entries$/],
    ["an empty query", { query: "" }, /^query: must not be empty$/],
    ["a huge query", { query: "x".repeat(2_001) }, /^query: must have at most 2000 characters/],
    ["a maxForget of zero", { query: "x", maxForget: 0 }, /^maxForget: must be at least 1$/],
    ["a maxForget that is too high", { query: "x", maxForget: 501 }, /^maxForget: must be at most 500$/],
    ["a threshold above 1", { query: "x", threshold: 1.1 }, /^threshold: must be at most 1$/],
    ["no container", { query: "x", containerTag: undefined }, /^containerTag: is missing$/],
    ["a dryRun that is not a boolean", { query: "x", dryRun: "yes" }, /^dryRun: must be true or false$/],
  ])("%s", async (_name, input, message) => {
    await expect(matching(input)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(message) as string,
    });
  });

  test("a container that the caller may not use", async () => {
    const [theirs] = await remember(["Falcon lives in b"], "b");
    const onlyA = opened.call(["a"]);
    await expect(core.forgetMatching(onlyA, { containerTag: "b", query: "Falcon" })).rejects.toMatchObject({
      kind: "forbidden",
    });
    expect(await core.forgetMatching(onlyA, { containerTag: "a", ids: [theirs?.id] })).toMatchObject({ matches: [] });
    expect(await active("b")).toEqual(["Falcon lives in b"]);
  });
});
