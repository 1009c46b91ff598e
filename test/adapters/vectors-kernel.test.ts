import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dotKernel } from "../../src/adapters/vectors/dot-kernel.js";
import { FINE_STEPS, quantise, quantiseQuery } from "../../src/adapters/vectors/quantise.js";
import { RowScores } from "../../src/adapters/vectors/row-scores.js";
import { randomVector, seededRandom } from "../support/vectors.js";

/** Sums of products in the simplest form. */
function sumByHand(row: Int8Array, query: Int16Array): number {
  return Number(row.reduce((sum, value, at) => sum + BigInt(value) * BigInt(query[at] ?? 0), 0n));
}

/** Consecutive rows, each padded with zeros to a multiple of 16. */
function laidOut(rows: readonly Int8Array[]): { values: Int8Array; stride: number } {
  const stride = Math.max(16, Math.ceil(rows[0]!.length / 16) * 16);
  const values = new Int8Array(rows.length * stride);
  for (const [at, row] of rows.entries()) values.set(row, at * stride);
  return { values, stride };
}

function scoresOf(query: Float64Array, stride: number, isFast: boolean): RowScores {
  return new RowScores(query, stride, isFast ? dotKernel() : null);
}

function quantisedQuery(query: Float64Array): Int16Array {
  const values = new Int16Array(query.length);
  quantiseQuery(query, values);
  return values;
}

describe("sums of products with 8-bit vectors", () => {
  it("are computed by SIMD here", () => {
    expect(dotKernel()).not.toBeNull();
  });

  it("are exact, with SIMD and without, for any number of dimensions and rows", () => {
    const scenario = fc.record({
      dimensions: fc.integer({ min: 1, max: 130 }),
      count: fc.integer({ min: 1, max: 70 }),
      seed: fc.integer(),
      isExtreme: fc.boolean(),
    });
    fc.assert(
      fc.property(scenario, ({ dimensions, count, seed, isExtreme }) => {
        const random = seededRandom(seed);
        const any = (): number => (isExtreme ? (random() < 0.5 ? -127 : 127) : Math.floor(random() * 255) - 127);
        const rows = Array.from({ length: count }, () => Int8Array.from({ length: dimensions }, any));
        const query = Float64Array.from({ length: dimensions }, () => (isExtreme ? Math.sign(any()) : any() / 127));
        const whole = quantisedQuery(query);
        const expected = rows.map((row) => sumByHand(row, whole));
        const { values, stride } = laidOut(rows);
        for (const isFast of [true, false]) {
          const scores = scoresOf(query, stride, isFast);
          expect([...scores.ofAll(values, count)]).toEqual(expected);
          expect(scores.ofOne(values, (count >> 1) * stride)).toBe(expected[count >> 1]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([1, 2, 384, 1_536, 3_072, 20_000])("stay within 32 bits with %i dimensions, however large", (dimensions) => {
    const { values, stride } = laidOut([new Int8Array(dimensions).fill(127)]);
    for (const query of [new Float64Array(dimensions).fill(1), new Float64Array(dimensions).fill(1e-30)]) {
      for (const isFast of [true, false]) {
        const scores = scoresOf(query, stride, isFast);
        const [sum] = scores.ofAll(values, 1);
        expect((sum! * scores.factor) / (127 * dimensions * query[0]!)).toBeCloseTo(1, 2);
        expect(sum).toBeGreaterThan(0);
      }
    }
  });

  it("are correct for a query of zeros and for no rows", () => {
    for (const isFast of [true, false]) {
      const { values, stride } = laidOut([Int8Array.of(1, 2, 3, 4)]);
      const scores = scoresOf(new Float64Array(4), stride, isFast);
      expect(scores.factor).toBeGreaterThan(0);
      expect(scores.ofAll(values, 1)[0]).toBe(0);
      expect(scores.ofAll(values, 0)).toHaveLength(0);
    }
  });

  it("are correct when many rows make the memory grow", () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => new Int8Array(1_024).fill((at % 250) - 125, 0, 1));
    const { values, stride } = laidOut(rows);
    const query = Float64Array.from({ length: 1_024 }, (_, at) => (at === 0 ? 1 : 0));
    for (const isFast of [true, false]) {
      const sums = scoresOf(query, stride, isFast).ofAll(values, rows.length);
      expect(Array.from(sums, (sum) => sum / 32_767)).toEqual(rows.map((row) => row[0]));
    }
  });
});

describe("a vector in 8-bit numbers", () => {
  it("is accurate to half a step, and to about 1/508 of a step with the finer ones", () => {
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

  it("is zeros for zeros, for nothing, and for values that are not numbers", () => {
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
