import { beforeEach, describe, expect, it, vi } from "vitest";

import { Candidates } from "../../src/adapters/vectors/candidates.js";
import { ContainerMatrix } from "../../src/adapters/vectors/container-matrix.js";
import { createExactVectors } from "../../src/adapters/vectors/exact.js";
import { TopHits } from "../../src/adapters/vectors/top-hits.js";
import type { VectorHit } from "../../src/core/ports.js";
import { unitOf, type Unit, type VectorSpace } from "../../src/core/types.js";
import { captureLog } from "../support/captured-log.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom, vectorNear } from "../support/vectors.js";

// Tens of thousands of vectors on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const DIMENSIONS = 24;
const ROWS = 6_000;

describe("a matrix that groups its rows", () => {
  let random: () => number;
  let matrix: ContainerMatrix;
  let truth: Map<Unit, Float32Array>;
  let subjects: Float32Array[];

  beforeEach(() => {
    random = seededRandom(31);
    matrix = new ContainerMatrix(DIMENSIONS, { fineRows: 1e6, groupedFrom: ROWS });
    truth = new Map();
    subjects = Array.from({ length: 300 }, () => randomVector(DIMENSIONS, random));
    for (let at = 0; at < ROWS; at++) put(unitOf("memory", at));
  });

  function put(unit: Unit): void {
    change(unit, vectorNear(subjects[Math.floor(random() * subjects.length)]!, 0.4, random));
  }

  function change(unit: Unit, vector: Float32Array): void {
    truth.set(unit, vector);
    matrix.apply({ unit, vector });
  }

  function remove(unit: Unit): void {
    truth.delete(unit);
    matrix.apply({ unit, vector: null });
  }

  function search(vector: Float32Array, isApproximate: boolean): { hits: VectorHit[]; chunks: number } {
    const scan = { vector: Float64Array.from(vector), kinds: ["chunk", "memory"] as const, isApproximate };
    const [top, candidates] = [new TopHits(10), new Candidates(10, -Infinity)];
    let chunks = 1;
    for (const _pause of matrix.scan(scan, candidates)) chunks += 1;
    matrix.settle(candidates, scan, top);
    return { hits: top.sorted(), chunks };
  }

  function expectNearest(vector: Float32Array): void {
    const expected = nearestByHand(truth, vector, 10).map(({ unit }) => unit);
    expect(search(vector, false).hits.map(({ unit }) => unit)).toEqual(expected);
  }

  /** Of the ten nearest to each of a hundred rows, how many of a thousand an approximate search finds. */
  function foundApproximately(first: number, spacing = 7): number {
    let found = 0;
    for (let query = 0; query < 100; query++) {
      const vector = vectorNear(truth.get(unitOf("memory", first + query * spacing))!, 0.1, random);
      const expected = new Set(nearestByHand(truth, vector, 10).map(({ unit }) => unit));
      found += search(vector, true).hits.filter(({ unit }) => expected.has(unit)).length;
    }
    return found;
  }

  function groupAll(): void {
    for (const _pause of matrix.group()) continue;
  }

  it("finds the nearest before, between and after all its steps", () => {
    expect(matrix.isGrouped).toBe(false);
    let steps = 0;
    for (const _pause of matrix.group()) if (steps++ % 500 === 0) expectNearest(randomVector(DIMENSIONS, random));
    expect(steps).toBeGreaterThan(200);
    expect(matrix.isGrouped).toBe(true);
    expect(matrix.size).toBe(ROWS);
    for (let query = 0; query < 20; query++) expectNearest(randomVector(DIMENSIONS, random));
  });

  it("keeps every row when rows are added, changed and removed between the steps and afterwards", () => {
    const writeSome = (): void => {
      put(unitOf("memory", ROWS + Math.floor(random() * 1_000)));
      put([...truth.keys()][Math.floor(random() * truth.size)]!);
      remove([...truth.keys()][Math.floor(random() * truth.size)]!);
    };
    let steps = 0;
    for (const _pause of matrix.group()) if (steps++ % 4 === 0) writeSome();
    for (let times = 0; times < 500; times++) writeSome();
    expect(matrix.isGrouped).toBe(true);
    expect(matrix.size).toBe(truth.size);
    for (const [unit, vector] of truth) expect(matrix.holds(unit, vector)).toBe(true);
    for (let query = 0; query < 20; query++) expectNearest(randomVector(DIMENSIONS, random));
  });

  it("gives up its memory when everything is removed", () => {
    groupAll();
    for (const unit of truth.keys()) remove(unit);
    expect(matrix.size).toBe(0);
    expect(matrix.bytes).toBe(0);
    put(unitOf("memory", 7));
    expectNearest(randomVector(DIMENSIONS, random));
  });

  it("finds most of what is much like a vector in a small part of the rows", () => {
    groupAll();
    expect(foundApproximately(0)).toBeGreaterThan(950);
    let scored = 0;
    for (let query = 0; query < 100; query++) scored += search(truth.get(unitOf("memory", query * 7))!, true).chunks;
    // Each of the 256 groups has a chunk, and a query looks into eight.
    expect(scored / 100).toBeLessThan(10);
  });

  it("looks at all rows that are not grouped yet", () => {
    const steps = matrix.group();
    while (matrix.version < ROWS / 2) steps.next();
    expect(matrix.isGrouped).toBe(false);
    for (let at = 0; at < ROWS; at += 50) {
      const unit = unitOf("memory", at);
      expect(search(truth.get(unit)!, true).hits[0]).toMatchObject({ unit });
    }
  });

  it("groups its rows anew once as many of other subjects were added", () => {
    groupAll();
    subjects = Array.from({ length: 300 }, () => randomVector(DIMENSIONS, random));
    for (let at = ROWS; at < ROWS * 2; at++) put(unitOf("memory", at));
    for (let at = 0; at < ROWS; at++) remove(unitOf("memory", at));
    expect(matrix.isGrouped).toBe(false);
    let steps = 0;
    for (const _pause of matrix.group()) if (steps++ % 500 === 0) expectNearest(randomVector(DIMENSIONS, random));
    expect(matrix.isGrouped).toBe(true);
    expect(matrix.size).toBe(ROWS);
    expect(foundApproximately(ROWS)).toBeGreaterThan(950);
  });

  it("looks past groups that share their middle with another, and have no rows", () => {
    const common = randomVector(DIMENSIONS, random);
    for (let at = 0; at < ROWS; at++) if (at % 8 > 0) change(unitOf("memory", at), common);
    groupAll();
    // The copies leave few groups for the others. Without a look past them it is 715.
    expect(foundApproximately(0, 8)).toBeGreaterThan(800);
  });

  it("gives up most of its memory when most rows of each group are removed", () => {
    groupAll();
    const before = matrix.bytes;
    for (const [at, unit] of [...truth.keys()].entries()) if (at % 100 > 0) remove(unit);
    expect(matrix.bytes / before).toBeLessThan(0.4);
    expectNearest(randomVector(DIMENSIONS, random));
  });

  it("copes with rows that are all the same, and with zeros", () => {
    const same = new ContainerMatrix(DIMENSIONS, { groupedFrom: 1_000 });
    const vector = randomVector(DIMENSIONS, random);
    for (let at = 0; at < 1_000; at++)
      same.apply({ unit: unitOf("memory", at), vector: at % 3 === 0 ? new Float32Array(DIMENSIONS) : vector });
    for (const _pause of same.group()) continue;
    expect(same.isGrouped).toBe(true);
    expect(same.holds(unitOf("memory", 500), vector)).toBe(true);
  });
});

describe("exact search in a container that is large enough for groups", () => {
  const SPACE: VectorSpace = { id: 1, fingerprint: "test", dimensions: DIMENSIONS };

  it("finds each stored vector at once, approximately too, while rows are grouped and others are written", async () => {
    const random = seededRandom(32);
    const record = new MemoryVectorRecord();
    record.addSpace(SPACE);
    const stored: Float32Array[] = [];
    const write = (): void => {
      stored.push(randomVector(DIMENSIONS, random));
      record.put(SPACE, 1, unitOf("memory", stored.length - 1), stored.at(-1)!);
    };
    for (let at = 0; at < 50_000; at++) write();
    const index = createExactVectors(record);
    for (let round = 0; round < 300; round++) {
      write();
      const at = round % 2 === 0 ? stored.length - 1 : Math.floor(random() * stored.length);
      const query = { space: SPACE, containerIds: [1], kinds: ["memory"] as const, vector: stored[at]!, limit: 8 };
      const [hits, fewer] = await Promise.all([index.nearest(query), index.nearest({ ...query, isApproximate: true })]);
      expect(hits[0]).toMatchObject({ unit: unitOf("memory", at) });
      expect(fewer[0]).toMatchObject({ unit: unitOf("memory", at) });
    }
    expect((await index.verify()).collections).toMatchObject([{ found: 50_300, repaired: false }]);
    await index.close();
  });

  it("reads a container that barely fits into memory once, although grouping its rows takes spare room", async () => {
    const space: VectorSpace = { id: 2, fingerprint: "wide", dimensions: 128 };
    const record = new CountingRecord();
    fill(record, space, 50_000);
    const index = createExactVectors(record, { megabytes: 10 });
    expect(index.shareOfMemory(space, 50_100)).toBeLessThan(1);
    const query = { space, containerIds: [1], kinds: ["memory"] as const, limit: 8 };
    for (let round = 0; round < 60; round++) {
      const vector = randomVector(128, seededRandom(1_000 + round));
      record.put(space, 1, unitOf("memory", 50_000 + round), vector);
      expect((await index.nearest({ ...query, vector }))[0]).toMatchObject({ unit: unitOf("memory", 50_000 + round) });
    }
    expect(record.firstPages).toBe(1);
    await index.close();
  });

  it("reads a container anew when there is no memory to put its rows in groups", async () => {
    const record = new CountingRecord();
    fill(record, SPACE, 50_000);
    const log = captureLog();
    const index = createExactVectors(record, { log });
    const vector = randomVector(DIMENSIONS, seededRandom(5));
    const search = () => index.nearest({ space: SPACE, containerIds: [1], kinds: ["memory"], vector, limit: 8 });
    const first = await search();
    // As the platform fails when an array cannot be allocated: each group needs one of its own.
    class NoRoom extends Int8Array {
      constructor(length: number) {
        super(length);
        if (length === 16 * 32) throw new RangeError("Array buffer allocation failed");
      }
    }
    vi.stubGlobal("Int8Array", NoRoom);
    await vi.waitFor(() => expect(log.lines).toMatchObject([{ level: "error" }]), 20_000);
    vi.unstubAllGlobals();
    expect(await search()).toEqual(first);
    expect(record.firstPages).toBe(2);
    await index.close();
  });
});

/** Counts how often a container is read from its beginning. */
class CountingRecord extends MemoryVectorRecord {
  firstPages = 0;

  override visit(...args: Parameters<MemoryVectorRecord["visit"]>): ReturnType<MemoryVectorRecord["visit"]> {
    if (args[1].afterUnit === -1) this.firstPages += 1;
    return super.visit(...args);
  }
}

function fill(record: MemoryVectorRecord, space: VectorSpace, rows: number): void {
  const random = seededRandom(space.id);
  record.addSpace(space);
  for (let at = 0; at < rows; at++) record.put(space, 1, unitOf("memory", at), randomVector(space.dimensions, random));
}
