import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forgetExpired } from "../../src/core/upkeep/upkeep.js";
import { openAuditor, type Auditor } from "../support/state-audit.js";
import { StateModel, type Batch, type Stated } from "../support/state-model.js";
import { DAY, HOUR, MINDS, openWorld, type Mind, type World } from "../support/state-world.js";

/** Use another seed with `STATE_SEED=… npx vitest run test/core/state-histories.test.ts`; a failure prints its seed. */
const SEED = Number(process.env["STATE_SEED"] ?? 20_261_126);
const STEPS = Number(process.env["STATE_STEPS"] ?? 60);

const TAGS = ["a", "b"] as const;
const PEOPLE = ["Mia", "Tom", "Ida"] as const;
/** Statements about a person, by slot: only one per slot can be true at a time. */
const SLOTS = {
  home: ["lives in Lyon", "lives in Oslo", "lives in Bergen", "lives in Quito"],
  employer: ["works at Siemens", "works at Novartis", "works at Airbus"],
  diet: ["is vegan", "is not vegan anymore"],
  age: ["is 31 years old", "is 32 years old", "is 45 years old"],
} as const;
/** Statements that expire, and contradict nothing. */
const FOR_A_TIME = ["rents a sailing boat", "minds the neighbour's parrot"] as const;

const stated: fc.Arbitrary<Stated> = fc
  .tuple(fc.constantFrom(...PEOPLE), fc.constantFrom(...(Object.keys(SLOTS) as (keyof typeof SLOTS)[])), fc.nat())
  .map(([person, slot, pick]) => {
    const values: readonly string[] = SLOTS[slot];
    return { slot: `${person} ${slot}`, text: `${person} ${values[pick % values.length]}` };
  });
const facts = fc.uniqueArray(stated, { minLength: 1, maxLength: 3, selector: ({ slot }) => slot });
const tag = fc.constantFrom<(typeof TAGS)[number]>("a", "a", "a", "b");
const which = fc.nat();

const step = fc.oneof(
  { weight: 48, arbitrary: fc.record({ kind: fc.constant("tell" as const), tag, facts }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("tell late" as const), tag, facts }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("tell for a time" as const),
      tag,
      text: fc.tuple(fc.constantFrom(...PEOPLE), fc.constantFrom(...FOR_A_TIME)).map((words) => words.join(" ")),
      days: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("repeat" as const), tag, which }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("correct" as const), tag, which, to: stated }) },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant("forget" as const),
      tag,
      which,
      by: fc.constantFrom("id", "text", "ids", "query"),
    }),
  },
  { weight: 24, arbitrary: fc.record({ kind: fc.constant("undo" as const), back: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("delete document" as const), tag, which }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("replace document" as const), tag, which, facts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("purge" as const), tag, which }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("tidy up" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("merge" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete container" as const), tag }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One random history of a service, with the model of it. */
class History {
  private readonly model = new StateModel();
  private readonly batches: { readonly id: string; readonly batch: Batch }[] = [];
  private readonly world: World;
  private readonly auditor: Auditor;

  private constructor(world: World, auditor: Auditor) {
    this.world = world;
    this.auditor = auditor;
  }

  static async open(mind: Mind): Promise<History> {
    const world = await openWorld(mind);
    return new History(world, await openAuditor(world.file));
  }

  async close(): Promise<void> {
    this.auditor.close();
    await this.world.close();
  }

  /** Performs a step in the service and in the model, and compares the two. */
  async take(step: Step): Promise<void> {
    this.world.clock.advance(HOUR);
    this.model.now = this.world.clock.now().getTime();
    const done = await this.act(step);
    await this.world.settle();
    const ids = this.auditor.audit();
    if (done !== "not undoable") {
      const batches = done.filter(({ changes, isStatement }) => isStatement || changes.length > 0);
      if (batches.length > 0) expect(ids).toHaveLength(batches.length);
      for (const [index, batch] of batches.entries()) this.batches.push({ id: ids[index] ?? "", batch });
    }
    for (const containerTag of TAGS) await this.compare(containerTag);
  }

  /** @returns the batches that should have been written, in order */
  private async act(step: Step): Promise<readonly Batch[] | "not undoable"> {
    const { core, call, clock, context } = this.world;
    switch (step.kind) {
      case "tell":
        return [await this.tell(step.tag, step.facts)];
      case "tell late":
        return [await this.tell(step.tag, step.facts, { documentDate: "2020-01-01" })];
      case "tell for a time": {
        const ends = clock.now().getTime() + step.days * DAY;
        return [await this.tell(step.tag, [{ slot: step.text, text: step.text, ends }])];
      }
      case "repeat": {
        const text = this.pick(step.tag, step.which);
        return text === undefined ? [] : [await this.tell(step.tag, [this.factOf(text)])];
      }
      case "correct":
        return this.correct(step);
      case "forget":
        return this.forget(step);
      case "undo":
        return this.undo(step.back);
      case "delete document": {
        const id = this.pickDocument(step.tag, step.which);
        if (id === undefined) return [];
        await core.deleteDocument(call(), { id });
        return [this.model.deleteDocument(id)];
      }
      case "replace document":
        return this.replace(step);
      case "purge": {
        const text = this.pick(step.tag, step.which);
        if (text === undefined) return [];
        await core.purge(call(), { memoryId: await this.idOf(step.tag, text), confirm: true });
        this.model.purgeMemory(step.tag, text);
        return "not undoable";
      }
      case "wait":
        clock.advance(step.days * DAY);
        this.model.now = clock.now().getTime();
        return [];
      case "tidy up":
        await forgetExpired(context, new AbortController().signal);
        this.model.expire();
        return "not undoable";
      case "merge":
        return this.merge();
      case "delete container":
        if (this.model.truth(step.tag).size === 0) return [];
        await core.deleteContainer(call(), { containerTag: step.tag });
        this.model.deleteContainer(step.tag);
        return "not undoable";
    }
  }

  private async tell(
    containerTag: string,
    facts: readonly Stated[],
    { documentDate = null }: { readonly documentDate?: string | null } = {},
  ): Promise<Batch> {
    const { core, call } = this.world;
    const [first] = facts;
    const isReadyMade = first !== undefined && first.slot === first.text;
    const forgetAfter = first?.ends === undefined ? {} : { forgetAfter: new Date(first.ends).toISOString() };
    const { id } = await core.addDocument(call(), {
      content: facts.map(({ text }) => `${text}.`).join(" "),
      containerTags: [containerTag],
      dreaming: "instant",
      ...(documentDate !== null && { documentDate }),
      ...(isReadyMade && { facts: [{ text: first.text, ...forgetAfter }] }),
    });
    await this.world.settle();
    return this.model.tell(containerTag, { id, date: documentDate, facts });
  }

  private async correct({ tag: containerTag, which, to }: Extract<Step, { kind: "correct" }>): Promise<Batch[]> {
    const from = this.pickFrom(
      [...this.model.truth(containerTag).keys()].filter((text) => this.factOf(text).slot === to.slot),
      which,
    );
    if (from === undefined || this.model.truth(containerTag).has(to.text)) return [];
    const id = await this.idOf(containerTag, from);
    await this.world.core.updateMemory(this.world.call(), { containerTag, id, newContent: to.text });
    return [this.model.correct(containerTag, from, to.text)];
  }

  private async forget({ tag: containerTag, which, by }: Extract<Step, { kind: "forget" }>): Promise<Batch[]> {
    const { core, call } = this.world;
    const text = this.pick(containerTag, which);
    if (text === undefined) return [];
    const id = await this.idOf(containerTag, text);
    if (by === "id") await core.forgetOne(call(), { containerTag, id });
    else if (by === "text") await core.forget(call(), { containerTag, content: text });
    else return [await this.forgetMatching(containerTag, by === "ids" ? { ids: [id] } : { query: text }, text)];
    return [this.model.forget(containerTag, [text])];
  }

  /** By meaning, rules may match more than this one memory; the dry run shows the same. */
  private async forgetMatching(containerTag: string, what: Record<string, unknown>, text: string): Promise<Batch> {
    const { core, call, clock, mind } = this.world;
    const input = { containerTag, threshold: 0.9, ...what };
    const shown = await core.forgetMatching(call(), { ...input, dryRun: true });
    const { matches } = await core.forgetMatching(call(), input);
    expect(matches).toEqual(shown.matches);
    const texts = matches.map((match) => match.text);
    if ("ids" in what || mind !== "rules") expect(texts).toEqual([text]);
    else expect(texts).toContain(text);
    return this.model.forget(containerTag, texts, String(clock.now().getTime()));
  }

  private async replace({ tag: containerTag, which, facts }: Extract<Step, { kind: "replace document" }>) {
    const id = this.pickDocument(containerTag, which);
    if (id === undefined) return [];
    const content = `Hello? ${facts.map(({ text }) => `${text}.`).join(" ")}`;
    const { document } = await this.world.core.getDocument(this.world.call(), { id });
    if (document.content === content) return [];
    await this.world.core.updateDocument(this.world.call(), { id, content });
    await this.world.settle();
    const withdrawn = this.model.withdraw(id);
    return [withdrawn, this.model.tell(containerTag, { id, date: document.documentDate, facts, saysMore: true })];
  }

  private async undo(back: number): Promise<readonly Batch[] | "not undoable"> {
    const chosen = this.batches.at(-1 - (back % Math.max(1, this.batches.length)));
    if (!chosen) return [];
    const undone = this.model.undo(chosen.batch);
    const answer = await this.world.core
      .undoBatch(this.world.call(), { batchId: chosen.id })
      .catch((error: unknown) => expect(error).toMatchObject({ kind: "conflict" }));
    if (undone.changes.length > 0) expect(answer).toMatchObject({ batchId: expect.any(String) as string });
    // A change that was never current, such as a fact outdated on arrival, can also be undone.
    return undone.changes.length > 0 ? [undone] : "not undoable";
  }

  private async merge(): Promise<"not undoable" | []> {
    if (TAGS.some((containerTag) => this.model.documentsIn(containerTag).length === 0)) return [];
    const merge = { containerTags: ["a", "b"], targetContainerTag: "a" };
    await this.world.core.mergeContainers(this.world.call(), merge);
    this.model.merge("b", "a");
    return "not undoable";
  }

  private async compare(containerTag: string): Promise<void> {
    const { core, call } = this.world;
    const truth = this.model.truth(containerTag);
    const texts = [...truth.keys()].toSorted();
    const { entries } = await core.listMemories(call(), { containerTags: [containerTag], limit: 100 });
    expect(entries.map(({ memory }) => memory.text).toSorted()).toEqual(texts);
    for (const { memory, history, documentIds } of entries) {
      const versions = [...history.map(({ text }) => text).toReversed(), memory.text];
      expect({ versions, sources: new Set(documentIds) }).toEqual(truth.get(memory.text));
      expect(memory).toMatchObject({ version: versions.length, sourceCount: documentIds.length });
    }
    const { static: lasting = [], dynamic = [] } = await core.profile(call(), {
      containerTag,
      include: ["static", "dynamic"],
    });
    expect([...lasting, ...dynamic].map(({ text }) => text).toSorted()).toEqual(texts);
    for (const searchMode of ["memories", "hybrid"] as const) {
      const query = { q: `${PEOPLE.join(" ")} lives works`, containerTags: [containerTag], searchMode };
      const { results } = await core.search(call(), { ...query, threshold: 0, limit: 50 });
      const found = results.filter(({ kind }) => kind === "memory").map(({ text }) => text);
      for (const text of found) expect(texts).toContain(text);
    }
  }

  /** Every fact is found by its own words. */
  async compareSearch(): Promise<void> {
    const { core, call, complaints } = this.world;
    expect(complaints).toEqual([]);
    for (const containerTag of TAGS)
      for (const q of this.model.truth(containerTag).keys()) {
        const query = { q, containerTags: [containerTag], searchMode: "memories", threshold: 0, limit: 50 };
        const { results } = await core.search(call(), query);
        expect(results.map(({ text }) => text)).toContain(q);
      }
  }

  private factOf(text: string): Stated {
    const [person = "", ...words] = text.split(" ");
    const value = words.join(" ");
    const slot = Object.entries(SLOTS).find(([, values]) => (values as readonly string[]).includes(value));
    return { slot: slot ? `${person} ${slot[0]}` : text, text };
  }

  private pick(containerTag: string, which: number): string | undefined {
    return this.pickFrom([...this.model.truth(containerTag).keys()], which);
  }

  private pickDocument(containerTag: string, which: number): string | undefined {
    return this.pickFrom(this.model.documentsIn(containerTag), which);
  }

  private pickFrom(from: readonly string[], which: number): string | undefined {
    return from[which % Math.max(1, from.length)];
  }

  private async idOf(containerTag: string, text: string): Promise<string> {
    const { core, call } = this.world;
    const { entries } = await core.listMemories(call(), { containerTags: [containerTag], limit: 100 });
    return entries.find(({ memory }) => memory.text === text)?.memory.id ?? "";
  }
}

async function live(mind: Mind, steps: readonly Step[]): Promise<void> {
  const history = await History.open(mind);
  try {
    for (const [index, step] of steps.entries()) {
      await history.take(step).catch((error: unknown) => {
        throw new Error(`step ${index}, ${JSON.stringify(step)}`, { cause: error });
      });
      if (index % 20 === 19) await history.compareSearch();
    }
    await history.compareSearch();
  } finally {
    await history.close();
  }
}

describe.each(MINDS)("any history with %s", (mind) => {
  test(`of ${STEPS} steps matches a simple model after every step`, { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), (steps) => live(mind, steps)),
      { numRuns: 1, endOnFailure: true, seed: SEED },
    );
  });
});
