import { afterAll, describe, expect, it, vi } from "vitest";

import { Candidates } from "../../src/adapters/vectors/candidates.js";
import { ContainerMatrix } from "../../src/adapters/vectors/container-matrix.js";
import { scanMatrix, type Turn } from "../../src/adapters/vectors/scan-matrix.js";
import { ScanThread } from "../../src/adapters/vectors/scan-thread.js";
import { TopHits } from "../../src/adapters/vectors/top-hits.js";
import { BLOCK_ROWS, VectorArena } from "../../src/adapters/vectors/vector-arena.js";
import type { Unit } from "../../src/core/types.js";
import { nearestByHand, randomVector, seededRandom, vectorNear } from "../support/vectors.js";

const DIMENSIONS = 96;
const ROWS = 5_000;
/** Bytes that are worth a thread here. */
const LEAST_BYTES = 200_000;
const KINDS = ["chunk", "memory"] as const;

const random = seededRandom(91);
const threads: ScanThread[] = [];

afterAll(() => Promise.all(threads.map((thread) => thread.close())));

async function startedThread(): Promise<ScanThread> {
  const thread = new ScanThread(LEAST_BYTES);
  threads.push(thread);
  await vi.waitFor(() => expect(thread.wake()).toBe(true), 10_000);
  return thread;
}

function filled(rows = ROWS) {
  const matrix = new ContainerMatrix({ coarse: new VectorArena(DIMENSIONS), fine: new VectorArena(DIMENSIONS) });
  const truth = new Map<Unit, Float32Array>();
  const change = (unit: Unit, vector: Float32Array | null): void => {
    matrix.apply({ unit, vector });
    if (vector === null) truth.delete(unit);
    else truth.set(unit, vector);
  };
  for (let unit = 0; unit < rows; unit++) change(unit, randomVector(DIMENSIONS, random));
  return { matrix, truth, change };
}

const scanFor = (query: Float32Array, among?: ReadonlySet<Unit>) => ({
  vector: Float64Array.from(query),
  kinds: KINDS,
  among,
});

/** Fails when the scan comes back to the event loop's turn, as it does where it computes itself. */
const neverHere: Turn = {
  isOver: true,
  next: () => Promise.reject(new Error("it was computed here")),
};

async function nearest(matrix: ContainerMatrix, query: Float32Array, thread: ScanThread): Promise<Unit[]> {
  const top = new TopHits(10);
  await scanMatrix(() => matrix, scanFor(query), { top, turn: neverHere, limit: 10, thread });
  return top.sorted().map(({ unit }) => unit);
}

const byHand = (truth: ReadonlyMap<Unit, Float32Array>, query: Float32Array): Unit[] =>
  nearestByHand(truth, query, 10).map(({ unit }) => unit);

describe("A thread", () => {
  it("computes exactly the sums that are computed here, for blocks in any order", async () => {
    const thread = await startedThread();
    const arena = new VectorArena(DIMENSIONS);
    const blocks = Int32Array.from({ length: 50 }, () => arena.take());
    for (const address of blocks)
      for (let at = 0; at < arena.blockBytes; at++) arena.values[address + at] = Math.floor(random() * 255) - 127;
    for (const some of [blocks, blocks.slice(7, 8), blocks.toReversed()]) {
      const query = Float64Array.from(randomVector(DIMENSIONS, random));
      const beside = await arena.scoreBeside(thread, some, query);
      expect(beside?.factor).toBe(arena.ask(query));
      expect([...(beside?.sums ?? [])]).toEqual([...arena.score(some, BLOCK_ROWS)]);
      beside?.done();
    }
  });

  it("is not asked about little, nor about the few units of a filter", async () => {
    const thread = await startedThread();
    const query = randomVector(DIMENSIONS, random);
    const few = new Candidates(10, -Infinity);
    expect(filled(1_000).matrix.scanBeside(scanFor(query), few, thread)).toBeNull();
    expect(filled().matrix.scanBeside(scanFor(query, new Set([1, 2, 3])), few, thread)).toBeNull();
  });

  it("serves many searches at once, in memory that grows meanwhile", async () => {
    const thread = await startedThread();
    const { matrix, truth, change } = filled();
    const queries = Array.from({ length: 40 }, () => randomVector(DIMENSIONS, random));
    const expected = queries.map((query) => byHand(truth, query));
    const found = Promise.all(queries.map((query) => nearest(matrix, query, thread)));
    // Opposite to what is asked, so that they change no answer.
    for (let unit = ROWS; unit < ROWS + 4_000; unit++)
      change(
        unit,
        vectorNear(queries[0] ?? new Float32Array(), 0.1, random).map((value) => -value / 1_000),
      );
    expect(await found).toEqual(expected);
    for (const query of queries.slice(0, 5)) expect(await nearest(matrix, query, thread)).toEqual(byHand(truth, query));
  });

  it("finds what is right when vectors are written anew and taken away while it computes", async () => {
    const thread = await startedThread();
    const { matrix, truth, change } = filled();
    const query = randomVector(DIMENSIONS, random);
    const [first, second] = byHand(truth, query);
    const found = nearest(matrix, query, thread);
    await Promise.resolve();
    change(first ?? 0, null);
    change(17, vectorNear(query, 0.01, random));
    const hits = await found;
    expect(hits).toEqual(byHand(truth, query));
    expect(hits.slice(0, 2)).toEqual([17, second]);
  });

  it("is done without when it ends in the midst of it, and another one takes its place", async () => {
    const thread = await startedThread();
    const { matrix, truth } = filled();
    const query = randomVector(DIMENSIONS, random);
    const here: Turn = { isOver: false, next: () => Promise.resolve() };
    const searches = Array.from({ length: 5 }, async () => {
      const top = new TopHits(10);
      await scanMatrix(() => matrix, scanFor(query), { top, turn: here, limit: 10, thread });
      return top.sorted().map(({ unit }) => unit);
    });
    await thread.close();
    for (const hits of await Promise.all(searches)) expect(hits).toEqual(byHand(truth, query));
    await vi.waitFor(() => expect(thread.wake()).toBe(true), 10_000);
    expect(await nearest(matrix, query, thread)).toEqual(byHand(truth, query));
  });

  it("holds on to no memory that was left", async () => {
    const thread = await startedThread();
    const arena = new VectorArena(DIMENSIONS);
    const query = Float64Array.from(randomVector(DIMENSIONS, random));
    const blocks = Int32Array.of(arena.take());
    (await arena.scoreBeside(thread, blocks, query))?.done();
    arena.leave(thread);
    // It is told of the memory again.
    const beside = await arena.scoreBeside(thread, blocks, query);
    arena.ask(query);
    expect([...(beside?.sums ?? [])]).toEqual([...arena.score(blocks, BLOCK_ROWS)]);
  });
});
