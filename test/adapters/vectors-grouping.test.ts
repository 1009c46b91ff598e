import { beforeEach, describe, expect, it } from "vitest";

import { Candidates } from "../../src/adapters/vectors/candidates.js";
import { ContainerMatrix } from "../../src/adapters/vectors/container-matrix.js";
import { createExactVectors } from "../../src/adapters/vectors/exact.js";
import { TopHits } from "../../src/adapters/vectors/top-hits.js";
import type { VectorHit } from "../../src/core/ports.js";
import { unitOf, type Unit, type VectorSpace } from "../../src/core/types.js";
import { MemoryVectorRecord } from "../support/vector-record.js";
import { nearestByHand, randomVector, seededRandom, vectorNear } from "../support/vectors.js";

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
    const vector = vectorNear(subjects[Math.floor(random() * subjects.length)]!, 0.4, random);
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

  function groupAll(): void {
    for (const _pause of matrix.group()) continue;
  }

  it("finds the nearest before, between and after all its steps", () => {
    expect(matrix.isGrouped).toBe(false);
    let steps = 0;
    for (const _pause of matrix.group()) if (steps++ % 100 === 0) expectNearest(randomVector(DIMENSIONS, random));
    expect(steps).toBeGreaterThan(200);
    expect(matrix.isGrouped).toBe(true);
    expect(matrix.size).toBe(ROWS);
    for (let query = 0; query < 20; query++) expectNearest(randomVector(DIMENSIONS, random));
  });

  it("keeps every row when rows are added, changed and removed between the steps and afterwards", () => {
    const change = (): void => {
      put(unitOf("memory", ROWS + Math.floor(random() * 1_000)));
      put([...truth.keys()][Math.floor(random() * truth.size)]!);
      remove([...truth.keys()][Math.floor(random() * truth.size)]!);
    };
    let steps = 0;
    for (const _pause of matrix.group()) if (steps++ % 4 === 0) change();
    for (let times = 0; times < 500; times++) change();
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
    let found = 0;
    let scored = 0;
    for (let query = 0; query < 100; query++) {
      const vector = vectorNear(truth.get(unitOf("memory", query * 7))!, 0.1, random);
      const expected = new Set(nearestByHand(truth, vector, 10).map(({ unit }) => unit));
      const { hits, chunks } = search(vector, true);
      found += hits.filter(({ unit }) => expected.has(unit)).length;
      scored += chunks;
    }
    expect(found).toBeGreaterThan(950);
    // Each of the 256 groups has a chunk, and a query looks into eight.
    expect(scored / 100).toBeLessThan(10);
  });

  it("looks at all rows that are not grouped yet", () => {
    const steps = matrix.group();
    for (let step = 0; step < 940; step++) steps.next();
    expect(matrix.isGrouped).toBe(false);
    for (let at = 0; at < ROWS; at += 50) {
      const unit = unitOf("memory", at);
      expect(search(truth.get(unit)!, true).hits[0]).toMatchObject({ unit });
    }
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
});
