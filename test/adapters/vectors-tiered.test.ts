import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createExactVectors } from "../../src/adapters/vectors/exact.js";
import { createVectors, type Vectors } from "../../src/adapters/vectors/index.js";
import { createTieredVectors } from "../../src/adapters/vectors/tiered.js";
import { AppError } from "../../src/core/errors.js";
import type { VectorIndex, VectorQuery, VectorRecord } from "../../src/core/ports.js";
import type { VectorSpace } from "../../src/core/types.js";
import { describeVectorIndex } from "../contract/vectors.js";
import { ENGINES_DIRECTORY, eventually, provideEngine, rememberingLog, temporaryDirectory } from "../support/chroma.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom } from "../support/vectors.js";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await provideEngine();
}, 300_000);

afterAll(async () => directory?.remove());

function open(record: VectorRecord, exactLimit: number): Vectors {
  return createVectors({
    record,
    log: rememberingLog(),
    namespace: "test",
    dataDirectory: `${directory.path}/${exactLimit}`,
    enginesDirectory: ENGINES_DIRECTORY,
    offline: true,
    exactLimit,
    mode: "auto",
    engine: "background",
    tuning: { pollMs: 20, needEveryMs: 20 },
  });
}

/** With another space that is large enough to need Chroma. */
async function openReady(record: VectorRecord, exactLimit: number): Promise<VectorIndex> {
  if (!(record instanceof MemoryVectorRecord)) throw new Error("another record than the suite's");
  const large: VectorSpace = { id: 1_000_000, fingerprint: "large", dimensions: 8 };
  const random = seededRandom(1);
  record.addSpace(large);
  for (let at = 0; at <= exactLimit; at++) record.put(large, 1, at, randomVector(8, random));
  const vectors = open(record, exactLimit);
  await eventually(async () => {
    const { name, state } = await vectors.status();
    return state === "ready" && name.includes("Chroma");
  });
  return vectors;
}

describeVectorIndex("Both tiers, with every vector in Chroma", {
  open: (record) => openReady(record, 0),
  recall: 0.97,
  many: 3_000,
});

describeVectorIndex("Both tiers, where a limit divides the containers", {
  open: (record) => openReady(record, 70),
  recall: 0.97,
  many: 3_000,
});

describeVectorIndex("Both tiers, asked before Chroma is there", {
  open: async (record) => open(record, 30),
  recall: 0.97,
  many: 3_000,
});

/** A tier that records its queries, and answers from the record or not at all. */
function watchedTier(record: VectorRecord, answers: () => boolean) {
  const asked: VectorQuery[] = [];
  const exact = createExactVectors(record);
  const tier: VectorIndex = {
    nearest: async (query) => {
      asked.push(query);
      if (!answers()) throw new AppError("unavailable", "not now");
      return exact.nearest(query);
    },
    status: async () => ({ name: "watched", state: "ready", behind: 0 }),
    verify: async () => ({ collections: [] }),
    scrub: async () => {},
    dropSpace: async () => {},
    close: async () => {},
  };
  return { tier, asked };
}

describe("the division between the tiers", () => {
  const space: VectorSpace = { id: 1, fingerprint: "test", dimensions: 16 };
  const random = seededRandom(5);
  const record = new MemoryVectorRecord();
  const all = new Map<number, Float32Array>();
  record.addSpace(space);
  for (const [containerId, count] of [
    [1, 40],
    [2, 50],
    [3, 200],
    [4, 90],
  ] as const) {
    for (let at = 0; at < count; at++) {
      const unit = containerId * 1_000 + at;
      all.set(unit, randomVector(16, random));
      record.put(space, containerId, unit, all.get(unit)!);
    }
  }

  function tieredWith(answers: () => boolean) {
    const { tier, asked } = watchedTier(record, answers);
    const exact = createExactVectors(record);
    const index = createTieredVectors({ record, exact, chroma: tier, exactLimit: 100, log: rememberingLog() });
    const search = (containerIds: number[], change: Partial<VectorQuery> = {}) =>
      index.nearest({
        space,
        containerIds,
        kinds: ["chunk", "memory"],
        vector: randomVector(16, random),
        limit: 10,
        ...change,
      });
    return { search, asked };
  }

  it("scores small containers exactly, alone and together, up to the limit", async () => {
    const { search, asked } = tieredWith(() => true);
    await search([1]);
    await search([1, 2]);
    expect(asked).toEqual([]);
  });

  it("leaves large containers to Chroma where not all vectors fit into memory, so that none pushes out another", async () => {
    const { tier, asked } = watchedTier(record, () => true);
    // 380 vectors of 88 bytes in all, of which 297 fit.
    const exact = createExactVectors(record, { megabytes: 0.025 });
    const index = createTieredVectors({ record, exact, chroma: tier, exactLimit: 1_000, log: rememberingLog() });
    const search = (containerId: number) =>
      index.nearest({
        space,
        containerIds: [containerId],
        kinds: ["chunk", "memory"],
        vector: randomVector(16, random),
        limit: 10,
      });
    await search(1);
    expect(asked).toEqual([]);
    await search(3);
    expect(asked.map(({ containerIds }) => containerIds)).toEqual([[3]]);
  });

  it("asks Chroma only about the containers beyond the limit", async () => {
    const { search, asked } = tieredWith(() => true);
    await search([3]);
    await search([1, 2, 3, 4]);
    expect(asked.map(({ containerIds }) => new Set(containerIds))).toEqual([new Set([3]), new Set([3, 4])]);
  });

  it("merges the hits of both tiers into one order", async () => {
    const { search } = tieredWith(() => true);
    const vector = randomVector(16, random);
    const hits = await search([1, 2, 3, 4], { vector });
    expect(hits.map((hit) => hit.unit)).toEqual(nearestByHand(all, vector, 10).map((hit) => hit.unit));
  });

  it("returns the same result when Chroma returns none", async () => {
    const { search, asked } = tieredWith(() => false);
    const vector = randomVector(16, random);
    const hits = await search([1, 2, 3, 4], { vector });
    expect(hits.map((hit) => hit.unit)).toEqual(nearestByHand(all, vector, 10).map((hit) => hit.unit));
    expect(asked).toHaveLength(1);
  });

  it("scores a filter of moderate size exactly, without asking Chroma", async () => {
    const { search, asked } = tieredWith(() => true);
    const vector = randomVector(16, random);
    const among = new Set(
      nearestByHand(all, vector, 390)
        .slice(-60)
        .map((hit) => hit.unit),
    );
    const chosen = new Map([...all].filter(([unit]) => among.has(unit)));
    const hits = await search([1, 2, 3, 4], { vector, among });
    expect(hits.map((hit) => hit.unit)).toEqual(nearestByHand(chosen, vector, 10).map((hit) => hit.unit));
    expect(asked).toEqual([]);
  });

  it("passes on errors that do not concern Chroma's health", async () => {
    const broken = new MemoryVectorRecord();
    broken.addSpace(space);
    broken.failWith(new Error("disk I/O error"));
    const { tier } = watchedTier(broken, () => true);
    const exact = createExactVectors(record);
    const index = createTieredVectors({ record, exact, chroma: tier, exactLimit: 100, log: rememberingLog() });
    const query = { space, containerIds: [3], kinds: ["chunk"] as const, vector: randomVector(16, random), limit: 3 };
    await expect(index.nearest(query)).rejects.toThrow("disk I/O error");
  });
});
