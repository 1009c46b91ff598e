import type { Kysely } from "kysely";
import { kindOf, seqOf, unitOf, type Unit, type UnitKind } from "../../core/types.js";
import { type Matching, type MatchingKind, MATCHING_CHUNKS, MATCHING_MEMORIES } from "./matching-kinds.js";
import { namedUnits } from "./named-units.js";
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
  for (const kind of matching.scope.kinds) await sweep(db, { matching, kind }, found);
  return found;
}

/** Those of these units that satisfy a condition now. */
export async function matchSome(db: Kysely<Database>, matching: Matching, units: readonly Unit[]): Promise<Unit[]> {
  const found: Unit[] = [];
  for (const kind of matching.scope.kinds) {
    const slices = slicesOf(db, matching);
    const seqs = units.filter((unit) => kindOf(unit) === kind).map(seqOf);
    for (const seq of await slices.among(seqs, KINDS[kind].some(matching))) found.push(unitOf(kind, seq));
  }
  return found;
}

function slicesOf(db: Kysely<Database>, { scope, condition }: Matching): Slices {
  return new Slices(db, { containers: scope.containerIds, filters: condition.filters });
}

interface Sweep {
  readonly matching: Matching;
  readonly kind: UnitKind;
}

/** Looks at everything in the scope's containers, and adds what satisfies the condition. */
async function sweep(db: Kysely<Database>, { matching, kind }: Sweep, found: Unit[]): Promise<void> {
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
      found.push(unitOf(kind, seq));
    }
    runs = runs.slice(last ? last.run : RUNS_AT_ONCE);
    after = last ? last.after : first;
  }
}
