import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Embedder } from "../../src/core/ports.js";
import { CALIBRATION_TEXTS } from "../../src/core/search/calibration-texts.js";
import { captureLog } from "../support/captured-log.js";
import { ManualClock } from "../support/clock.js";
import { openManualCore, type ManualCore } from "../support/manual-core.js";
import { openAiEmbedderOf, startNarrowProvider } from "../support/meaning-embedders.js";
import type { ScriptedProvider } from "../support/scripted-provider.js";
import { openDatabase } from "../support/store-folder.js";

const [FIRST_TEXT] = CALIBRATION_TEXTS[0]?.pairs[0] ?? [""];
const MINUTES = 60_000;

let provider: ScriptedProvider;
let embedder: Embedder;
let opened: ManualCore;
let log: ReturnType<typeof captureLog>;
let clock: ManualClock;

beforeEach(async () => {
  provider = await startNarrowProvider();
  embedder = openAiEmbedderOf(provider);
  await open(embedder);
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

async function open(by: Embedder, dataDirectory?: string): Promise<void> {
  log = captureLog();
  clock = new ManualClock();
  opened = await openManualCore({ embedder: by, log, clock, ...(dataDirectory !== undefined && { dataDirectory }) });
}

/** Another process with the same data. */
async function reopen(by = embedder): Promise<void> {
  await opened.stop();
  await open(by, opened.dataDirectory);
}

const add = (content: string) =>
  opened.core.addDocument(opened.call(), { content, containerTags: ["a"], taskType: "superrag", wait: 20 });
const remember = (content: string) =>
  opened.core.createMemories(opened.call(), { containerTag: "a", memories: [{ content }] });
const search = (q: string, threshold?: number) =>
  opened.core.search(opened.call(), { q, containerTags: ["a"], ...(threshold !== undefined && { threshold }) });
const texts = async (q: string, threshold?: number) =>
  (await search(q, threshold)).results.map((result) => result.text);

/** How often the provider was called to measure. */
const measured = (): number => provider.requests.filter(({ body }) => body.input?.includes(FIRST_TEXT)).length;

async function kept(): Promise<string | null> {
  const space = await opened.store.findSpace(embedder.fingerprint);
  return space && opened.store.spaceCalibration(space.id);
}

const PASTA = "Olga boils pasta with garlic for supper.";
const ROOF = "The plumber fixed a leak above the attic.";

describe("a new embedding space", () => {
  test("is measured once, with its first document, and the result is reused by later processes", async () => {
    await add(PASTA);
    expect(measured()).toBe(1);
    expect(JSON.parse((await kept()) ?? "null")).toMatchObject({
      version: 1,
      languages: [{ language: "en" }, {}, {}, {}, {}],
    });
    await add(ROOF);
    await texts("dinner");
    await reopen();
    await add("A third document about sailing.");
    expect(await texts("What does she cook for dinner?")).toEqual([PASTA]);
    expect(measured()).toBe(1);
  });

  test("with facts only is measured in the background when they are first compared", async () => {
    await remember(PASTA);
    expect(measured()).toBe(0);
    await remember(ROOF);
    await texts("dinner");
    await expect.poll(kept, { timeout: 10_000 }).not.toBeNull();
    expect(await texts("What does she cook for dinner?")).toEqual([PASTA]);
    expect(measured()).toBe(1);
  });

  test("is measured once for many simultaneous callers", async () => {
    await remember(PASTA);
    await Promise.all(Array.from({ length: 8 }, () => opened.context.calibrations.measure(embedder)));
    expect(measured()).toBe(1);
  });

  test("of the built-in embedder has a fixed calibration: nothing is embedded for it", async () => {
    const { calibrations } = opened.context;
    let asked = 0;
    const builtin: Embedder = {
      ...embedder,
      isCalibrated: true,
      embed(...parameters) {
        asked += 1;
        return embedder.embed(...parameters);
      },
    };
    await calibrations.measure(builtin);
    expect(await calibrations.of(builtin)).toEqual({
      points: builtin.calibration,
      wordWeight: 1,
      doubt: 0,
      ofWords: false,
    });
    expect(asked).toBe(0);
  });
});

describe("a stored calibration", () => {
  test.each([
    ["truncated", '{"version":1,"langua'],
    ["of other texts", '{"version":0,"languages":[]}'],
  ])("that cannot be used (%s) is measured again", async (_what, calibration) => {
    await add(PASTA);
    await opened.stop();
    const connection = await openDatabase(opened.file);
    connection.prepare("update vector_spaces set calibration = ?").run(calibration);
    connection.close();
    await open(embedder, opened.dataDirectory);
    await add(ROOF);
    expect(measured()).toBe(2);
    expect(await kept()).toContain('"en"');
  });
});

describe("a failing provider", () => {
  /** Answers everything except requests made in order to measure. */
  const refusing = (refusal: () => Error | null): Embedder => ({
    ...embedder,
    async embed(batch, purpose, signal) {
      const error = batch.length > 20 ? refusal() : null;
      if (error) throw error;
      return embedder.embed(batch, purpose, signal);
    },
  });

  test("affects no document and no search, and is called again after some minutes", async () => {
    let refusal: Error | null = new AppError("unavailable", "The provider is overloaded.");
    await reopen(refusing(() => refusal));
    expect((await add(PASTA)).status).toBe("done");
    const answer = await search("Olga pasta garlic", 0);
    expect(answer.results.map(({ text }) => text)).toEqual([PASTA]);
    expect(answer.degraded).toEqual([]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: "warn", reason: "The provider is overloaded.", embedder: "openai narrow" }),
    );
    refusal = null;
    await add(ROOF);
    expect(await kept()).toBeNull();
    clock.advance(11 * MINUTES);
    await add("A third document about sailing.");
    expect(await kept()).not.toBeNull();
  });

  test("with an internal error is logged as such, and affects nothing else", async () => {
    await reopen(refusing(() => new TypeError("no such thing")));
    expect((await add(PASTA)).status).toBe("done");
    expect(log.lines).toContainEqual(expect.objectContaining({ level: "error", reason: "no such thing" }));
  });

  test("that never responds is abandoned when the service stops", async () => {
    await reopen({
      ...embedder,
      async embed(batch, purpose, signal) {
        if (batch.length <= 20) return embedder.embed(batch, purpose, signal);
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    await remember(PASTA);
    await texts("dinner");
    await opened.context.calibrations.close();
    expect(await kept()).toBeNull();
    expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a caller that aborts gets its own reason", async () => {
    const reason = new Error("no longer wanted");
    await expect(opened.context.calibrations.measure(embedder, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("stored text", () => {
  const talk = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      content: `Football team match score goal number ${from + at}, the players beat the champions ${"again ".repeat(at % 3)}`,
    }));
  const play = (from: number, count: number) =>
    opened.core.createMemories(opened.call(), { containerTag: "a", memories: talk(from, count) });

  test("adjusts the scale once there is enough of it and it is uniform", async () => {
    const { calibrations } = opened.context;
    await play(0, 60);
    await calibrations.learn(embedder);
    expect(await kept()).not.toContain("stored");
    const before = await calibrations.of(embedder);
    await play(60, 60);
    await calibrations.learn(embedder);
    const { stored, languages } = JSON.parse((await kept()) ?? "{}") as {
      stored: number;
      languages: { documents: number }[];
    };
    expect(stored).toBeGreaterThan((languages[0]?.documents ?? 1) + 0.1);
    expect((await calibrations.of(embedder)).points[1]?.[0]).toBeGreaterThan((before.points[1]?.[0] ?? 1) + 0.05);
    const learnt = await calibrations.of(embedder);
    await reopen();
    expect(await opened.context.calibrations.of(embedder)).toEqual(learnt);
    expect(measured()).toBe(1);
  });

  test("is not examined if a space is empty or its calibration is fixed", async () => {
    const { calibrations } = opened.context;
    await calibrations.learn(embedder);
    await calibrations.learn({ ...embedder, isCalibrated: true });
    expect(await kept()).toBeNull();
    expect(measured()).toBe(0);
  });
});

describe("thresholds with a narrow model", () => {
  beforeEach(async () => {
    await add(PASTA);
    await add(ROOF);
  });

  test("0 returns everything, 1 only the identical text", async () => {
    expect(new Set(await texts("supper", 0))).toEqual(new Set([PASTA, ROOF]));
    expect(await texts("Tonight Olga boils pasta with onions for supper.", 1)).toEqual([]);
    expect(await texts(PASTA, 1)).toEqual([PASTA]);
  });

  test("0.5 returns related texts, with or without common words, and no others", async () => {
    expect(await texts("What is she eating tonight?")).toEqual([PASTA]);
    expect(await texts("Who repaired the pipe?")).toEqual([ROOF]);
    expect(await texts("Election of the mayor")).toEqual([]);
  });

  test("without the provider, words alone decide, on the same scale", async () => {
    await provider.close();
    const answer = await search("garlic pasta");
    expect(answer.degraded).toEqual([expect.stringContaining("found by words alone")]);
    expect(answer.results.map(({ text }) => text)).toEqual([PASTA]);
    expect((await search("Election of the mayor")).results).toEqual([]);
  });
});
