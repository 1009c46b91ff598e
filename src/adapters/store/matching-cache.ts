import type { Kysely } from "kysely";
import type { UnitCondition, UnitScope } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";
import { createChangeCount } from "./change-count.js";
import type { Database } from "./schema.js";
import { matchUnits } from "./unit-matching.js";

type Matching = (organizationId: string, scope: UnitScope, condition: UnitCondition) => Promise<readonly Unit[]>;

/** Units that are remembered for all conditions together; about 8 bytes each. */
const MOST_UNITS = 1_000_000;
/** Conditions of more than so many characters are asked once: they list what was found before. */
const LONGEST_CONDITION = 4_000;
const TABLES = ["memories", "memory_sources", "documents", "chunks", "document_containers"];
const COUNTED_CHANGES = TABLES.flatMap((table) => ["insert", "update", "delete"].map((kind) => `${kind} on ${table}`));

/**
 * Finds the units that satisfy a condition. It has to look at every unit of the scope, so that the answers are kept until
 * something changes: the same agent asks with the same filter again and again.
 */
export function createMatching(db: Kysely<Database>): Matching {
  const changes = createChangeCount(db, "matching_changes", COUNTED_CHANGES);
  let answers = new Map<string, readonly Unit[]>();
  let kept = 0;
  let keptAt: number | undefined;

  function forget(): void {
    answers = new Map();
    kept = 0;
  }

  return async (organizationId, scope, condition) => {
    const key = JSON.stringify([organizationId, scope.containerIds, scope.kinds, condition]);
    const count = key.length > LONGEST_CONDITION ? null : await changes.now();
    if (count === null) return matchUnits(db, organizationId, scope, condition);
    if (count !== keptAt) forget();
    keptAt = count;
    const into = answers;
    const known = into.get(key);
    if (known) return known;
    const found = await matchUnits(db, organizationId, scope, condition);
    if (kept + found.length > MOST_UNITS) forget();
    // What was asked before a change belongs to what was forgotten with it.
    if (into === answers) {
      into.set(key, found);
      kept += found.length;
    }
    return found;
  };
}
