import { afterEach, beforeEach, expect, test } from "vitest";
import { createOpenAiEmbedder } from "../../../src/adapters/embed/openai.js";
import { watchEmbedder } from "../../../src/adapters/embed/watched.js";
import { silentLog } from "../../support/open-core.js";
import { type ManualCore, openManualCore } from "../../support/manual-core.js";
import { type ScriptedProvider, startScriptedProvider } from "../../support/scripted-provider.js";

/** A request waits for a hanging embedder once, however often it calls it. */
let provider: ScriptedProvider;
let opened: ManualCore;

beforeEach(async () => {
  provider = await startScriptedProvider();
  const place = { baseUrl: provider.url, apiKey: undefined, model: "scripted", dimensions: undefined };
  const embedder = watchEmbedder(createOpenAiEmbedder({ ...place, log: silentLog }), { patienceMs: 1_000 });
  opened = await openManualCore({ embedder });
  await opened.core.createMemories(opened.call(), { containerTag: "a", memories: [{ content: "Mia likes tea." }] });
  provider.fail({ kind: "stall" }, 1_000);
  await opened.core.addDocument(opened.call(), { content: "A note on harbours.", containerTags: ["a"] });
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  search: () => opened.core.search(opened.call(), { q: "zeppelin", containerTags: ["a"] }),
  "search of documents": () => opened.core.searchDocuments(opened.call(), { q: "zeppelin", containerTags: ["a"] }),
  profile: () => opened.core.profile(opened.call(), { q: "zeppelin", containerTag: "a" }),
  "forgetting what matches": () =>
    opened.core.forgetMatching(opened.call(), { query: "zeppelin", containerTag: "a", dryRun: true }),
  "list of what could be forgotten": () => opened.core.forget(opened.call(), { query: "zeppelin", containerTag: "a" }),
};

test.each(Object.keys(WAYS))("a %s without results waits for a hanging embedder once", async (way) => {
  await WAYS[way]?.();
  expect(provider.requests.filter(({ body }) => body.input?.includes("zeppelin"))).toHaveLength(1);
});

test("a direct memory is stored without the vector that does not come, and found by its words", async () => {
  await opened.core.createMemories(opened.call(), { containerTag: "a", memories: [{ content: "Tom likes sailing." }] });
  const { results } = await opened.core.search(opened.call(), { q: "Tom likes sailing.", containerTags: ["a"] });
  expect(results[0]?.text).toBe("Tom likes sailing.");
});
