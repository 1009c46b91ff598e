import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createCore, type Call, type Core } from "../../src/core/index.js";
import type { Embedder } from "../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

let opened: ManualCore;
let core: Core;
let call: Call;
let outage: Error | null;

/** The built-in embedder, which a test can make unavailable. */
function breakableEmbedder(): Embedder {
  const builtin = createBuiltinEmbedder();
  return {
    ...builtin,
    embed: (...parameters) => (outage ? Promise.reject(outage) : builtin.embed(...parameters)),
  };
}

beforeEach(async () => {
  outage = null;
  opened = await openManualCore({
    embedder: breakableEmbedder(),
    vectors: (index) => ({
      ...index,
      nearest: (query) => (outage?.message === "index" ? Promise.reject(outage) : index.nearest(query)),
      status: () => index.status(),
      verify: (signal) => index.verify(signal),
      close: () => index.close(),
    }),
  });
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const add = (content: string, more: Record<string, unknown> = {}) =>
  core.addDocument(call, { content, containerTags: ["a"], taskType: "superrag", wait: 20, ...more });
const remember = (contents: readonly string[], containerTag = "a") =>
  core.createMemories(call, { containerTag, memories: contents.map((content) => ({ content })) });
const search = (q: string, more: Record<string, unknown> = {}) =>
  core.search(call, { q, containerTags: ["a"], threshold: 0, ...more });
const texts = async (q: string, more: Record<string, unknown> = {}) =>
  (await search(q, more)).results.map((result) => result.text);

describe("a search returns", () => {
  test("the neighbour of the best hit even without words of the query, among hundreds of other hits", async () => {
    const turns = Array.from({ length: 300 }, (_, index) => `According to the accord of chapter ${index}`);
    turns.splice(150, 0, "Who repaired the old accordion?", "Hm", "Zyx");
    const speakers = ["Ben", "Ana"];
    await add(JSON.stringify(turns.map((content, index) => ({ speaker: speakers[index % 2], content }))));
    expect(await texts("Who repaired the accordion?", { limit: 5 })).toContain("Ben: Zyx");
  });

  test("memories, chunks or both, each with its origin", async () => {
    const document = await add("The hive stands on the roof.", { title: "Hives", metadata: { k: "v" } });
    const { documentId, memories } = await remember(["Ada bought a hive"]);
    expect(await texts("hive", { searchMode: "memories" })).toEqual(["Ada bought a hive"]);
    expect(await texts("hive", { searchMode: "documents" })).toEqual(["The hive stands on the roof."]);
    expect(new Set(await texts("hive"))).toEqual(new Set(["Ada bought a hive", "The hive stands on the roof."]));
    const { results } = await search("hive");
    const chunk = results.find((result) => result.kind === "chunk");
    const memory = results.find((result) => result.kind === "memory");
    expect(chunk).toMatchObject({
      memory: null,
      documents: [{ id: document.id, title: "Hives", metadata: { k: "v" } }],
    });
    expect(chunk?.documents[0]).not.toHaveProperty("content");
    expect(memory).toMatchObject({ id: memories[0]?.id, chunk: null, documents: [{ id: documentId }] });
  });

  test("one result for two documents that only differ in every and each", async () => {
    await add("Ada swims in the lake every night.");
    await add("Ada swims in the lake each night.");
    await add("Ada swims in the lake every morning.");
    expect(await texts("When does Ada swim in the lake?")).toHaveLength(2);
  });

  test("the best first, up to the limit, and none below the threshold", async () => {
    await remember(["Ada keeps bees on the roof", "Bees need water", "The train to Bonn leaves at noon"]);
    const all = (await search("Where does Ada keep bees?")).results;
    expect(all[0]?.text).toBe("Ada keeps bees on the roof");
    const similarities = all.map((result) => result.similarity);
    expect(similarities.every((similarity) => similarity >= 0 && similarity <= 1)).toBe(true);
    expect(await texts("Where does Ada keep bees?", { limit: 1 })).toHaveLength(1);
    const strict = (await search("Where does Ada keep bees?", { threshold: 0.5 })).results;
    expect(strict.length).toBeGreaterThan(0);
    expect(strict.length).toBeLessThan(all.length);
    expect(strict.every((result) => result.similarity >= 0.5)).toBe(true);
    const { results } = await core.search(call, { q: "Where does Ada keep bees?", containerTags: ["a"] });
    expect(results).toEqual(strict);
  });

  test("nothing for an unknown or empty container", async () => {
    expect((await search("bees", { containerTags: ["nowhere"] })).results).toEqual([]);
    expect(await opened.store.containers.find(opened.store.organizationId, "all")).toEqual([]);
  });

  test.each(["?", "!!!", "the of and", "🐝", "漢字", "x".repeat(10_000), "NEAR(a b) OR *", '"', "a\nb\tc"])(
    "results for odd questions: %s",
    async (q) => {
      await remember(["Ada keeps bees on the roof"]);
      const answer = await search(q);
      expect(answer.degraded).toEqual([]);
      expect(Array.isArray(answer.results)).toBe(true);
    },
  );
});

describe("a search can be limited", () => {
  test("by path, document or customId", async () => {
    const one = await add("Bees on the roof.", { filepath: "/notes/bees.md", customId: "bees" });
    await add("Bees in the garden.", { filepath: "/notes/2024/garden.md" });
    await add("Bees in the attic.", { filepath: "/letters/attic.md" });
    expect(await texts("bees", { filepath: "/notes/bees.md" })).toEqual(["Bees on the roof."]);
    expect(new Set(await texts("bees", { filepath: "/notes/" }))).toEqual(
      new Set(["Bees on the roof.", "Bees in the garden."]),
    );
    expect(await texts("bees", { filepath: "/notes" })).toEqual([]);
    expect(await texts("bees", { documentId: one.id })).toEqual(["Bees on the roof."]);
    expect(await texts("bees", { documentId: "bees" })).toEqual(["Bees on the roof."]);
    expect(await texts("bees", { documentId: "unknown" })).toEqual([]);
  });

  test("by a filter without loss of recall: it finds the one match behind hundreds of better ones", async () => {
    const memories = Array.from({ length: 100 }, (_, index) => ({
      content: `Ada keeps bees number ${index} on the roof`,
    }));
    for (let part = 0; part < 4; part++)
      await core.createMemories(call, {
        containerTag: "a",
        memories: memories.map(({ content }) => ({
          content: `${content}, hive ${part}`,
          metadata: { kind: "common" },
        })),
      });
    await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: "Somewhere far off there may be an insect", metadata: { kind: "rare" } }],
    });
    const filters = { AND: [{ key: "kind", value: "rare" }] };
    expect(await texts("Where does Ada keep bees on the roof?", { filters })).toEqual([
      "Somewhere far off there may be an insect",
    ]);
  });

  test("to memories by the metadata of their documents", async () => {
    await core.addDocument(call, {
      content: "A note.",
      containerTags: ["a"],
      metadata: { team: "red" },
      facts: [{ text: "Ada keeps bees" }],
      wait: 20,
    });
    await remember(["Bo keeps bees"]);
    const filters = { AND: [{ key: "team", value: "red" }] };
    expect(await texts("bees", { filters, searchMode: "memories" })).toEqual(["Ada keeps bees"]);
    const not = { AND: [{ key: "team", value: "red", negate: true }] };
    expect(await texts("bees", { filters: JSON.stringify(not), searchMode: "memories" })).toEqual(["Bo keeps bees"]);
  });

  test("among forgotten memories, too", async () => {
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [
        { content: "Ada keeps bees", metadata: { team: "red" } },
        { content: "Bo keeps bees", metadata: { team: "blue" } },
      ],
    });
    await core.forget(call, { ids: memories.map((memory) => memory.id) });
    const filters = { AND: [{ key: "team", value: "blue" }] };
    expect(await texts("bees", { includeForgotten: true, filters })).toEqual(["Bo keeps bees"]);
    expect(await texts("bees", { includeForgotten: true, searchMode: "documents", filters })).toEqual([]);
    await remember(["Cy keeps bees"]);
    expect(await texts("bees")).toEqual(["Cy keeps bees"]);
  });
});

describe("waiting documents", () => {
  test("are counted, for the containers searched", async () => {
    await opened.close();
    opened = await openManualCore({ jobs: false });
    ({ core } = opened);
    call = opened.call();
    for (const containerTags of [["a"], ["a", "b"], ["c"]])
      await core.addDocument(call, { content: "x y", containerTags });
    const waiting = async (containerTags?: string[]) => (await core.search(call, { q: "x", containerTags })).waiting;
    expect([await waiting(["a"]), await waiting(["b"]), await waiting(["nowhere"]), await waiting()]).toEqual([
      2, 1, 0, 3,
    ]);
  });

  test("are 0 when processing is done", async () => {
    await add("Bees on the roof.");
    expect((await search("bees")).waiting).toBe(0);
  });
});

test("results deleted while they are ranked are left out", async () => {
  const { memories } = await remember(["Ada keeps bees on the roof", "Bees need water"]);
  const { store } = opened.context;
  const units = withMethods(store.units, {
    async load(organization, wanted) {
      await core.forget(call, { ids: [memories[0]?.id ?? ""] });
      await store.containers.purge(organization, "a");
      return store.units.load(organization, wanted);
    },
  });
  const answer = await createCore({ ...opened.context, store: { ...store, units } }).search(call, {
    q: "bees",
    threshold: 0,
  });
  expect(answer.results).toEqual([]);
});

describe("when a component fails", () => {
  test("without an embedder, words still find results, and the response says so", async () => {
    await remember(["Ada keeps bees on the roof"]);
    outage = new AppError("unavailable", "The embedding service does not answer.");
    const answer = await search("bees on the roof");
    expect(answer.results.map((result) => result.text)).toEqual(["Ada keeps bees on the roof"]);
    expect(answer.degraded).toEqual(["found by words alone: The embedding service does not answer."]);
    outage = null;
    expect((await search("bees")).degraded).toEqual([]);
  });

  test("without a vector index, words still find results", async () => {
    await remember(["Ada keeps bees on the roof"]);
    outage = new AppError("unavailable", "index");
    expect(await search("bees")).toMatchObject({ results: [{}], degraded: ["found by words alone: index"] });
  });

  test("facts added in the meantime are stored, found by words, and get their vectors afterwards", async () => {
    await remember(["Ada keeps bees on the roof"]);
    outage = new AppError("unavailable", "The embedding service does not answer.", { retryAfter: 1 });
    await remember(["Bo herds sheep on the hill"]);
    const found = await search("sheep");
    expect(found.results.map((result) => result.text)).toEqual(["Bo herds sheep on the hill"]);
    outage = null;
    await opened.settle();
    opened.clock.advance(60_000);
    opened.context.wakeJobs();
    await opened.settle();
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    if (!space) throw new Error("There is no space");
    expect(await opened.store.units.withoutVector(space, -1, 10)).toEqual([]);
    expect((await search("sheep on the hill")).degraded).toEqual([]);
  });
});
