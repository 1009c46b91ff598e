import { BitSet } from "./bit-set.js";

/** Whole numbers from 0, each once. */
export interface NumberSet extends Iterable<number> {
  readonly size: number;
  has(value: number): boolean;
}

/** A `Set` takes about 30 bytes per number. */
const SET_BITS_A_NUMBER = 240;
const MOST_BITS = 2 ** 32;

/**
 * A set of these numbers in as little memory as possible: many numbers close together take little more than their list,
 * which the set keeps.
 */
export function numberSet(values: readonly number[]): NumberSet {
  let largest = 0;
  for (const value of values) if (value > largest) largest = value;
  if (largest >= Math.min(MOST_BITS, values.length * SET_BITS_A_NUMBER)) return new Set(values);
  const bits = new BitSet(largest);
  for (const value of values) {
    if (bits.has(value)) return new Set(values);
    bits.add(value);
  }
  return {
    size: values.length,
    has: (value) => value <= largest && bits.has(value),
    [Symbol.iterator]: () => values[Symbol.iterator](),
  };
}
