import { afterEach, beforeEach, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";
import { type ScriptedReranker, startScriptedReranker } from "../support/scripted-reranker.js";

/** One search waits once, however many services hang. */
const PATIENCE_MS = 600;

let embedding: ScriptedProvider;
let reranking: ScriptedReranker;
let opened: OpenedCore;
beforeEach(async () => {
  embedding = await startScriptedProvider();
  reranking = await startScriptedReranker();
  opened = await openCore({
    settings: {
      RECOLLECT_EMBEDDER: "openai",
      RECOLLECT_EMBEDDING_BASE_URL: embedding.url,
      RECOLLECT_RERANK_BASE_URL: reranking.url,
      RECOLLECT_SEARCH_PATIENCE_MS: String(PATIENCE_MS),
    },
  });
  await opened.settle();
  const memories = ["Mia drinks green tea", "Tea is grown by Ada", "Mia repairs old clocks"];
  const input = { containerTag: "a", memories: memories.map((content) => ({ content })) };
  await opened.core.createMemories({ actor: opened.actor }, input);
  await opened.settle();
});
afterEach(async () => {
  await opened.close();
  await embedding.close();
  await reranking.close();
});

const input = { q: "tea", containerTags: ["a"], threshold: 0, rerank: true };
const DOORS: Readonly<Record<string, () => Promise<{ readonly degraded: readonly string[] }>>> = {
  search: () => opened.core.search({ actor: opened.actor }, input),
  "search with chunks": () => opened.core.search({ actor: opened.actor }, { ...input, includeChunks: true }),
};

test.each(Object.entries(DOORS))("%s waits no longer for two hanging services than for one", async (_, ask) => {
  embedding.fail({ kind: "stall" }, 100);
  reranking.fail({ kind: "stall" }, { kind: "stall" }, { kind: "stall" });
  const { degraded } = await ask();
  // The wait for the embedder took all of the time, so the reranker is not asked.
  expect(reranking.requests).toEqual([]);
  expect(degraded.join("\n")).toMatch(/found by words alone[^]*ordered by rules/);
});

test("results are reranked once when both services respond", async () => {
  const { degraded } = await opened.core.search({ actor: opened.actor }, input);
  expect(degraded).toEqual([]);
  expect(reranking.requests).toHaveLength(1);
});
