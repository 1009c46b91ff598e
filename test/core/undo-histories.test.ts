import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** A store with a document for each statement, with ascending dates. */
async function withStatements<T>(
  work: (manual: ManualCore, state: (text: string, date?: string) => Promise<string>) => Promise<T>,
) {
  const manual = await openManualCore();
  const state = async (text: string, documentDate?: string) => {
    const facts = [{ text }];
    const input = { content: text, containerTags: ["a"], facts, wait: 20, ...(documentDate && { documentDate }) };
    await manual.core.addDocument(manual.call(), input);
    await manual.settle();
    const [newest] = (await manual.core.listJournal(manual.call(), { limit: 1 })).items;
    return newest?.batchId ?? "";
  };
  try {
    return await work(manual, state);
  } finally {
    await manual.close();
  }
}

describe("undo and redo of a new fact that was related by rules:", () => {
  test("one that replaced another", async () => {
    await withStatements(async (manual, state) => {
      await state("Ada lives in Rome.");
      const batchId = await state("Ada lives in Bonn.");
      expect((await readModel(manual)).a).toEqual(new Set(["Ada lives in Bonn."]));
      const undone = await manual.core.undoBatch(manual.call(), { batchId });
      expect(undone).toMatchObject({ undone: 1, skipped: [] });
      expect((await readModel(manual)).a).toEqual(new Set(["Ada lives in Rome."]));
      await manual.core.undoBatch(manual.call(), { batchId: undone.batchId });
      expect((await readModel(manual)).a).toEqual(new Set(["Ada lives in Bonn."]));
    });
  });

  test("one that was outdated on arrival", async () => {
    await withStatements(async (manual, state) => {
      await state("Ada lives in Bonn.", "2024-05-01");
      const batchId = await state("Ada lives in Rome.", "2020-05-01");
      const [added] = (await manual.core.listJournal(manual.call(), { batchId })).items;
      const id = added?.subjectId ?? "";
      const past = await manual.core.readHistory(manual.call(), { id });
      expect(past.memory).toMatchObject({ id, isLatest: false, isForgotten: false });
      const undone = await manual.core.undoBatch(manual.call(), { batchId });
      expect((await manual.core.readHistory(manual.call(), { id })).memory).toMatchObject({ isForgotten: true });
      await manual.core.undoBatch(manual.call(), { batchId: undone.batchId });
      const { memory } = await manual.core.readHistory(manual.call(), { id });
      expect({ ...memory, updatedAt: "" }).toEqual({ ...past.memory, updatedAt: "" });
      expect((await readModel(manual)).a).toEqual(new Set(["Ada lives in Bonn."]));
    });
  });
});

const TEXTS = ["bees", "goats", "tulips", "Rome", "chess", "violin"].map((word) => `Ada knows about ${word}`);
const tag = fc.constantFrom("a", "b");
const text = fc.constantFrom(...TEXTS);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      tag,
      texts: fc.array(text, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update" as const), tag, from: text, to: text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), tag, text }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("undo" as const), which: fc.nat() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** The active memories of each container. */
type Model = Record<"a" | "b", ReadonlySet<string>>;

describe("random histories of two containers", () => {
  test("can be undone step by step, to the very beginning", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 100 }), async (steps) => {
        const one = await openManualCore();
        try {
          await playAndUndo(one, steps);
        } finally {
          await one.close();
        }
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

async function playAndUndo(manual: ManualCore, steps: readonly Step[]): Promise<void> {
  const all = manual.call();
  const batches: { readonly id: string; readonly before: Model }[] = [];
  let model: Model = { a: new Set(), b: new Set() };
  for (const one of steps) {
    const before = model;
    model = await play(manual, one, { model, batches: batches.map(({ id }) => id) });
    const [newest] = (await manual.core.listJournal(all, { limit: 1 })).items;
    if (newest && newest.batchId !== batches.at(-1)?.id) batches.push({ id: newest.batchId, before });
    expect(await readModel(manual)).toEqual(model);
  }
  await manual.settle();
  await expectSearch(manual, model);
  for (const { id, before } of batches.toReversed()) {
    expect((await manual.core.undoBatch(all, { batchId: id })).skipped).toEqual([]);
    expect(await readModel(manual)).toEqual(before);
  }
  await manual.settle();
  await expectSearch(manual, { a: new Set(), b: new Set() });
}

async function play(
  manual: ManualCore,
  one: Step,
  { model, batches }: { model: Model; batches: readonly string[] },
): Promise<Model> {
  const all = manual.call();
  if (one.kind === "undo") {
    const batchId = batches[one.which % Math.max(1, batches.length)];
    if (batchId !== undefined)
      await manual.core
        .undoBatch(all, { batchId })
        .catch((error: unknown) => expect(error).toMatchObject({ kind: "conflict" }));
    // The effect of an undo in the middle is too complex for this model.
    return readModel(manual);
  }
  const containerTag = one.tag;
  const texts = new Set(model[one.tag]);
  if (one.kind === "add") {
    await manual.core.createMemories(all, { containerTag, memories: one.texts.map((content) => ({ content })) });
    for (const added of one.texts) texts.add(added);
  } else if (one.kind === "update" && texts.delete(one.from)) {
    await manual.core.updateMemory(all, { containerTag, content: one.from, newContent: one.to });
    texts.add(one.to);
  } else if (one.kind === "forget" && texts.delete(one.text)) {
    await manual.core.forget(all, { containerTag, content: one.text });
  }
  return { ...model, [one.tag]: texts };
}

async function readModel({ store }: ManualCore): Promise<Model> {
  const textsOf = async (containerTag: string) =>
    new Set(
      (await store.memories.active(store.organizationId, containerTag, { limit: 1_000 })).map(({ text }) => text),
    );
  return { a: await textsOf("a"), b: await textsOf("b") };
}

/** Search finds exactly the active memories. */
async function expectSearch({ core, call }: ManualCore, model: Model): Promise<void> {
  for (const containerTag of ["a", "b"] as const) {
    const query = {
      q: TEXTS.join(" "),
      searchMode: "memories",
      threshold: 0,
      limit: 50,
      containerTags: [containerTag],
    };
    const { results } = await core.search(call(), query);
    expect(new Set(results.map((result) => result.text))).toEqual(model[containerTag]);
  }
}
