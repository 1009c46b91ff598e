import { describe, expect, test } from "vitest";
import { numberSet } from "../../src/lib/number-set.js";

const LISTS: [name: string, values: readonly number[]][] = [
  ["no numbers", []],
  ["zero only", [0]],
  ["many consecutive numbers", Array.from({ length: 5_000 }, (_, at) => at)],
  ["multiples of seven, descending", Array.from({ length: 5_000 }, (_, at) => (5_000 - at) * 7)],
  ["a few distant numbers", [3, 900_000_001, 40, 2 ** 40]],
  ["numbers with repetitions", [...Array.from({ length: 500 }, (_, at) => at), 7, 8]],
];

describe.each(LISTS)("a set of %s", (_, values) => {
  const truth = new Set(values);
  const set = numberSet(values);

  test("contains its numbers, each once, in their order", () => {
    expect(set.size).toBe(truth.size);
    expect([...set]).toEqual([...truth]);
    expect(values.every((value) => set.has(value))).toBe(true);
  });

  test("contains no others", () => {
    const others = [...values, 0, 2 ** 32, 2 ** 32 + 3, 2 ** 41].flatMap((value) => [value + 1, value + 32, value + 3]);
    expect(others.map((value) => set.has(value))).toEqual(others.map((value) => truth.has(value)));
  });
});
