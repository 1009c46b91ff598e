import type { Kysely } from "kysely";
import { kindOf, seqOf, unitOf, type Unit, type UnitKind } from "../../core/types.js";
import { type Matching, type MatchingKind, MATCHING_CHUNKS, MATCHING_MEMORIES } from "./matching-kinds.js";
import { namedUnits } from "./named-units.js";
import { executorOf, type RecordDatabase } from "./record-executor.js";
import type { Database } from "./schema.js";

/**
 * Rows that one statement looks at. In SQLite that takes 1 to 2 ms; then other work gets a turn. PostgreSQL works in another
 * process, and each statement sorts what is left.
 */
const SLICE: Readonly<Record<RecordDatabase, number>> = { sqlite: 1_000, postgres: 100_000 };

const KINDS: Readonly<Record<UnitKind, MatchingKind>> = { chunk: MATCHING_CHUNKS, memory: MATCHING_MEMORIES };

/** All units that satisfy a condition. What changes meanwhile may be taken as it was or as it is. */
export async function matchUnits(db: Kysely<Database>, matching: Matching): Promise<Unit[]> {
  const named = await namedUnits(db, matching.scope, matching.condition);
  if (named) return matchSome(db, matching, named);
  const found: Unit[] = [];
  for (const kind of matching.scope.kinds) await sweep(db, matching, kind, found);
  return found;
}

/** Those of these units that satisfy a condition now. */
export async function matchSome(db: Kysely<Database>, matching: Matching, units: readonly Unit[]): Promise<Unit[]> {
  const found: Unit[] = [];
  const most = SLICE[executorOf(db).database];
  for (const kind of matching.scope.kinds) {
    const seqs = units.filter((unit) => kindOf(unit) === kind).map(seqOf);
    for (let from = 0; from < seqs.length; from += most)
      for (const seq of await KINDS[kind].some(db, matching, seqs.slice(from, from + most)))
        found.push(unitOf(kind, seq));
  }
  return found;
}

/** Looks at everything in the scope's containers, and adds what satisfies the condition. */
async function sweep(db: Kysely<Database>, matching: Matching, kind: UnitKind, found: Unit[]): Promise<void> {
  const { runsOf, slice, first } = KINDS[kind];
  let runs = runsOf(matching.scope.containerIds);
  let after = first;
  // A chunk may be in several of them.
  const known = kind === "chunk" && matching.scope.containerIds.length > 1 ? new Set<number>() : undefined;
  while (runs.length > 0) {
    const { seqs, last } = await slice(db, matching, { runs, after, limit: SLICE[executorOf(db).database] });
    for (const seq of seqs) {
      if (known?.has(seq)) continue;
      known?.add(seq);
      found.push(unitOf(kind, seq));
    }
    if (last === null) break;
    runs = runs.slice(last.run);
    after = last.after;
  }
}
