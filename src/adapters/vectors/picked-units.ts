import { setImmediate as nextTurn } from "node:timers/promises";

import type { VectorQuery, VectorRecord } from "../../core/ports.js";
import { kindOf, type Unit } from "../../core/types.js";
import { dotProduct } from "./container-matrix.js";
import type { TopHits } from "./top-hits.js";

const UNITS_PER_READ = 4_000;

/** Scores chosen units with the vectors of the record, as far as they lie in the query's containers and pass it. */
export async function offerUnits(
  record: VectorRecord,
  query: VectorQuery,
  units: Iterable<Unit>,
  top: TopHits,
): Promise<void> {
  const vector = Float64Array.from(query.vector);
  const wanted = [...units].filter((unit) => passes(query, unit));
  for (let from = 0; from < wanted.length; from += UNITS_PER_READ) {
    if (from > 0) await nextTurn();
    const picked = await record.pick(query.space, query.containerIds, wanted.slice(from, from + UNITS_PER_READ));
    for (const [row, unit] of picked.units.entries()) {
      top.offer(unit, dotProduct(picked.matrix, row * vector.length, vector));
    }
  }
}

/** Whether a unit is of a kind that the query asks for, and among those that its filter leaves. */
export function passes(query: Pick<VectorQuery, "kinds" | "among">, unit: Unit): boolean {
  return query.kinds.includes(kindOf(unit)) && (query.among === undefined || query.among.has(unit));
}
