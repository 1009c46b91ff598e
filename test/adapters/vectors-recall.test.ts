import { afterEach, beforeEach, expect, test } from "vitest";

import { createChromaVectors } from "../../src/adapters/vectors/chroma.js";
import type { VectorSpace } from "../../src/core/types.js";
import { ready, rememberingLog, startEngine, temporaryDirectory } from "../support/chroma.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom } from "../support/vectors.js";

const SPACE: VectorSpace = { id: 1, fingerprint: "test", dimensions: 128 };
const VECTORS = 8_000;
const QUERIES = 50;
const LIMIT = 10;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let engine: Awaited<ReturnType<typeof startEngine>>;

beforeEach(async () => {
  directory = await temporaryDirectory();
  engine = await startEngine(directory.path);
}, 300_000);

afterEach(async () => {
  await engine?.close();
  await directory?.remove();
});

/** With its default settings Chroma finds 82 % of these. */
test("Chroma finds the nearest vectors among ones that form no clusters", async () => {
  const random = seededRandom(11);
  const record = new MemoryVectorRecord();
  record.addSpace(SPACE);
  const vectors = new Map<number, Float32Array>();
  for (let unit = 1; unit <= VECTORS; unit++) {
    const vector = randomVector(SPACE.dimensions, random);
    vectors.set(unit, vector);
    record.put(SPACE, 1, unit, vector);
  }
  const index = createChromaVectors({
    record,
    target: { key: "test", name: "Chroma", failure: null, address: () => ({ url: engine.url }) },
    role: null,
    namespace: "recall",
    ownAbove: () => 0,
    log: rememberingLog(),
    timeouts: { search: 10_000, write: 30_000 },
    pollMs: 20,
  });
  try {
    await ready(index, 60_000);
    let right = 0;
    for (let query = 0; query < QUERIES; query++) {
      const vector = randomVector(SPACE.dimensions, random);
      const truth = new Set(nearestByHand(vectors, vector, LIMIT).map(({ unit }) => unit));
      const asked = { space: SPACE, containerIds: [1], kinds: ["chunk", "memory"] as const, vector, limit: LIMIT };
      const hits = await index.nearest(asked);
      right += hits.filter(({ unit }) => truth.has(unit)).length;
    }
    expect(right / (QUERIES * LIMIT)).toBeGreaterThan(0.97);
  } finally {
    await index.close();
  }
}, 90_000);
