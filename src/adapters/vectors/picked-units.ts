import type { VectorQuery, VectorRecord } from "../../core/ports.js";
import { kindOf, type Unit } from "../../core/types.js";
import type { TopHits } from "./top-hits.js";

/** Reading this many takes about a millisecond; the store lets other work run between reads. */
const UNITS_PER_READ = 250;

/** Scores the chosen units with the record's vectors, provided they are in the query's containers and pass its filters. */
export async function offerUnits(
  record: VectorRecord,
  query: VectorQuery,
  units: Iterable<Unit>,
  top: TopHits,
): Promise<void> {
  const vector = Float64Array.from(query.vector);
  const wanted = [...units].filter((unit) => passes(query, unit));
  for (let from = 0; from < wanted.length; from += UNITS_PER_READ) {
    const picked = await record.pick(query.space, query.containerIds, wanted.slice(from, from + UNITS_PER_READ));
    for (const [row, unit] of picked.units.entries()) {
      const cosine = dotProduct(picked.matrix, row * vector.length, vector);
      if (cosine >= top.floor) top.offer(unit, cosine);
    }
  }
}

/** Whether a unit is of a kind that the query asks for, and among those that its filter admits. */
export function passes(query: Pick<VectorQuery, "kinds" | "among">, unit: Unit): boolean {
  return query.kinds.includes(kindOf(unit)) && (query.among === undefined || query.among.has(unit));
}

/** Dot product of `vector` and `values` from `offset` on. */
export function dotProduct(values: Float32Array, offset: number, vector: Float64Array): number {
  const length = vector.length;
  const whole = length - (length % 4);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let at = 0; at < whole; at += 4) {
    first += values[offset + at]! * vector[at]!;
    second += values[offset + at + 1]! * vector[at + 1]!;
    third += values[offset + at + 2]! * vector[at + 2]!;
    fourth += values[offset + at + 3]! * vector[at + 3]!;
  }
  for (let at = whole; at < length; at++) first += values[offset + at]! * vector[at]!;
  return first + second + third + fourth;
}
