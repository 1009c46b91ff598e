import { CompiledQuery, type Kysely } from "kysely";
import type { UnitDetail } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";
import type { Database } from "./schema.js";

/** A detail with what decides who may see it, so that it serves every scope. */
export interface HeldDetail {
  readonly detail: UnitDetail;
  /** Containers that the unit lies in. */
  readonly containerIds: readonly number[];
  /** When it will be forgotten; null for never. */
  readonly forgetAfter: string | null;
}

/** What ranking read of units before, as long as nothing of it can have changed. */
export interface DetailCache {
  /**
   * What is known of the organisation's units, null for one that is not there; empty after any change to what is held.
   * The caller adds what it reads.
   */
  known(organizationId: string): Promise<Map<Unit, HeldDetail | null>>;
}

/** About 10 MB of short texts. */
const UNITS_HELD = 10_000;

/**
 * Every change of a row that details are made of counts up a number of this connection; a row that is only added belongs
 * to a unit that nobody asked for yet. The number goes back with a transaction that is rolled back.
 */
const COUNTED_CHANGES = [
  "update on memories",
  "delete on memories",
  "insert on memory_sources",
  "update on memory_sources",
  "delete on memory_sources",
  "update on chunks",
  "delete on chunks",
  "insert on document_containers",
  "update on document_containers",
  "delete on document_containers",
];

/** @param db the connection itself: within a transaction nothing is held */
export function createDetailCache(db: Kysely<Database>): DetailCache {
  let held = new Map<Unit, HeldDetail | null>();
  let heldAt: string | undefined;
  let watching: Promise<void> | undefined;

  return {
    async known(organizationId) {
      if (db.isTransaction) return new Map();
      await (watching ??= watch(db));
      const { rows } = await db.executeQuery(CompiledQuery.raw("select changes from temp.detail_changes"));
      const [row] = rows as { changes: number }[];
      const at = `${row?.changes} ${organizationId}`;
      if (at !== heldAt || held.size > UNITS_HELD) held = new Map();
      heldAt = at;
      return held;
    },
  };
}

async function watch(db: Kysely<Database>): Promise<void> {
  const run = (statement: string) => db.executeQuery(CompiledQuery.raw(statement));
  await run("create temp table if not exists detail_changes (changes integer not null)");
  await run("insert into temp.detail_changes select 0 where not exists (select 1 from temp.detail_changes)");
  for (const [index, change] of COUNTED_CHANGES.entries())
    await run(`create temp trigger if not exists detail_change_${index} after ${change.replace(" on ", " on main.")}
      begin update detail_changes set changes = changes + 1; end`);
}
