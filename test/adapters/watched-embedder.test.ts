import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOpenAiEmbedder } from "../../src/adapters/embed/openai.js";
import { watchEmbedder } from "../../src/adapters/embed/watched.js";
import type { Embedder } from "../../src/core/ports.js";
import { captureLog } from "../support/captured-log.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const PATIENCE_MS = 200;
const REST_MS = 300;

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
  embedder = watchEmbedder(inner, { patienceMs: PATIENCE_MS, restMs: REST_MS });
});
afterEach(() => provider.close());

const ask = (text: string) => embedder.embed([text], "query");
const LATE = /no vector for a query within 0.2 s/;

test("queries that hang fail in time; after three and a failed trial, later ones fail immediately until it recovers", async () => {
  provider.fail({ kind: "stall" }, 5);
  for (const text of ["one", "two", "three", "four", "five", "six"])
    await expect(ask(text)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(LATE) as string,
    });
  expect(provider.requests).toHaveLength(5);
  expect(embedder.problem?.()).toMatch(LATE);

  await expect.poll(() => embedder.problem?.()).toBeNull();
  expect(provider.requests.map(({ body }) => body.input)).toEqual(
    ["one", "two", "three", "green tea", "four", "green tea"].map((text) => [text]),
  );
  expect(await ask("seven")).toHaveLength(1);
});

test("a late query is not abandoned, since a service may be loading its model for it", async () => {
  let isAnswered = false;
  const slow = watchEmbedder(
    {
      ...embedder,
      embed: async () => {
        await sleep(2 * PATIENCE_MS);
        isAnswered = true;
        return [];
      },
    },
    { patienceMs: PATIENCE_MS },
  );
  await expect(slow.embed(["one"], "query")).rejects.toThrow(LATE);
  await expect.poll(() => isAnswered).toBe(true);
});

test("a refused query does not stop others from being asked", async () => {
  provider.fail({ kind: "status", status: 400 });
  await expect(ask("one")).rejects.toMatchObject({ kind: "invalid" });
  expect(embedder.problem?.()).toBeNull();
  expect(await ask("two")).toHaveLength(1);
});

test("documents and queries with several texts are waited for, and their failure is reported", async () => {
  provider.fail({ kind: "slow", ms: 2 * PATIENCE_MS }, 2);
  expect(await embedder.embed(["one"], "document")).toHaveLength(1);
  expect(await embedder.embed(["one", "two"], "query")).toHaveLength(2);
  provider.fail({ kind: "status", status: 401 });
  await expect(embedder.embed(["one"], "document")).rejects.toThrow("refused the key");
  expect(embedder.problem?.()).toContain("refused the key");
  expect(await ask("one")).toHaveLength(1);
  expect(await embedder.embed(["one"], "document")).toHaveLength(1);
  expect(embedder.problem?.()).toBeNull();
});

test("a failure that is not asked about again is reported only while it lasts", async () => {
  provider.fail({ kind: "status", status: 401 });
  await expect(ask("one")).rejects.toThrow("refused the key");
  expect(embedder.problem?.()).toContain("refused the key");
  await expect.poll(() => embedder.problem?.()).toBeNull();

  provider.fail({ kind: "status", status: 401 });
  await expect(embedder.embed(["one"], "document")).rejects.toThrow("refused the key");
  expect(embedder.problem?.()).toContain("refused the key");
  await expect.poll(() => embedder.problem?.()).toBeNull();

  provider.fail({ kind: "status", status: 401 });
  await expect(embedder.embed(["one"], "document")).rejects.toThrow("refused the key");
  expect(await ask("two")).toHaveLength(1);
  expect(embedder.problem?.()).toBeNull();
});

test("texts refused while every text is are retried, and texts refused alone are given up", async () => {
  provider.fail({ kind: "status", status: 400 }, 2);
  await expect(embedder.embed(["one"], "document")).rejects.toMatchObject({ kind: "unavailable", retryAfter: 0.3 });
  expect(embedder.problem?.()).toContain("refused the request (400)");

  provider.fail({ kind: "status", status: 400 });
  expect(await embedder.embed(["two"], "document")).toHaveLength(1);
  expect(embedder.problem?.()).toBeNull();

  provider.failFor("three", { kind: "status", status: 400 });
  await expect(embedder.embed(["three"], "document")).rejects.toMatchObject({ kind: "invalid" });
  expect(embedder.problem?.()).toBeNull();
});
