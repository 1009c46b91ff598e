import { expect } from "vitest";
import { createOpenAiModel } from "../../src/adapters/llm/openai.js";
import type { Memory, RememberedFact } from "../../src/core/types.js";
import { type ManualCore, type ManualCoreOptions, openManualCore } from "./manual-core.js";
import { silentLog } from "./open-core.js";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.js";
import { answerAsReader, type Reader } from "./model-reader.js";

/** What finds and relates facts. */
export const MINDS = ["rules", "a language model"] as const;
export type Mind = (typeof MINDS)[number];

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface Told {
  readonly documentId: string;
  /** The outcome of each fact. */
  readonly receipt: readonly RememberedFact[];
}

/** A service that remembers documents, with rules or with a model. */
export interface World extends ManualCore {
  readonly mind: Mind;
  /** Null for rules. */
  readonly provider: ScriptedModel | null;
  /** Warnings, for example that rules had to replace the model. */
  readonly complaints: readonly string[];
  /** The model's reading of sentences that it does not simply repeat. */
  understand(reader: Reader): void;
  /** Adds a document to container `a` a day later, and waits until it is remembered. */
  tell(content: string, more?: Readonly<Record<string, unknown>>): Promise<Told>;
}

/** Opens a world; close it at the end. */
export async function openWorld(mind: Mind, options: ManualCoreOptions = {}): Promise<World> {
  const provider = mind === "rules" ? null : await startScriptedModel();
  const complaints: string[] = [];
  let reader: Reader = {};
  provider?.always((request) => answerAsReader(request, reader));
  const log = { ...silentLog, warn: (message: string) => void complaints.push(message) };
  const opened = await openManualCore({ log, ...options, ...(provider && { model: modelAt(provider.url) }) });
  return {
    ...opened,
    mind,
    provider,
    complaints,
    understand: (other) => void (reader = other),
    async tell(content, more = {}) {
      opened.clock.advance(DAY);
      const input = { content, containerTags: ["a"], dreaming: "instant", ...more };
      const { id } = await opened.core.addDocument(opened.call(), input);
      await opened.settle();
      const { document } = await opened.core.getDocument(opened.call(), { id });
      expect(document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
      return { documentId: id, receipt: document.receipt ?? [] };
    },
    async close() {
      await opened.close();
      await provider?.close();
    },
  };
}

/** A language model that is queried over a real socket. */
export function modelAt(url: string) {
  return createOpenAiModel({
    provider: "openai",
    baseUrl: url,
    apiKey: "sk-test",
    model: "scripted",
    fastModel: "scripted",
    settings: { baseUrl: "OPENAI_BASE_URL", apiKey: "OPENAI_API_KEY", model: "OPENAI_MODEL" },
    log: silentLog,
    pauseMs: 1,
  });
}

/** The facts listed as true now, in alphabetical order. */
export async function knownIn(world: Pick<World, "core" | "call">, containerTag = "a"): Promise<string[]> {
  return (await listed(world, containerTag)).map(({ memory }) => memory.text).toSorted();
}

async function listed({ core, call }: Pick<World, "core" | "call">, containerTag: string) {
  return (await core.listMemories(call(), { containerTags: [containerTag], limit: 200 })).entries;
}

/** Checks that every interface to a container returns exactly these facts as true now. */
export async function expectTruth(world: World, texts: readonly string[], containerTag = "a"): Promise<void> {
  const truth = [...texts].toSorted();
  expect(world.complaints).toEqual([]);
  const entries = await listed(world, containerTag);
  expect(entries.map(({ memory }) => memory.text).toSorted()).toEqual(truth);
  const memories = entries.map(({ memory }) => memory);
  await expectProfile(world, truth, containerTag);
  await expectFound(world, memories, containerTag);
  for (const entry of entries) await expectOwnDoors(world, entry.memory, entry.history, entry.documentIds);
  await expectDocuments(world, memories, containerTag);
  await expectUntold(world, memories, containerTag);
}

async function expectProfile({ core, call }: World, truth: readonly string[], containerTag: string): Promise<void> {
  const { static: lasting = [], dynamic = [] } = await core.profile(call(), { containerTag });
  expect([...lasting, ...dynamic].map(({ text }) => text).toSorted()).toEqual(truth);
}

/** Search finds each of them by its words, and nothing else. */
async function expectFound({ core, call }: World, memories: readonly Memory[], containerTag: string): Promise<void> {
  const ids = new Set(memories.map(({ id }) => id));
  const questions = memories.length > 0 ? memories.map(({ text }) => text) : ["What is known of Mia?"];
  for (const q of questions)
    for (const searchMode of ["memories", "hybrid"] as const) {
      const query = { q, containerTags: [containerTag], searchMode, threshold: 0, limit: 50 };
      const { results } = await core.search(call(), query);
      const found = results.filter(({ kind }) => kind === "memory");
      for (const { id } of found) expect(ids).toContain(id);
      if (memories.length > 0) expect(found.map(({ text }) => text)).toContain(q);
    }
}

/** A memory's history, journal entries and page agree. */
async function expectOwnDoors(
  { core, call }: World,
  memory: Memory,
  history: readonly Memory[],
  documentIds: readonly string[],
): Promise<void> {
  const told = await core.readHistory(call(), { id: memory.id });
  expect(told.memory).toMatchObject({ id: memory.id, text: memory.text, isLatest: true, isForgotten: false });
  const standing = told.versions.filter(({ isLatest, isForgotten }) => isLatest || !isForgotten);
  expect(standing.map(({ id }) => id)).toEqual([...history.map(({ id }) => id).toReversed(), memory.id]);
  expect(standing.map(({ version }) => version)).toEqual(standing.map((_, index) => index + 1));
  expect(standing.filter(({ isLatest }) => isLatest)).toHaveLength(1);
  const sources = told.sources.filter(({ memoryId }) => memoryId === memory.id).map(({ documentId }) => documentId);
  expect(new Set(sources)).toEqual(new Set(documentIds));
  expect(memory.sourceCount).toBe(documentIds.length);
  const { items } = await core.listJournal(call(), { memoryId: memory.id, limit: 200 });
  expect(items.map(({ seq }) => seq).toReversed()).toEqual(told.entries.map(({ seq }) => seq));
  expect(items.find(({ subjectId }) => subjectId === memory.id)?.after).toMatchObject({
    text: memory.text,
    isForgotten: false,
  });
  const fetched = await core.fetch(call(), { id: memory.id });
  expect(fetched).toMatchObject({ memory: { text: memory.text }, memories: [] });
  expect(new Set(fetched.sources)).toEqual(new Set(documentIds));
  for (const older of history) {
    const [newest] = (await core.fetch(call(), { id: older.id })).memories;
    expect(newest?.id).toBe(memory.id);
  }
}

/** Documents list only true facts as remembered, and all the true facts that they state. */
async function expectDocuments(
  { core, call }: World,
  memories: readonly Memory[],
  containerTag: string,
): Promise<void> {
  const query = { containerTags: [containerTag], limit: 200 };
  const { documents } = await core.listDocumentsWithMemories(call(), query);
  const shown = documents.flatMap((document) =>
    document.memories.map(({ memory }) => memory).filter(({ isLatest, isForgotten }) => isLatest && !isForgotten),
  );
  const stated = memories.filter(({ sourceCount }) => sourceCount > 0).map(({ id }) => id);
  expect(new Set(shown.map(({ id }) => id))).toEqual(new Set(stated));
  expect(shown).toHaveLength(memories.reduce((sum, { sourceCount }) => sum + sourceCount, 0));
  for (const { document } of documents) {
    const fetched = await core.fetch(call(), { id: document.id });
    for (const memory of fetched.memories) if (memory.isLatest) expect(stated).toContain(memory.id);
  }
}

/** Other facts known to the journal are neither returned nor found by their words. */
async function expectUntold({ core, call }: World, memories: readonly Memory[], containerTag: string): Promise<void> {
  const ids = new Set(memories.map(({ id }) => id));
  const { items } = await core.listJournal(call(), { containerTag, limit: 200 });
  const others = new Map(
    items.flatMap(({ subject, subjectId, after }) => {
      const text = (after as { text?: string } | null)?.text;
      return subject === "memory" && !ids.has(subjectId) && text !== undefined ? [[subjectId, text] as const] : [];
    }),
  );
  for (const [id, q] of others) {
    const query = { q, containerTags: [containerTag], searchMode: "memories", threshold: 0, limit: 50 };
    const { results } = await core.search(call(), query);
    expect(results.map((result) => result.id)).not.toContain(id);
  }
}
