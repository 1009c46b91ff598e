import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { Candidates } from "../../src/adapters/vectors/candidates.js";
import { ContainerMatrix } from "../../src/adapters/vectors/container-matrix.js";
import { createExactVectors, type ExactVectors } from "../../src/adapters/vectors/exact.js";
import { scanMatrix, type Turn } from "../../src/adapters/vectors/scan-matrix.js";
import { TopHits } from "../../src/adapters/vectors/top-hits.js";
import type { VectorHit, VectorQuery } from "../../src/core/ports.js";
import { unitOf, type Unit, type VectorSpace } from "../../src/core/types.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom, vectorNear } from "../support/vectors.js";

const SPACE: VectorSpace = { id: 1, fingerprint: "test", dimensions: 24 };
const OTHER: VectorSpace = { id: 2, fingerprint: "other", dimensions: 40 };

/** A record that lets a test act during a read, and counts how often reading a container begins. */
class WatchedRecord extends MemoryVectorRecord {
  readonly begun: number[] = [];
  onPage: ((containerId: number, afterUnit: Unit) => void | Promise<void>) | null = null;

  constructor() {
    super();
    this.addSpace(SPACE);
    this.addSpace(OTHER);
  }

  override async page(space: VectorSpace, containerId: number, afterUnit: Unit, limit: number) {
    if (afterUnit === -1) this.begun.push(containerId);
    await this.onPage?.(containerId, afterUnit);
    return super.page(space, containerId, afterUnit, limit);
  }

  /** Everything in some containers, by unit. */
  async truth(containerIds: readonly number[], space = SPACE): Promise<Map<Unit, Float32Array>> {
    const all = new Map<Unit, Float32Array>();
    for (const containerId of containerIds) {
      for (const { unit, vector } of await super.page(space, containerId, -1, Infinity)) all.set(unit, vector!);
    }
    return all;
  }
}

function search(
  index: ExactVectors,
  containerIds: readonly number[],
  vector: Float32Array,
  change: Partial<VectorQuery> = {},
): Promise<VectorHit[]> {
  return index.nearest({ space: SPACE, containerIds, kinds: ["chunk", "memory"], vector, limit: 10, ...change });
}

/** Equal except for the order of hits whose cosines differ by less than the precision in memory. */
function expectNearest(hits: readonly VectorHit[], truth: ReadonlyMap<Unit, Float32Array>, query: Float32Array): void {
  const expected = nearestByHand(truth, query, Math.max(hits.length, 10));
  expect(hits).toHaveLength(Math.min(10, truth.size));
  const known = new Map(nearestByHand(truth, query, truth.size).map(({ unit, cosine }) => [unit, cosine]));
  for (const [at, { unit, cosine }] of hits.entries()) {
    expect(cosine).toBeCloseTo(expected[at]!.cosine, 4);
    expect(known.get(unit), `unit ${unit} is not in the record`).toBeCloseTo(cosine, 4);
  }
  expect(new Set(hits.map((hit) => hit.unit)).size).toBe(hits.length);
}

describe("exact search and the record", () => {
  it("agree after any history, for an index that follows writes closely and one that rarely looks", async () => {
    const write = fc.record({
      kind: fc.constant("write" as const),
      container: fc.integer({ min: 1, max: 4 }),
      unit: fc.integer({ min: 0, max: 40 }),
      isRemoval: fc.boolean(),
    });
    const step = fc.oneof(
      { weight: 12, arbitrary: write },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant("look" as const), which: fc.integer({ min: 0, max: 1 }) }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: "forget log" as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: "scrub" as const }) },
    );
    const history = fc.record({
      seed: fc.integer(),
      megabytes: fc.constantFrom(64, 0.012, 0.004, 0),
      steps: fc.array(step, { minLength: 10, maxLength: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, megabytes, steps }) => {
        const random = seededRandom(seed);
        const record = new WatchedRecord();
        const indexes = [createExactVectors(record, { megabytes }), createExactVectors(record)];
        const look = async (index: ExactVectors): Promise<void> => {
          const containerIds = [1, 2, 3, 4].filter(() => random() < 0.6);
          if (containerIds.length === 0) containerIds.push(1);
          const query = randomVector(SPACE.dimensions, random);
          expectNearest(await search(index, containerIds, query), await record.truth(containerIds), query);
        };
        for (const one of steps) {
          if (one.kind === "look") await look(indexes[one.which]!);
          else if (one.kind === "forget log") record.truncateLog(SPACE);
          else if (one.kind === "scrub") await indexes[0]!.scrub();
          else {
            const vector = one.isRemoval ? null : randomVector(SPACE.dimensions, random);
            record.put(SPACE, one.container, one.container * 100 + one.unit, vector);
          }
        }
        for (const index of indexes) {
          await look(index);
          const { collections } = await index.verify();
          expect(collections.filter((collection) => collection.repaired)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it("agree during concurrent searches, writes and evictions", async () => {
    const random = seededRandom(4);
    const record = new WatchedRecord();
    for (let container = 1; container <= 8; container++) {
      for (let at = 0; at < 150; at++) put(record, container, container * 1_000 + at, random);
    }
    const index = createExactVectors(record, { megabytes: 0.05 });
    const callers = Array.from({ length: 24 }, async (_, caller) => {
      for (let round = 0; round < 12; round++) {
        const container = 1 + ((caller + round) % 8);
        const unit = 50_000 + caller * 100 + round;
        const vector = put(record, container, unit, random);
        const hits = await search(index, [container, 1 + (round % 8)], vector, { limit: 3 });
        expect(hits[0]).toMatchObject({ unit });
        const mine = await record.truth([container, 1 + (round % 8)]);
        for (const hit of hits) expect(mine.has(hit.unit)).toBe(true);
      }
    });
    await Promise.all(callers);
  });

  it("agree when units are added, changed and removed while a container is being read", async () => {
    const random = seededRandom(9);
    const record = new WatchedRecord();
    for (let at = 0; at < 9_000; at += 2) put(record, 1, at, random);
    record.onPage = (_, after) => {
      put(record, 1, 9_001 + after * 2, random);
      if (after >= 100) record.put(SPACE, 1, after - 100, null);
      record.put(SPACE, 1, 8_998, null);
      put(record, 1, Math.max(1, after - 51), random);
      put(record, 1, 4, random);
    };
    const index = createExactVectors(record);
    await search(index, [1], randomVector(SPACE.dimensions, random));
    record.onPage = null;
    for (let round = 0; round < 20; round++) {
      const query = randomVector(SPACE.dimensions, random);
      expectNearest(await search(index, [1], query), await record.truth([1]), query);
    }
    expect(record.begun).toEqual([1]);
  });
});

describe("the memory of exact search", () => {
  it("reads a container once for concurrent callers, and again after a failed read", async () => {
    const random = seededRandom(2);
    const record = new WatchedRecord();
    for (let at = 0; at < 3_000; at++) put(record, 1, at, random);
    const index = createExactVectors(record);
    const query = randomVector(SPACE.dimensions, random);
    let failures = 1;
    record.onPage = (_, after) => {
      if (after > 1_000 && failures-- > 0) throw new Error("disk I/O error");
    };
    await expect(search(index, [1], query)).rejects.toThrow("disk I/O error");
    const answers = await Promise.all(Array.from({ length: 20 }, () => search(index, [1], query)));
    expect(record.begun).toEqual([1, 1]);
    for (const hits of answers) expectNearest(hits, await record.truth([1]), query);
  });

  it("searches a container larger than the whole memory, and keeps the others meanwhile", async () => {
    const random = seededRandom(3);
    const record = new WatchedRecord();
    for (let at = 0; at < 4_000; at++) put(record, 1, at, random);
    for (let at = 0; at < 50; at++) put(record, 2, 10_000 + at, random);
    const index = createExactVectors(record, { megabytes: 0.1 });
    for (let round = 0; round < 4; round++) {
      const query = randomVector(SPACE.dimensions, random);
      expectNearest(await search(index, [1, 2], query), await record.truth([1, 2]), query);
      const among = new Set(Array.from({ length: 300 }, () => Math.floor(random() * 4_000)));
      const chosen = new Map([...(await record.truth([1]))].filter(([unit]) => among.has(unit)));
      expectNearest(await search(index, [1], query, { among }), chosen, query);
    }
    expect(record.begun.filter((container) => container === 2)).toEqual([2]);
  });

  it("holds a thousand containers of a hundred vectors each, searched one by one and all together", async () => {
    const random = seededRandom(6);
    const record = new WatchedRecord();
    const containers = Array.from({ length: 1_000 }, (_, at) => at + 1);
    const query = randomVector(SPACE.dimensions, random);
    for (const container of containers) {
      for (let at = 0; at < 100; at++) put(record, container, container * 100 + at, random);
    }
    const index = createExactVectors(record, { megabytes: 16 });
    record.put(SPACE, 777, 5, vectorNear(query, 0.05, random));
    expectNearest(await search(index, containers, query), await record.truth(containers), query);
    expect((await search(index, containers, query))[0]).toMatchObject({ unit: 5 });
    for (const container of [1, 500, 777]) {
      expectNearest(await search(index, [container], query), await record.truth([container]), query);
    }
    // A few hundred changes, then more than one read covers.
    for (const changes of [300, 4_500]) {
      for (let at = 0; at < changes; at++) put(record, 1 + (at % 1_000), 200_000 + at, random);
      expectNearest(await search(index, containers, query), await record.truth(containers), query);
    }
    expect(record.begun).toHaveLength(1_000);
  }, 30_000);

  it("filters large containers exactly, whatever share a filter leaves", async () => {
    const random = seededRandom(8);
    const record = new WatchedRecord();
    const size = 24_000;
    for (let at = 0; at < size; at++) put(record, 1, at, random);
    const index = createExactVectors(record);
    const truth = await record.truth([1]);
    for (const share of [0.001, 0.01, 0.1, 0.5, 0.99]) {
      const query = randomVector(SPACE.dimensions, random);
      const among = new Set([...truth.keys()].filter(() => random() < share));
      const chosen = new Map([...truth].filter(([unit]) => among.has(unit)));
      expectNearest(await search(index, [1], query, { among }), chosen, query);
      const memories = new Map([...chosen].filter(([unit]) => unit % 2 === 1));
      expectNearest(await search(index, [1], query, { among, kinds: ["memory"] }), memories, query);
    }
  }, 30_000);

  it("finds the lowest units among thousands of equal vectors", async () => {
    const random = seededRandom(12);
    const record = new WatchedRecord();
    const same = randomVector(SPACE.dimensions, random);
    for (let at = 0; at < 30_000; at++) record.put(SPACE, 1, 30_000 - at, at % 3 === 0 ? same : any(random));
    const hits = await search(createExactVectors(record), [1], same, { limit: 50 });
    expect(hits.map((hit) => hit.unit)).toEqual(Array.from({ length: 50 }, (_, at) => 3 * (at + 1)));
    for (const hit of hits) expect(hit.cosine).toBeCloseTo(1, 5);
  });

  it("keeps every cosine correct when a container outgrows the finer numbers and shrinks again", async () => {
    const random = seededRandom(13);
    const record = new WatchedRecord();
    const index = createExactVectors(record);
    for (let at = 0; at < 19_995; at++) put(record, 1, at, random);
    for (let round = 0; round < 12; round++) {
      const query = randomVector(SPACE.dimensions, random);
      expectNearest(await search(index, [1], query), await record.truth([1]), query);
      if (round < 6) for (let at = 0; at < 3; at++) put(record, 1, 100_000 + round * 3 + at, random);
      else for (let at = 0; at < 900; at++) record.put(SPACE, 1, (round - 6) * 900 + at, null);
    }
  }, 30_000);

  it("drops what belongs to one space, even during a search, and keeps the rest", async () => {
    const random = seededRandom(14);
    const record = new WatchedRecord();
    for (let at = 0; at < 2_000; at++) put(record, 1, at, random);
    record.put(OTHER, 1, 7, randomVector(OTHER.dimensions, random));
    const index = createExactVectors(record);
    const query = randomVector(SPACE.dimensions, random);
    const truth = await record.truth([1]);
    const running = search(index, [1], query);
    await index.dropSpace(SPACE.id);
    expectNearest(await running, truth, query);
    const elsewhere = { space: OTHER, vector: randomVector(OTHER.dimensions, random) };
    expect(await search(index, [1], query, elsewhere)).toMatchObject([{ unit: 7 }]);
    await record.dropSpace(SPACE.id);
    await index.dropSpace(SPACE.id);
    expect(await search(index, [1], query, elsewhere)).toMatchObject([{ unit: 7 }]);
  });
});

describe("a matrix that is to hold too many rows for the finer numbers", () => {
  it("allocates no memory for them from the start, and leaves their cosines to the record", () => {
    const matrix = new ContainerMatrix(16, { expectedRows: 20_001 });
    const random = seededRandom(22);
    const near = randomVector(16, random);
    matrix.apply({ unit: 3, vector: near });
    for (let unit = 10; unit < 20_000; unit++) matrix.apply({ unit, vector: randomVector(16, random) });
    expect(matrix.bytes).toBeLessThan(20_480 * 16 + 20_000 * 60);
    const scan = { vector: Float64Array.from(near), kinds: ["chunk", "memory"] as const };
    const [top, candidates] = [new TopHits(1), new Candidates(1, -Infinity)];
    for (const _pause of matrix.scan(scan, candidates)) continue;
    expect(matrix.settle(candidates, scan, top)).toContain(3);
    expect(top.sorted()).toEqual([]);
  });
});

describe("a scan", () => {
  it.each([24, 384])("returns cosines accurate to 2e-5, with %i dimensions", (dimensions) => {
    const random = seededRandom(23);
    const matrix = new ContainerMatrix(dimensions);
    const truth = new Map(Array.from({ length: 300 }, (_, unit) => [unit, randomVector(dimensions, random)]));
    for (const [unit, vector] of truth) matrix.apply({ unit, vector });
    for (let round = 0; round < 200; round++) {
      const query = randomVector(dimensions, random);
      const scan = { vector: Float64Array.from(query), kinds: ["chunk", "memory"] as const };
      const [top, candidates] = [new TopHits(10), new Candidates(10, -Infinity)];
      for (const _pause of matrix.scan(scan, candidates)) continue;
      matrix.settle(candidates, scan, top);
      const cosines = new Map(nearestByHand(truth, query, truth.size).map(({ unit, cosine }) => [unit, cosine]));
      const best = top.sorted();
      expect(best).toHaveLength(10);
      for (const { unit, cosine } of best) expect(Math.abs(cosine - cosines.get(unit)!)).toBeLessThan(2e-5);
    }
  });
});

describe("a scan that pauses", () => {
  const random = seededRandom(21);
  const truth = new Map<Unit, Float32Array>();
  const scan = (query: Float32Array) => ({ vector: Float64Array.from(query), kinds: ["chunk", "memory"] as const });
  const matrix = new ContainerMatrix(16, { fineRows: 1e6 });

  function change(unit: Unit, vector: Float32Array | null): void {
    matrix.apply({ unit, vector });
    if (vector === null) truth.delete(unit);
    else truth.set(unit, vector);
  }

  beforeAll(() => {
    for (let unit = 0; unit < 80_000; unit++) change(unit, randomVector(16, random));
  });

  /** One pause between two chunks of 1,024 rows. */
  const PAUSES = Math.ceil(80_000 / 1_024) - 1;

  /** Pauses whenever possible, and runs an action at each of the first pauses. */
  function pausing(acts: (() => void)[]): Turn & { pauses: number } {
    const turn = {
      isOver: true,
      pauses: 0,
      next: async () => {
        turn.pauses += 1;
        acts.shift()?.();
      },
    };
    return turn;
  }

  async function best(turn: Turn, query: Float32Array): Promise<VectorHit[]> {
    const top = new TopHits(10);
    await scanMatrix(matrix, scan(query), { top, turn, limit: 10 });
    return top.sorted();
  }

  it("finds the same as one that does not", async () => {
    const query = randomVector(16, random);
    const turn = pausing([]);
    expectNearest(await best(turn, query), truth, query);
    expect(turn.pauses).toBe(PAUSES);
  });

  it("starts over when something was written, moved or removed meanwhile", async () => {
    const query = randomVector(16, random);
    const near = vectorNear(query, 0.01, random);
    const [nearest] = nearestByHand(truth, query, 1);
    const turn = pausing([() => change(90_000, near), () => change(nearest!.unit, null)]);
    const hits = await best(turn, query);
    expectNearest(hits, truth, query);
    expect(hits[0]).toMatchObject({ unit: 90_000 });
    expect(turn.pauses).toBe(PAUSES + 2);
  });

  it("ends even when something is changed at every pause", async () => {
    const query = randomVector(16, random);
    const acts = Array.from({ length: 100 }, (_, at) => () => change(50_000 + at, randomVector(16, random)));
    const turn = pausing(acts);
    expectNearest(await best(turn, query), truth, query);
    expect(turn.pauses).toBe(3);
  });

  it("continues when something was only added", async () => {
    const query = randomVector(16, random);
    const acts = Array.from({ length: 100 }, (_, at) => () => change(100_000 + at, randomVector(16, random)));
    const turn = pausing(acts);
    expectNearest(await best(turn, query), truth, query);
    // Added rows go into the last chunk, which has room, or after it.
    expect(turn.pauses).toBeGreaterThanOrEqual(PAUSES);
  });
});

function any(random: () => number): Float32Array {
  return randomVector(SPACE.dimensions, random);
}

function put(record: MemoryVectorRecord, container: number, at: number, random: () => number): Float32Array {
  const vector = any(random);
  record.put(SPACE, container, unitOf(at % 2 === 0 ? "chunk" : "memory", Math.floor(at / 2)), vector);
  return vector;
}
