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

/** Fits every prompt of a reading. */
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

/** The provider finds these facts in every text. */
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

/** The service stops, and starts again with other settings over the same folder. */
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

describe("a document that rules have read", () => {
  test("is out of date as soon as there is a model, which then finds what they did not", async () => {
    const id = await add(TEXT);
    const before = await memories();
    expect(await reprocess({ all: true, dryRun: true })).toMatchObject({ extractor: "rules/1", documents: 0 });
    await restart({ model: modelAt() });
    scriptFacts(...MODEL_FACTS, { text: "User paddles.", quote: "red kayak" });
    expect(await reprocess({ all: true })).toMatchObject({ extractor: "extract-facts/2", documents: 1, skipped: [] });
    expect(extractions()).toHaveLength(1);
    expect(await texts()).toContain("User paddles.");
    const after = await memories();
    for (const memory of before) expect(after).toContainEqual(expect.objectContaining({ id: memory.id, strength: 1 }));
    expect((await reprocess({ all: true })).documents).toBe(0);
    expect(await opened.core.getDocument(opened.call(), { id })).toMatchObject({
      llmUse: { answers: expect.any(Number) },
    });
  });

  test("is noted in the journal with the cause, as a batch that can be undone", async () => {
    await add("Nothing to see here.");
    await restart({ model: modelAt() });
    scriptFacts({ text: "The view is empty.", quote: "Nothing to see" });
    await reprocess({ containerTag: "a" });
    expect(await texts()).toEqual(["The view is empty."]);
    const { items: entries } = await opened.core.listJournal(opened.call(), {});
    const entry = entries.find(({ action }) => action === "memory.added");
    expect(entry?.cause).toMatch(/^document \S+ reprocessed with extract-facts\/2$/);
    await opened.core.undoBatch(opened.call(), { batchId: entry?.batchId });
    expect(await texts()).toEqual([]);
  });
});
