import type { Kysely } from "kysely";
import { kindOf, seqOf, unitOf, type Unit, type UnitKind } from "../../core/types.js";
import { isEvaluated } from "./filters.js";
import { type Matching, type MatchingKind, MATCHING_CHUNKS, MATCHING_MEMORIES } from "./matching-kinds.js";
import { createMemoryFilter } from "./memory-filter.js";
import { namedUnits } from "./named-units.js";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";
import { Slices } from "./slices.js";

/** Every statement reads their numbers anew. */
const RUNS_AT_ONCE = 500;

const KINDS: Readonly<Record<UnitKind, MatchingKind>> = { chunk: MATCHING_CHUNKS, memory: MATCHING_MEMORIES };

/** All units that satisfy a condition. What changes meanwhile may be taken as it was or as it is. */
export async function matchUnits(db: Kysely<Database>, matching: Matching): Promise<Unit[]> {
  const named = await namedUnits(db, matching.scope, matching.condition);
  if (named) return matchSome(db, matching, named);
  const found: Unit[] = [];
  for (const kind of matching.scope.kinds) {
    const seqs = await sweep(db, matching, kind);
    for (const seq of await evaluated(db, matching, { kind, seqs })) found.push(unitOf(kind, seq));
  }
  return found;
}

/** Those of these units that satisfy a condition now. */
export async function matchSome(db: Kysely<Database>, matching: Matching, units: readonly Unit[]): Promise<Unit[]> {
  const found: Unit[] = [];
  for (const kind of matching.scope.kinds) {
    const slices = slicesOf(db, matching);
    const seqs = units.filter((unit) => kindOf(unit) === kind).map(seqOf);
    const some = await slices.among(seqs, KINDS[kind].some(matching));
    for (const seq of await evaluated(db, matching, { kind, seqs: some })) found.push(unitOf(kind, seq));
  }
  return found;
}

/** Those that also satisfy a filter which the statements leave out. */
async function evaluated(
  db: Kysely<Database>,
  { scope: { containerIds }, condition: { filters } }: Matching,
  { kind, seqs }: { readonly kind: UnitKind; readonly seqs: readonly number[] },
): Promise<readonly number[]> {
  const isLeftOut = kind === "memory" && filters !== undefined && isEvaluated(executorOf(db).database, filters);
  return isLeftOut ? createMemoryFilter(db, { containers: containerIds, filters })(seqs) : seqs;
}

function slicesOf(db: Kysely<Database>, { scope, condition }: Matching): Slices {
  return new Slices(db, { containers: scope.containerIds, filters: condition.filters });
}

/** Looks at everything in the scope's containers. @returns what satisfies the condition */
async function sweep(db: Kysely<Database>, matching: Matching, kind: UnitKind): Promise<number[]> {
  const found: number[] = [];
  const { runsOf, first } = KINDS[kind];
  const readSlice = KINDS[kind].slice(matching);
  const slices = slicesOf(db, matching);
  let runs = runsOf(matching.scope.containerIds);
  let after = first;
  // A chunk may be in several of them.
  const known = kind === "chunk" && matching.scope.containerIds.length > 1 ? new Set<number>() : undefined;
  while (runs.length > 0) {
    const cursor = { runs: runs.slice(0, RUNS_AT_ONCE), after };
    const { seqs, last } = await slices.next((db, limit) => readSlice(db, { ...cursor, limit }));
    for (const seq of seqs) {
      if (known?.has(seq)) continue;
      known?.add(seq);
      found.push(seq);
    }
    runs = runs.slice(last ? last.run : RUNS_AT_ONCE);
    after = last ? last.after : first;
  }
  return found;
}
