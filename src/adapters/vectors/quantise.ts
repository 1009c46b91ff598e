/** The largest 8-bit magnitude, in both directions. */
const BYTE = 127;
/** The second 8-bit number divides one step of the first into this many. */
export const FINE_STEPS = 254;
const SHORT = 32_767;
const LARGEST_SUM = 2_147_483_647;

/**
 * The standard deviation of a cosine computed from the coarse numbers, for a vector of scale 1: each number is off by at most
 * half a step, uniformly distributed, and the query has length 1.
 */
export const COARSE_DEVIATION = 1 / Math.sqrt(12);

/**
 * Quantises a vector to integers from -127 to 127: `coarse × scale` is within half a scale of the vector, and `(coarse + fine /
 * 254) × scale` within 1/508 of one. A vector with NaN or an infinite number becomes zeros.
 * @returns the scale
 */
export function quantise(vector: Float32Array, coarse: Int8Array, fine: Int8Array | null): number {
  let largest = 0;
  // `Math.max` keeps NaN.
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at]!));
  const factor = BYTE / largest;
  if (!Number.isFinite(factor) || factor === 0) {
    coarse.fill(0, 0, vector.length);
    fine?.fill(0, 0, vector.length);
    return 0;
  }
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at]! * factor;
    const rounded = roundSmall(value);
    coarse[at] = rounded;
    if (fine !== null) fine[at] = roundSmall((value - rounded) * FINE_STEPS);
  }
  return largest / BYTE;
}

/** `Math.round` for numbers from -1,024 up, several times as fast. */
function roundSmall(value: number): number {
  return ((value + 1_024.5) | 0) - 1_024;
}

/**
 * Quantises a query to 16-bit integers, as large as possible without overflowing 32 bits in the dot product with 8-bit numbers.
 * @returns the factor that, together with the scale of the other vector, turns such a dot product into the cosine; above 0
 */
export function quantiseQuery(query: Float64Array, into: Int16Array): number {
  let largest = 0;
  let total = 0;
  for (const value of query) {
    largest = Math.max(largest, Math.abs(value));
    total += Math.abs(value);
  }
  if (largest === 0) {
    into.fill(0, 0, query.length);
    return 1;
  }
  // Rounding a 16-bit number adds at most a half.
  const factor = Math.min(SHORT / largest, (LARGEST_SUM / BYTE - query.length) / total);
  for (let at = 0; at < query.length; at++) into[at] = Math.round(query[at]! * factor);
  return 1 / factor;
}

/** Integer dot product; exact while it stays within 32 bits, as `quantiseQuery` ensures. */
export function dotWhole(values: Int8Array, offset: number, query: Int16Array, length: number): number {
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    even += values[offset + at]! * query[at]!;
    odd += values[offset + at + 1]! * query[at + 1]!;
  }
  return (even + odd) | 0;
}
