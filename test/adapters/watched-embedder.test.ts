import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOpenAiEmbedder } from "../../src/adapters/embed/openai.js";
import { watchEmbedder } from "../../src/adapters/embed/watched.js";
import type { Embedder } from "../../src/core/ports.js";
import { captureLog } from "../support/captured-log.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const DEADLINE_MS = 200;
const REST_MS = 500;

let provider: ScriptedProvider;
let embedder: Embedder;
beforeEach(async () => {
  provider = await startScriptedProvider();
  const { url: baseUrl } = provider;
  const inner = createOpenAiEmbedder({
    baseUrl,
    apiKey: undefined,
    model: "scripted",
    dimensions: undefined,
    log: captureLog(),
    pauseMs: 1,
  });
  embedder = watchEmbedder(inner, { deadlineMs: DEADLINE_MS, restMs: REST_MS });
});
afterEach(() => provider.close());

const ask = (text: string) => embedder.embed([text], "query");
const LATE = /no vector of a query within 0.2 s/;

test("a query that hangs fails in time, and those after it fail at once, until one of them is tried again", async () => {
  provider.fail({ kind: "stall" });
  await expect(ask("one")).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(LATE) as string,
  });
  await expect(ask("two")).rejects.toThrow(LATE);
  expect(provider.requests).toHaveLength(1);
  expect(embedder.problem?.()).toMatch(LATE);

  await sleep(REST_MS);
  const [tried, ...others] = await Promise.allSettled([ask("three"), ask("four"), ask("five")]);
  expect(tried.status).toBe("fulfilled");
  expect(others.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask("six")).toHaveLength(1);
  expect(embedder.problem?.()).toBeNull();
});

test("an answer that comes late ends no rest", async () => {
  provider.fail({ kind: "slow", ms: DEADLINE_MS + 50 });
  await expect(ask("one")).rejects.toThrow(LATE);
  await sleep(100);
  await expect(ask("two")).rejects.toThrow(LATE);
  expect(provider.requests).toHaveLength(1);
});

test("a query that is refused keeps no other from being asked", async () => {
  provider.fail({ kind: "status", status: 400 });
  await expect(ask("one")).rejects.toMatchObject({ kind: "invalid" });
  expect(embedder.problem?.()).toBeNull();
  expect(await ask("two")).toHaveLength(1);
});

test("documents and many queries at once are waited for, and their failure is told", async () => {
  provider.fail({ kind: "slow", ms: 2 * DEADLINE_MS }, 2);
  expect(await embedder.embed(["one"], "document")).toHaveLength(1);
  expect(await embedder.embed(["one", "two"], "query")).toHaveLength(2);
  provider.fail({ kind: "status", status: 401 });
  await expect(embedder.embed(["one"], "document")).rejects.toThrow("refused the key");
  expect(embedder.problem?.()).toContain("refused the key");
  expect(await ask("one")).toHaveLength(1);
  expect(await embedder.embed(["one"], "document")).toHaveLength(1);
  expect(embedder.problem?.()).toBeNull();
});
