import { afterEach, beforeEach, expect, test } from "vitest";
import { cacheQueries } from "../../src/adapters/embed/cached.js";
import { createOpenAiEmbedder } from "../../src/adapters/embed/openai.js";
import type { Embedder } from "../../src/core/ports.js";
import { captureLog } from "../support/captured-log.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

let provider: ScriptedProvider;
let embedder: Embedder;

beforeEach(async () => {
  provider = await startScriptedProvider();
  const inner = createOpenAiEmbedder({
    baseUrl: provider.url,
    apiKey: undefined,
    model: "scripted",
    dimensions: undefined,
    log: captureLog(),
    pauseMs: 1,
  });
  embedder = cacheQueries(inner, { entries: 3 });
});
afterEach(() => provider.close());

const asked = (): unknown[] => provider.requests.map((request) => request.body.input);

test("answers a repeated query from memory", async () => {
  const first = await embedder.embed(["coffee"], "query");
  const second = await embedder.embed(["coffee"], "query");
  expect(second).toEqual(first);
  expect(asked()).toEqual([["coffee"]]);
});

test("a caller that changes its vector does not affect the next caller", async () => {
  const [first] = await embedder.embed(["coffee"], "query");
  const copy = first!.slice();
  first!.fill(0);
  expect(await embedder.embed(["coffee"], "query")).toEqual([copy]);
});

test("concurrent equal queries share one call", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => embedder.embed(["coffee", "coffee"], "query")));
  expect(answers.every((answer) => answer.length === 2)).toBe(true);
  expect(asked()).toEqual([["coffee"]]);
});

test("asks only for the unknown ones of several queries, and keeps the order", async () => {
  const [tea] = await embedder.embed(["tea"], "query");
  const [water, sameTea, juice] = await embedder.embed(["water", "tea", "juice"], "query");
  expect(sameTea).toEqual(tea);
  expect(water).not.toEqual(juice);
  expect(asked()).toEqual([["tea"], ["water", "juice"]]);
});

test("evicts the least recently used query first", async () => {
  for (const text of ["a", "b", "c", "a", "d", "a", "b"]) await embedder.embed([text], "query");
  expect(asked()).toEqual([["a"], ["b"], ["c"], ["d"], ["b"]]);
});

test("does not cache documents", async () => {
  await embedder.embed(["coffee"], "document");
  await embedder.embed(["coffee"], "document");
  await embedder.embed(["coffee"], "query");
  expect(asked()).toHaveLength(3);
});

test("does not cache failures", async () => {
  provider.fail({ kind: "status", status: 401 });
  await expect(embedder.embed(["coffee"], "query")).rejects.toThrow("refused the key");
  expect(await embedder.embed(["coffee"], "query")).toHaveLength(1);
});

test("one caller's abort does not affect the others", async () => {
  provider.fail({ kind: "slow", ms: 100 });
  const controller = new AbortController();
  const impatient = embedder.embed(["coffee"], "query", controller.signal);
  const patient = embedder.embed(["coffee"], "query");
  controller.abort(new Error("too slow"));
  await expect(impatient).rejects.toThrow("too slow");
  expect(await patient).toHaveLength(1);
  expect(asked()).toEqual([["coffee"]]);
});
