import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createKernel } from "../../src/adapters/vectors/dot-kernel.js";
import { FINE_STEPS, quantise, quantiseQuery } from "../../src/adapters/vectors/quantise.js";
import { BLOCK_ROWS, VectorArena } from "../../src/adapters/vectors/vector-arena.js";
import { randomVector, seededRandom } from "../support/vectors.js";

/** Sums of products as nobody could get them wrong. */
function sumByHand(row: Int8Array, query: Int16Array): number {
  return Number(row.reduce((sum, value, at) => sum + BigInt(value) * BigInt(query[at] ?? 0), 0n));
}

/** An arena with one block for each list of rows, and the addresses of the blocks. */
function arenaWith(dimensions: number, blocks: readonly (readonly Int8Array[])[], isFast: boolean) {
  const arena = new VectorArena(dimensions, isFast ? createKernel() : null);
  const addresses = Int32Array.from(blocks, (rows) => {
    const address = arena.take();
    for (const [row, values] of rows.entries()) arena.values.set(values, address + row * arena.stride);
    return address;
  });
  return { arena, addresses };
}

function quantisedQuery(query: Float64Array): Int16Array {
  const values = new Int16Array(query.length);
  quantiseQuery(query, values);
  return values;
}

describe("Sums of products with 8-bit vectors", () => {
  it("are computed by SIMD here", () => {
    expect(new VectorArena(384).isFast).toBe(true);
  });

  it("are exact, by SIMD and without, for any number of dimensions, blocks and rows", () => {
    const scenario = fc.record({
      dimensions: fc.integer({ min: 1, max: 130 }),
      blocks: fc.integer({ min: 1, max: 9 }),
      seed: fc.integer(),
      isExtreme: fc.boolean(),
    });
    fc.assert(
      fc.property(scenario, ({ dimensions, blocks, seed, isExtreme }) => {
        const random = seededRandom(seed);
        const any = (): number => (isExtreme ? (random() < 0.5 ? -127 : 127) : Math.floor(random() * 255) - 127);
        const content = Array.from({ length: blocks }, () =>
          Array.from({ length: BLOCK_ROWS }, () => Int8Array.from({ length: dimensions }, any)),
        );
        const query = Float64Array.from({ length: dimensions }, () => (isExtreme ? Math.sign(any()) : any() / 127));
        const whole = quantisedQuery(query);
        const expected = content.flat().map((row) => sumByHand(row, whole));
        for (const isFast of [true, false]) {
          const { arena, addresses } = arenaWith(dimensions, content, isFast);
          arena.ask(query);
          expect([...arena.score(addresses, BLOCK_ROWS)]).toEqual(expected);
          const row = (blocks * BLOCK_ROWS) >> 1;
          const one = Int32Array.of(addresses[row >> 3]! + (row & 7) * arena.stride);
          expect([...arena.score(one, 1)]).toEqual([expected[row]]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([1, 2, 384, 1_536, 3_072, 20_000])("stay within 32 bits with %i dimensions, however large", (dimensions) => {
    const row = new Int8Array(dimensions).fill(127);
    for (const query of [new Float64Array(dimensions).fill(1), new Float64Array(dimensions).fill(1e-30)]) {
      for (const isFast of [true, false]) {
        const { arena, addresses } = arenaWith(dimensions, [[row]], isFast);
        const factor = arena.ask(query);
        const [sum] = arena.score(addresses, BLOCK_ROWS);
        expect((sum! * factor) / (127 * dimensions * query[0]!)).toBeCloseTo(1, 2);
        expect(sum).toBeGreaterThan(0);
      }
    }
  });

  it("are those of a query of zeros, and of no blocks at all", () => {
    for (const isFast of [true, false]) {
      const { arena, addresses } = arenaWith(4, [[Int8Array.of(1, 2, 3, 4)]], isFast);
      expect(arena.ask(new Float64Array(4))).toBeGreaterThan(0);
      expect(arena.score(addresses, BLOCK_ROWS)[0]).toBe(0);
      expect(arena.score(new Int32Array(0), BLOCK_ROWS)).toHaveLength(0);
    }
  });

  it("keep what was written while the memory grows, and take given back blocks again, the lowest first", () => {
    for (const isFast of [true, false]) {
      const arena = new VectorArena(1_024, isFast ? createKernel() : null);
      const addresses = Array.from({ length: 1_000 }, (_, at) => {
        const address = arena.take();
        arena.values[address] = (at % 250) - 125;
        return address;
      });
      expect(new Set(addresses).size).toBe(1_000);
      arena.ask(Float64Array.from({ length: 1_024 }, (_, at) => (at === 0 ? 1 : 0)));
      const chosen = Int32Array.from(addresses.slice(0, arena.blocksPerCall));
      const firsts = arena.score(chosen, BLOCK_ROWS).filter((_, at) => at % BLOCK_ROWS === 0);
      expect([...firsts].map((sum) => sum / 32_767)).toEqual([...chosen.keys()].map((at) => (at % 250) - 125));
      for (const at of [500, 3, 77]) arena.give(addresses[at]!);
      expect([arena.take(), arena.take(), arena.take()]).toEqual([addresses[3], addresses[77], addresses[500]]);
    }
  });
});

describe("A vector in 8-bit numbers", () => {
  it("is within half a step of each number, and within a 508th with the finer ones", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer(), (dimensions, seed) => {
        const random = seededRandom(seed);
        const vector = randomVector(dimensions, random);
        const coarse = new Int8Array(dimensions);
        const fine = new Int8Array(dimensions);
        const scale = quantise(vector, coarse, fine);
        for (const [at, value] of vector.entries()) {
          expect(Math.abs(coarse[at]! * scale - value)).toBeLessThanOrEqual(scale * 0.5001);
          expect(Math.abs((coarse[at]! + fine[at]! / FINE_STEPS) * scale - value)).toBeLessThanOrEqual(scale / 507);
        }
        const query = Float64Array.from(randomVector(dimensions, random));
        const cosine = vector.reduce((sum, value, at) => sum + value * query[at]!, 0);
        const held = coarse.reduce((sum, value, at) => sum + (value + fine[at]! / FINE_STEPS) * query[at]!, 0);
        expect(held * scale).toBeCloseTo(cosine, 4);
      }),
      { numRuns: 100 },
    );
  });

  it("is zeros when it is of zeros, of nothing, or of what is no number", () => {
    const hopeless = [
      [0, 0],
      [NaN, 1],
      [1, NaN],
      [Infinity, 0.5],
      [-Infinity, 1],
      [1e-45, 0],
    ];
    for (const values of hopeless) {
      const coarse = Int8Array.of(9, 9);
      const fine = Int8Array.of(9, 9);
      const scale = quantise(Float32Array.from(values), coarse, fine);
      const held = [...coarse].map((value) => value * scale);
      expect(held.every((value) => Math.abs(value) < 1e-40)).toBe(true);
    }
    expect(quantise(new Float32Array(), new Int8Array(), new Int8Array())).toBe(0);
  });
});
