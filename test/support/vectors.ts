import type { VectorHit } from "../../src/core/ports.js";
import type { Unit } from "../../src/core/types.js";

/** A source of numbers from 0 to below 1, the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A vector of length 1 in a random direction. */
export function randomVector(dimensions: number, random: () => number): Float32Array {
  return scaledToOne(Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5));
}

/** A vector of length 1 close to another one; `distance` 0 is the same direction. */
export function vectorNear(vector: Float32Array, distance: number, random: () => number): Float32Array {
  const noise = randomVector(vector.length, random);
  return scaledToOne(vector.map((value, at) => value + distance * noise[at]!));
}

export function scaledToOne(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The nearest vectors, by the simplest possible computation. */
export function nearestByHand(
  vectors: ReadonlyMap<Unit, Float32Array>,
  query: Float32Array,
  limit: number,
): VectorHit[] {
  return [...vectors]
    .map(([unit, vector]) => ({ unit, cosine: vector.reduce((sum, value, at) => sum + value * query[at]!, 0) }))
    .sort((left, right) => right.cosine - left.cosine || left.unit - right.unit)
    .slice(0, limit);
}
