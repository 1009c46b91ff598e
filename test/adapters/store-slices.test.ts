import { describe, expect, test } from "vitest";
import { SliceLength } from "../../src/adapters/store/slices.js";

const SIZE = { leastRows: 16, mostRows: 1_000, milliseconds: 2 };

/** How many rows the statements look at, if a statement takes as long as given. */
function lengths(count: number, tookMs: (rows: number) => number): number[] {
  const length = new SliceLength(SIZE);
  return Array.from({ length: count }, () => {
    const { rows } = length;
    length.learn(tookMs(rows));
    return rows;
  });
}

describe("a long read looks", () => {
  test("at more and more small rows", () => {
    expect(lengths(8, (rows) => rows * 0.001)).toEqual([16, 32, 64, 128, 256, 512, 1_000, 1_000]);
  });

  test("at few rows that take long", () => {
    expect(lengths(5, (rows) => rows * 3).at(-1)).toBeLessThan(24);
  });

  test("at many rows although each statement takes long, because fewer would not be quicker", () => {
    expect(lengths(8, (rows) => 250 + rows * 0.001).at(-1)).toBe(1_000);
  });

  test("at few again once rows take longer than those before", () => {
    const length = new SliceLength(SIZE);
    for (let statement = 0; statement < 8; statement += 1) length.learn(0.1);
    expect(length.rows).toBe(1_000);
    length.learn(300);
    expect(length.rows).toBe(16);
  });
});
