import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AppError } from "../../src/core/errors.js";
import type { Core } from "../../src/core/index.js";
import type { FactCandidate, Memory } from "../../src/core/types.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** Facts that a document may not replace by itself wait for a person; approval then makes the replacement. */
let opened: ManualCore;
let core: Core;
/** What is extracted from a document without stated facts. */
let extracted: FactCandidate[];
beforeEach(async () => {
  extracted = [];
  const factExtractor = { name: "scripted", extract: () => Promise.resolve(extracted) };
  opened = await openManualCore({ limits: { maxSuperseded: 0 }, factExtractor });
  core = opened.core;
});
afterEach(() => opened.close());

const call = () => opened.call();
async function state(facts: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): Promise<Memory[]> {
  const content = facts.map(({ text }) => String(text)).join("\n");
  const added = await core.addDocument(call(), { content, containerTags: ["a"], facts, wait: 20, ...more });
  await opened.settle();
  return opened.store.memories.ofDocument(opened.store.organizationId, added.id);
}
async function stateOne(text: string, more: Record<string, unknown> = {}, fact: Record<string, unknown> = {}) {
  const [memory] = await state([{ text, ...fact }], more);
  if (!memory) throw new Error(`nothing was stated by: ${text}`);
  return memory;
}
const review = (id: string, action: string) => core.reviewInferred(call(), { containerTag: "a", id, action });
const read = async (id: string) => {
  const memory = await opened.store.memories.byId(opened.store.organizationId, id);
  if (!memory) throw new Error(`there is no memory ${id}`);
  return memory;
};
const unchanged = (memory: Memory) => ({ ...memory, updatedAt: "" });
const queue = async () => (await core.listInferred(call(), { containerTag: "a" })).map(({ memory }) => memory.text);
const told = async () => {
  const { dynamic = [], static: lasting = [] } = await core.profile(call(), { containerTag: "a" });
  return [...lasting, ...dynamic].map(({ text }) => text).toSorted();
};
const found = async (q: string) => {
  const { results } = await core.search(call(), { q, searchMode: "memories", containerTags: ["a"], threshold: 0 });
  return results.map(({ text }) => text).toSorted();
};
const lastBatch = async () => (await core.listJournal(call(), { limit: 1 })).items[0]?.batchId ?? "";

describe("approving a held-back fact", () => {
  test("makes it the next version of the fact it would have replaced", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    expect(await queue()).toEqual(["Ada lives in Bonn"]);
    expect(await told()).toEqual(["Ada lives in Rome"]);
    expect(await review(bonn.id, "approve")).toEqual({
      id: bonn.id,
      isInference: false,
      isForgotten: false,
      reviewStatus: "approved",
    });
    expect(await told()).toEqual(["Ada lives in Bonn"]);
    expect(await found("where does Ada live")).toEqual(["Ada lives in Bonn"]);
    expect(await read(bonn.id)).toMatchObject({ version: 2, parentId: rome.id, rootId: rome.id, isLatest: true });
    expect(await read(rome.id)).toMatchObject({ version: 1, isLatest: false, isForgotten: false });
    const { versions } = await core.readHistory(call(), { id: rome.id });
    expect(versions.map(({ text }) => text)).toEqual(["Ada lives in Rome", "Ada lives in Bonn"]);
  });

  test("is one batch; undo and redo restore each state exactly", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    const before = [unchanged(await read(rome.id)), unchanged(await read(bonn.id))];
    await review(bonn.id, "approve");
    const approved = [unchanged(await read(rome.id)), unchanged(await read(bonn.id))];
    let batchId = await lastBatch();
    for (const state of [before, approved, before, approved]) {
      const undone = await core.undoBatch(call(), { batchId });
      expect(undone.skipped).toEqual([]);
      batchId = undone.batchId;
      expect([unchanged(await read(rome.id)), unchanged(await read(bonn.id))]).toEqual(state);
      expect(await found("where does Ada live")).toContain(
        state === before ? "Ada lives in Rome" : "Ada lives in Bonn",
      );
      expect(await told()).toEqual([state === before ? "Ada lives in Rome" : "Ada lives in Bonn"]);
    }
  });

  test("can be undone by review: the old fact is valid again, and the new one waits for approval again", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    const before = [unchanged(await read(rome.id)), unchanged(await read(bonn.id))];
    for (let round = 0; round < 3; round++) {
      await review(bonn.id, "approve");
      expect(await told()).toEqual(["Ada lives in Bonn"]);
      expect(await review(bonn.id, "undo")).toMatchObject({ isInference: true, reviewStatus: null });
      expect([unchanged(await read(rome.id)), unchanged(await read(bonn.id))]).toEqual(before);
      expect(await queue()).toEqual(["Ada lives in Bonn"]);
    }
    await opened.settle();
    expect(await found("Rome")).toContain("Ada lives in Rome");
  });

  test("replaces every fact it would have replaced, and undo restores all of them", async () => {
    const [one, two] = [await stateOne("Ada lives in Rome"), await stateOne("Ada rents a flat in Trastevere")];
    const before = [await read(one.id), await read(two.id)].map(unchanged);
    const relation = { kind: "updates" as const, ids: [one.id, two.id] };
    extracted = [{ text: "Ada moved to Bonn", kind: "fact", isStatic: false, relation }];
    const { id } = await core.addDocument(call(), { content: "Ada moved to Bonn.", containerTags: ["a"], wait: 20 });
    await opened.settle();
    const [bonn] = await opened.store.memories.ofDocument(opened.store.organizationId, id);
    expect(await queue()).toEqual(["Ada moved to Bonn"]);
    await review(bonn?.id ?? "", "approve");
    expect(await told()).toEqual(["Ada moved to Bonn"]);
    expect(await read(one.id)).toMatchObject({ isLatest: false });
    expect(await read(two.id)).toMatchObject({ isForgotten: true, forgetReason: `replaced by memory ${bonn?.id}` });
    await review(bonn?.id ?? "", "undo");
    expect([await read(one.id), await read(two.id)].map(unchanged)).toEqual(before);
    expect(await queue()).toEqual(["Ada moved to Bonn"]);
  });

  test("leaves the old fact unchanged if it is declined instead, also when that is undone", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    const before = unchanged(await read(rome.id));
    await review(bonn.id, "decline");
    expect(unchanged(await read(rome.id))).toEqual(before);
    await review(bonn.id, "undo");
    expect(unchanged(await read(rome.id))).toEqual(before);
    expect(await queue()).toEqual(["Ada lives in Bonn"]);
  });

  test("does not restore an old fact that was forgotten in the meantime", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    await core.forget(call(), { ids: [rome.id] });
    await review(bonn.id, "approve");
    expect(await read(rome.id)).toMatchObject({ isLatest: true, isForgotten: true });
    expect(await read(bonn.id)).toMatchObject({ version: 1, parentId: null, rootId: null, isInference: false });
    await review(bonn.id, "undo");
    expect(await read(rome.id)).toMatchObject({ isForgotten: true });
  });

  test("keeps an old fact that was changed to state something else", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    opened.clock.advance(1_000);
    await core.updateMemory(call(), { containerTag: "a", id: rome.id, newContent: "Ada was born in Rome" });
    await review(bonn.id, "approve");
    expect(await told()).toEqual(["Ada lives in Bonn", "Ada was born in Rome"]);
  });

  test("cannot be undone by review once the fact has changed, and explains why", async () => {
    await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    await review(bonn.id, "approve");
    await stateOne("Ada lives in Bonn", { content: "Ada lives in Bonn. She told me twice." });
    await expect(review(bonn.id, "undo")).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(/changed since|can be undone/) as string,
    });
    expect(await told()).toEqual(["Ada lives in Bonn"]);
  });

  test("lets a web page replace what the user stated", async () => {
    const rome = await stateOne("User lives in Rome");
    const bonn = await stateOne("User lives in Bonn", { origin: "web" }, { updates: rome.id });
    expect(bonn.metadata).toMatchObject({ trust: "flagged" });
    expect(await told()).toEqual(["User lives in Rome"]);
    await review(bonn.id, "approve");
    expect(await told()).toEqual(["User lives in Bonn"]);
    expect(await read(bonn.id)).toMatchObject({ version: 2, parentId: rome.id });
  });

  test("after an approval and its undo, a purge leaves no word of the old fact in the journal", async () => {
    const rome = await stateOne("Ada lives in Rome");
    const bonn = await stateOne("Ada lives in Bonn");
    await review(bonn.id, "approve");
    await review(bonn.id, "undo");
    await core.purge(call(), { memoryId: rome.id, confirm: true });
    const journal = JSON.stringify(await core.listJournal(call(), { limit: 100 }));
    expect(journal).not.toContain("Ada lives in Rome");
    expect(journal).toContain("Ada lives in Bonn");
  });
});

test("after any sequence of reviews, undos and redos one residence is current, and it matches the undos", async () => {
  const step = fc.constantFrom("approve", "decline", "undo", "undo batch");
  await opened.close();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const manual = await openManualCore({ limits: { maxSuperseded: 0 } });
      [opened, core] = [manual, manual.core];
      try {
        const rome = await stateOne("Ada lives in Rome");
        const bonn = await stateOne("Ada lives in Bonn");
        for (const action of steps) {
          const batchId = await lastBatch();
          const done = action === "undo batch" ? core.undoBatch(call(), { batchId }) : review(bonn.id, action);
          await done.catch((error: unknown) => expect(["conflict", "not_found"]).toContain((error as AppError).kind));
          const { isLatest, isForgotten } = await read(rome.id);
          const guess = await read(bonn.id);
          const bonnHolds = !guess.isInference && guess.isLatest && !guess.isForgotten;
          expect(isLatest && !isForgotten).toBe(!bonnHolds);
          expect(await told()).toEqual([bonnHolds ? "Ada lives in Bonn" : "Ada lives in Rome"]);
        }
      } finally {
        await manual.close();
      }
    }),
    { numRuns: 10 },
  );
  opened = await openManualCore();
}, 60_000);
