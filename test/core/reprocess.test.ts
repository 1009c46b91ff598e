import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import type { LanguageModel } from "../../src/core/ports.js";
import { silentLog } from "../support/open-core.js";
import { ManualClock } from "../support/clock.js";
import { type ManualCore, type ManualCoreOptions, openManualCore } from "../support/manual-core.js";
import { type ModelRequest, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

let provider: ScriptedModel;
let opened: ManualCore;
const clock = new ManualClock();

beforeEach(async () => {
  provider = await startScriptedModel();
  provider.always(() => answer());
  opened = await openManualCore({ clock });
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

type Stated = { readonly text: string; readonly quote: string } & Readonly<Record<string, unknown>>;

/** A text that fits every prompt of a reading. */
function answer(...facts: readonly Stated[]): string {
  const complete = { kind: "fact", isStatic: false, eventDates: [], forgetAfter: null, entities: [], buckets: [] };
  return JSON.stringify({
    facts: facts.map((fact) => ({ ...complete, ...fact })),
    summary: "",
    relations: [],
    derived: [],
    title: "",
  });
}

const namesPrompt = ({ body }: ModelRequest) =>
  (body as { response_format?: { json_schema?: { name?: string } } }).response_format?.json_schema?.name;
const extractions = () => provider.requests.filter((request) => namesPrompt(request) === "extract_facts");

/** Makes the provider find these facts in every text. */
function scriptFacts(...facts: readonly Stated[]): void {
  provider.always((request) => (namesPrompt(request) === "extract_facts" ? answer(...facts) : answer()));
}

function modelAt(prices?: { input: number; output: number }): LanguageModel {
  return createOpenAiModel({
    provider: "scripted",
    baseUrl: provider.url,
    apiKey: "sk-secret",
    model: "scripted",
    fastModel: "scripted",
    prices: { careful: prices, fast: prices },
    settings: { baseUrl: "A", apiKey: "B", model: "C" },
    log: silentLog,
    pauseMs: 1,
  });
}

/** Restarts the service with other settings over the same folder. */
async function restart(options: ManualCoreOptions = {}): Promise<void> {
  await opened.stop();
  opened = await openManualCore({ clock, dataDirectory: opened.dataDirectory, ...options });
}

async function add(content: string, more: Record<string, unknown> = {}): Promise<string> {
  const document = { content, containerTags: ["a"], dreaming: "instant", ...more };
  const { id } = await opened.core.addDocument(opened.call(), document);
  await opened.settle();
  return id;
}

async function reprocess(input: Record<string, unknown>) {
  const done = await opened.core.reprocess(opened.call(), input);
  await opened.settle();
  return done;
}

const memories = (tag = "a") => opened.store.memories.active(opened.store.organizationId, tag, { limit: 1_000 });
const texts = async (tag?: string) => (await memories(tag)).map(({ text }) => text).toSorted();

const TEXT = "I live in Lisbon. I own a red kayak.";
const MODEL_FACTS: Stated[] = [
  { text: "User lives in Lisbon.", quote: "I live in Lisbon" },
  { text: "User owns a red kayak.", quote: "I own a red kayak" },
];

describe("a document read by rules", () => {
  test("is outdated once there is a model, which then finds what the rules did not", async () => {
    const id = await add(TEXT);
    const before = await memories();
    expect(before).not.toEqual([]);
    expect(await reprocess({ all: true, dryRun: true })).toMatchObject({ extractor: "rules/2", documents: 0 });
    await restart({ model: modelAt() });
    scriptFacts(...MODEL_FACTS, { text: "User paddles.", quote: "red kayak" });
    expect(await reprocess({ all: true })).toMatchObject({ extractor: "extract-facts/2", documents: 1, skipped: [] });
    expect(extractions()).toHaveLength(1);
    expect(await texts()).toContain("User paddles.");
    const after = await memories();
    for (const memory of before) expect(after).toContainEqual(expect.objectContaining({ id: memory.id, strength: 1 }));
    expect((await reprocess({ all: true })).documents).toBe(0);
    expect((await opened.core.getDocument(opened.call(), { id })).llmUse.answers).toBeGreaterThan(0);
  });

  test("is recorded in the journal with the cause, as a batch that can be undone", async () => {
    await add("Nothing to see here.");
    await restart({ model: modelAt() });
    scriptFacts({ text: "The view is empty.", quote: "Nothing to see" });
    await reprocess({ containerTag: "a" });
    expect(await texts()).toEqual(["The view is empty."]);
    const entry = await lastEntry("memory.added");
    expect(entry?.cause).toMatch(/^document \S+ reprocessed with extract-facts\/2$/);
    await opened.core.undoBatch(opened.call(), { batchId: entry?.batchId });
    expect(await texts()).toEqual([]);
  });

  test("stays read by rules, and outdated, if the model refuses it", async () => {
    await add(TEXT);
    const before = await texts();
    await restart({ model: modelAt() });
    provider.always(() => ({ fault: "refusal", text: "I would rather not." }));
    expect((await reprocess({ all: true, replace: true })).documents).toBe(1);
    expect(await texts()).toEqual(before);
    expect((await reprocess({ all: true, dryRun: true })).documents).toBe(1);
  });
});

const EARLIER = { ...MODEL_FACTS[0]!, isStatic: true };
const KAYAK = MODEL_FACTS[1]!;

/** A document that the model read with an earlier version of its prompt, finding these facts. */
async function readEarlier(...facts: readonly Stated[]): Promise<string> {
  await restart({ model: modelAt() });
  scriptFacts(...facts);
  const id = await add(TEXT);
  await opened.store.extractions.noteReading(id, "extract-facts/1");
  return id;
}

/** Everything visible of the memories, and the length of the journal. */
async function wholeState(): Promise<unknown> {
  const { total } = await opened.core.listJournal(opened.call(), {});
  return { memories: await memories(), total };
}

async function lastEntry(action: string) {
  const { items } = await opened.core.listJournal(opened.call(), {});
  return items.find((entry) => entry.action === action);
}

describe("a document read with an earlier prompt", () => {
  test("is read again once, and facts that are already known change nothing", async () => {
    await readEarlier(EARLIER, KAYAK);
    const before = await wholeState();
    expect((await reprocess({ all: true })).documents).toBe(1);
    expect(extractions()).toHaveLength(2);
    expect(await wholeState()).toEqual(before);
    expect((await reprocess({ all: true })).documents).toBe(0);
  });

  test("is read again as often as requested, with the same result", async () => {
    const id = await readEarlier(EARLIER);
    scriptFacts(EARLIER, KAYAK);
    await reprocess({ ids: [id] });
    const once = await wholeState();
    expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
    expect((await reprocess({ ids: [id] })).documents).toBe(1);
    expect((await reprocess({ all: true, onlyOutdated: false })).documents).toBe(1);
    expect(await wholeState()).toEqual(once);
  });

  test("keeps memories that are not found again", async () => {
    await readEarlier(EARLIER, KAYAK);
    scriptFacts(KAYAK);
    await reprocess({ all: true });
    expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
  });

  test("with `replace` forgets memories that are not found again, as a batch that can be undone", async () => {
    const id = await readEarlier(EARLIER, KAYAK);
    scriptFacts(KAYAK);
    await reprocess({ all: true, replace: true });
    expect(await texts()).toEqual([KAYAK.text]);
    const entry = await lastEntry("memory.forgotten");
    expect(entry?.cause).toBe(`not found any more in document ${id}, reprocessed with extract-facts/2`);
    await opened.core.undoBatch(opened.call(), { batchId: entry?.batchId });
    expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
    // A person has restored it.
    await reprocess({ ids: [id], replace: true });
    expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
  });

  test("with `replace` forgets them even if a reading without it is already queued", async () => {
    const id = await readEarlier(EARLIER, KAYAK);
    await restart({ model: modelAt(), jobs: false });
    await reprocess({ ids: [id] });
    await reprocess({ ids: [id], replace: true });
    await reprocess({ ids: [id] });
    expect((await opened.core.status(opened.call())).reprocessing).toBe(1);
    const asked = extractions().length;
    scriptFacts(KAYAK);
    await restart({ model: modelAt() });
    await opened.settle();
    expect(await texts()).toEqual([KAYAK.text]);
    expect(extractions()).toHaveLength(asked + 1);
  });

  test("restores what a reading with `replace` forgot when another reading finds it", async () => {
    const id = await readEarlier(EARLIER, KAYAK);
    scriptFacts(KAYAK);
    await reprocess({ ids: [id], replace: true });
    expect(await texts()).toEqual([KAYAK.text]);
    scriptFacts(EARLIER, KAYAK);
    await reprocess({ ids: [id] });
    expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
  });

  test("with `replace` keeps what another document states, and what a person changed or wrote", async () => {
    const id = await readEarlier(EARLIER, KAYAK, { text: "User is happy.", quote: "I" });
    scriptFacts(EARLIER);
    await add(`${TEXT} Once more.`);
    const kayak = (await memories()).find(({ text }) => text === KAYAK.text);
    await opened.core.updateMemory(opened.call(), {
      id: kayak?.id,
      containerTag: "a",
      newContent: "User owns a blue kayak.",
    });
    await opened.core.createMemories(opened.call(), { containerTag: "a", memories: [{ content: "User sings." }] });
    scriptFacts();
    await reprocess({ ids: [id], replace: true });
    expect(await texts()).toEqual([EARLIER.text, "User owns a blue kayak.", "User sings."].toSorted());
  });
});

describe("a memory forgotten or replaced since", () => {
  test.each(["User owns a red kayak.", "User owns one red kayak, it seems."])("is not restored as %j", async (text) => {
    const id = await readEarlier(EARLIER, KAYAK);
    const kayak = (await memories()).find((memory) => memory.text === KAYAK.text);
    await opened.core.forget(opened.call(), { ids: [kayak?.id] });
    scriptFacts(EARLIER, { ...KAYAK, text });
    await reprocess({ ids: [id] });
    expect(await texts()).toEqual([EARLIER.text]);
  });

  test("does not replace a newer one", async () => {
    const id = await add("I live in Lisbon.");
    clock.advance(86_400_000);
    await add("I live in Oslo now.");
    const before = await texts();
    expect(before.join()).toContain("Oslo");
    expect(before.join()).not.toContain("Lisbon");
    clock.advance(86_400_000);
    await reprocess({ ids: [id] });
    expect(await texts()).toEqual(before);
    await restart({ model: modelAt() });
    scriptFacts({ text: "User's home is in Lisbon.", quote: "I live in Lisbon" }, EARLIER);
    await reprocess({ ids: [id] });
    expect(await texts()).not.toContain(EARLIER.text);
    expect((await texts()).join()).toContain("Oslo");
  });

  test("is not stated again once it has expired", async () => {
    const soon = new Date(clock.now().getTime() + 60_000).toISOString();
    const exam = { text: "User has an exam today.", quote: "red kayak", forgetAfter: soon };
    const id = await readEarlier(exam);
    expect(await texts()).toEqual([exam.text]);
    clock.advance(120_000);
    const { total } = await opened.core.listJournal(opened.call(), {});
    await reprocess({ ids: [id] });
    expect(await texts()).toEqual([]);
    expect((await opened.core.listJournal(opened.call(), {})).total).toBe(total);
  });
});

describe("reprocessing leaves out", () => {
  test("documents with stated facts, superrag documents and failed ones", async () => {
    const stated = await add("I own a boat.", { facts: [{ text: "User sails." }] });
    const superrag = await add("I own a horse.", { taskType: "superrag" });
    expect((await reprocess({ all: true, onlyOutdated: false })).documents).toBe(0);
    const { skipped, documents } = await reprocess({ ids: [stated, superrag] });
    expect(documents).toBe(0);
    expect(skipped).toEqual([
      { id: stated, reason: "its facts were stated by its sender" },
      { id: superrag, reason: "it forms no memories (taskType superrag)" },
    ]);
  });

  test("failed documents, and reports how many there are", async () => {
    const failed = await add("I own a goat.");
    await add("I own a camel.", { containerTags: ["b"] });
    await opened.store.documents.update(opened.store.organizationId, failed, { status: "failed" });
    expect(await reprocess({ all: true })).toMatchObject({ documents: 0, failedLeftOut: 1, skipped: [] });
    expect(await reprocess({ containerTag: "b" })).toMatchObject({ failedLeftOut: 0 });
    expect(await reprocess({ ids: [failed] })).toMatchObject({ documents: 1, retried: 1, failedLeftOut: 0 });
  });

  test("documents that were deleted or replaced while they waited", async () => {
    const kept = await readEarlier(EARLIER);
    await restart({ model: modelAt(), jobs: false });
    const gone = await add("I own a boat.", { customId: "boat" });
    await restart({ model: modelAt() });
    await opened.settle();
    await restart({ model: modelAt(), jobs: false });
    await reprocess({ ids: [kept, gone] });
    expect((await opened.core.status(opened.call())).reprocessing).toBe(2);
    await opened.core.deleteDocument(opened.call(), { id: gone });
    await opened.core.updateDocument(opened.call(), { id: kept, content: "I own a red kayak." });
    const asked = extractions().length;
    scriptFacts(KAYAK);
    await restart({ model: modelAt() });
    await opened.settle();
    // Once, for its new text.
    expect(extractions()).toHaveLength(asked + 1);
    expect((await opened.core.status(opened.call())).reprocessing).toBe(0);
    expect(await texts()).toContain(KAYAK.text);
  });
});

test("a reading interrupted by the end of the service continues after a restart, and counts once", async () => {
  await readEarlier(EARLIER);
  provider.always(() => ({ fault: "stall" }));
  await opened.core.reprocess(opened.call(), { all: true });
  await expect.poll(() => extractions().length).toBe(2);
  await opened.stop();
  scriptFacts(EARLIER, KAYAK);
  opened = await openManualCore({ clock, dataDirectory: opened.dataDirectory, model: modelAt() });
  await opened.settle();
  expect(await texts()).toEqual([EARLIER.text, KAYAK.text]);
  expect((await memories()).map(({ strength }) => strength)).toEqual([1, 1]);
  expect((await reprocess({ all: true })).documents).toBe(0);
});

test("a document whose extraction was given up gets its memories when it is read again", async () => {
  await restart({ model: modelAt() });
  scriptFacts(KAYAK);
  const id = await add(TEXT);
  await opened.store.documents.update(opened.store.organizationId, id, {
    rememberedRevision: 0,
    errorReason: "remember: given up",
  });
  await opened.store.extractions.noteReading(id, "nothing");
  await reprocess({ all: true });
  expect((await opened.core.getDocument(opened.call(), { id })).document).toMatchObject({
    rememberedRevision: 1,
    errorReason: null,
  });
});

describe("a dry run", () => {
  test("changes nothing, and estimates the tokens and cost", async () => {
    await add(TEXT);
    await restart({ model: modelAt({ input: 1, output: 10 }) });
    const before = await opened.everything();
    const planned = await reprocess({ all: true, dryRun: true });
    const { inputTokens, outputTokens } = planned.estimate;
    expect(planned).toMatchObject({ dryRun: true, documents: 1, bytes: TEXT.length });
    expect(planned.estimate.cost).toBeCloseTo((inputTokens + outputTokens * 10) / 1_000_000, 9);
    expect(await opened.everything()).toBe(before);
    expect(provider.requests).toHaveLength(0);
  });

  test("has no cost estimate without a known price, and rules cost nothing", async () => {
    const id = await add(TEXT);
    expect((await reprocess({ ids: [id], dryRun: true })).estimate).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
    });
    await restart({ model: modelAt() });
    expect((await reprocess({ ids: [id], dryRun: true })).estimate.cost).toBeNull();
  });
});

test("costs add up per document and overall; responses without a price are counted separately", async () => {
  await restart({ model: modelAt({ input: 1, output: 3 }) });
  scriptFacts(KAYAK);
  const first = await add(TEXT);
  const second = await add(`${TEXT} Again.`);
  const useOf = async (id: string) => (await opened.core.getDocument(opened.call(), { id })).llmUse;
  const [one, two] = [await useOf(first), await useOf(second)];
  // Every scripted answer uses one token in each direction.
  expect(one.cost).toBeCloseTo((one.answers * 4) / 1_000_000, 12);
  const { llmUse } = await opened.core.status(opened.call());
  expect(llmUse.cost).toBeCloseTo((one.cost ?? 0) + (two.cost ?? 0), 12);
  expect(llmUse).toMatchObject({ answers: one.answers + two.answers, unpricedAnswers: 0 });
  await restart({ model: modelAt() });
  await reprocess({ ids: [first] });
  const later = await useOf(first);
  expect(later.cost).toBeCloseTo(one.cost ?? 0, 12);
  expect(later.unpricedAnswers).toBe(later.answers - one.answers);
  expect(later.unpricedAnswers).toBeGreaterThan(0);
});

describe("a key for some containers", () => {
  test("reprocesses only documents that are entirely in them", async () => {
    const mine = await add(TEXT);
    const shared = await add("I own a boat.", { containerTags: ["a", "b"] });
    await add("I own a horse.", { containerTags: ["b"] });
    const call = opened.call(["a"]);
    const all = { all: true, onlyOutdated: false, dryRun: true };
    expect((await opened.core.reprocess(call, all)).documents).toBe(1);
    expect((await opened.core.reprocess(opened.call(), all)).documents).toBe(3);
    expect((await opened.core.reprocess(call, { ids: [mine] })).documents).toBe(1);
    await expect(opened.core.reprocess(call, { ids: [shared] })).rejects.toMatchObject({ kind: "forbidden" });
    await expect(opened.core.reprocess(call, { containerTag: "b" })).rejects.toMatchObject({ kind: "forbidden" });
    await opened.settle();
  });

  test("does not see documents of others", async () => {
    const theirs = await add("I own a horse.", { containerTags: ["b"] });
    const refused = opened.core.reprocess(opened.call(["a"]), { ids: [theirs] });
    await expect(refused).rejects.toMatchObject({ kind: "not_found" });
  });
});

test.each([
  [{}, /exactly one of/],
  [{ all: true, containerTag: "a" }, /exactly one of/],
  [{ ids: [], all: true }, /ids: must name at least one/],
  [{ all: false }, /all: must be true/],
  [{ ids: "x" }, /ids/],
  [{ ids: [""] }, /ids\.0: must not be empty/],
  [{ ids: Array.from({ length: 1_001 }, (_, index) => `${index}`) }, /ids: must name at most 1000/],
  [{ containerTag: "no spaces" }, /containerTag/],
  [{ all: true, dryRun: "yes" }, /dryRun: must be true or false/],
  [{ all: true, replace: 1 }, /replace: must be true or false/],
  [{ ids: ["nowhere"] }, /not found: nowhere/],
  [{ containerTag: "nowhere" }, /not found: nowhere/],
])("%j is rejected", async (input, message) => {
  await expect(opened.core.reprocess(opened.call(), input)).rejects.toThrow(message);
});
