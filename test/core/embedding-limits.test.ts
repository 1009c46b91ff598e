import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";
import { openDatabase } from "../support/store-folder.js";

const CONTAINER = "limited";
const TEXTS = 200;
const WAITS = { timeout: 10_000, interval: 20 };
/** US dollars per million tokens. */
const PRICE = 2;

let dataDirectory: string;
let opened: OpenedCore;
let provider: ScriptedProvider;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-limits-"));
  provider = await startScriptedProvider();
});

afterEach(async () => {
  await opened.close();
  await provider.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const textOf = (index: number): string =>
  `Rope r${index}: Uma tied ${index} knots into it at pier p${index} and left it there.`;

async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  opened = await openCore({ dataDirectory, settings: { RECOLLECT_EMBEDDING_PRICE: String(PRICE), ...settings } });
}

async function fill(settings?: Readonly<Record<string, string>>): Promise<void> {
  await open(settings);
  for (let start = 0; start < TEXTS; start += 100) {
    const memories = Array.from({ length: 100 }, (_, index) => ({ content: textOf(start + index) }));
    await opened.core.createMemories({ actor: opened.actor }, { containerTag: CONTAINER, memories });
  }
  await opened.settle();
}

const change = (input: unknown) => opened.core.changeEmbeddings({ actor: opened.actor }, input);
const use = () => change({ action: "use", choice: { kind: "openai", model: "scripted", baseUrl: provider.url } });
const embeddings = () => opened.core.getEmbeddings({ actor: opened.actor });
const activeName = async () => (await embeddings()).active.name;

/** The previous embedder still serves searches by vectors. */
async function expectAnswers(): Promise<void> {
  const { results, degraded } = await opened.core.search(
    { actor: opened.actor },
    { q: "knots at pier p42", containerTags: [CONTAINER], threshold: 0 },
  );
  expect(degraded).toEqual([]);
  expect(results[0]?.text).toBe(textOf(42));
}

/** Texts of the store that were sent in requests `from` to `to`. */
function sent(from = 0, to?: number): string[] {
  const texts = provider.requests.slice(from, to).flatMap(({ body }) => body.input ?? []);
  return texts.filter((text) => /^Rope r\d+: .* there\.$/.test(text));
}

function expectEachOnce(texts: readonly string[]): void {
  expect(texts).toHaveLength(TEXTS);
  expect(new Set(texts).size).toBe(TEXTS);
}

/** When the move resumes by itself, in milliseconds of Unix time. */
async function goesOnAt(): Promise<number> {
  const connection = await openDatabase(join(dataDirectory, "recollect.db"), { readOnly: true });
  try {
    const [job] = connection
      .prepare("select run_at from jobs where kind = 'move-embeddings' and state = 'waiting'")
      .all() as { run_at: string }[];
    return Date.parse(job?.run_at ?? "");
  } finally {
    connection.close();
  }
}

test("a move waits for a rate-limited service, and pays once for each text", async () => {
  await fill();
  provider.fail({ kind: "slow", ms: 150 }, 100);
  await use();
  await expect.poll(async () => (await embeddings()).next?.done, WAITS).toBeGreaterThan(0);
  provider.heal();
  provider.fail({ kind: "status", status: 429, headers: { "retry-after": "300" } }, 100);
  const refusedFrom = provider.requests.length;
  await expect.poll(async () => (await embeddings()).next?.problem, WAITS).toMatch(/limits the rate/);
  await opened.settle();
  expect(provider.requests.length).toBe(refusedFrom + 1);
  expect(await goesOnAt()).toBeGreaterThan(Date.now() + 200_000);
  const { next } = await embeddings();
  expect(next).toMatchObject({ state: "waiting", total: TEXTS });
  await expectAnswers();

  expect((await change({ action: "pause" })).embeddings.next).toMatchObject({ state: "paused", done: next?.done });
  provider.heal();
  await opened.settle();
  expect(provider.requests.length).toBe(refusedFrom + 1);
  await change({ action: "resume" });
  await expect.poll(activeName, WAITS).toBe("openai scripted");
  await opened.settle();
  expectEachOnce([...sent(0, refusedFrom), ...sent(refusedFrom + 1)]);
}, 60_000);

test("a move that is waiting for its pace sends nothing more once paused, and resumes where it was", async () => {
  // One request uses up the limit for hours.
  await fill({ RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: "10" });
  await use();
  await expect.poll(async () => (await embeddings()).next?.done, WAITS).toBeGreaterThan(0);
  await expectAnswers();
  await change({ action: "pause" });
  await opened.settle();
  const { next } = await embeddings();
  expect(next).toMatchObject({ state: "paused", done: sent().length });
  expect(next?.done).toBeLessThan(TEXTS);
  const bytes = sent().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(next?.tokens).toBeGreaterThanOrEqual(bytes / 4);
  expect(next?.cost).toBeCloseTo(((next?.tokens ?? 0) * PRICE) / 1_000_000, 9);

  await opened.close();
  await open();
  await change({ action: "resume" });
  await expect.poll(activeName, WAITS).toBe("openai scripted");
  await opened.settle();
  expectEachOnce(sent());
}, 60_000);

test("a move that is waiting for its pace can be cancelled immediately", async () => {
  await fill({ RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: "10" });
  await use();
  await expect.poll(async () => (await embeddings()).next?.done, WAITS).toBeGreaterThan(0);
  await change({ action: "rollback" });
  await opened.settle();
  expect(await embeddings()).toMatchObject({ active: { name: "builtin" }, next: null, previous: null });
  const other = await startScriptedProvider();
  try {
    await change({ action: "use", choice: { kind: "openai", model: "other", baseUrl: other.url } });
    await expect.poll(() => other.requests.length, WAITS).toBeGreaterThan(0);
    await expectAnswers();
    await change({ action: "rollback" });
    await opened.settle();
  } finally {
    await other.close();
  }
}, 60_000);
