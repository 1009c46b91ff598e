import type { Kysely } from "kysely";
import { readRows } from "./fixed-query.js";
import type { Database } from "./schema.js";

/** How often some kinds of rows were changed since the first question; the same number means that they are the same. */
export interface ChangeCount {
  /** Null within a transaction, whose changes may be taken back. */
  now(): Promise<number | null>;
}

/**
 * Counts changes that go through this connection, of which a store has only one. The number goes back with a transaction
 * that is rolled back.
 * @param name of the temporary table that holds the number; letters and underscores
 * @param changes such as `update on memories`
 */
export function createChangeCount(db: Kysely<Database>, name: string, changes: readonly string[]): ChangeCount {
  const run = (statement: string) => readRows<{ changes: number }>(db, statement);
  let watching: Promise<void> | undefined;

  async function watch(): Promise<void> {
    await run(`create temp table if not exists ${name} (changes integer not null)`);
    await run(`insert into temp.${name} select 0 where not exists (select 1 from temp.${name})`);
    for (const [index, change] of changes.entries())
      await run(`create temp trigger if not exists ${name}_${index} after ${change.replace(" on ", " on main.")}
        begin update ${name} set changes = changes + 1; end`);
  }

  return {
    async now() {
      if (db.isTransaction) return null;
      await (watching ??= watch());
      const [row] = await run(`select changes from temp.${name}`);
      return row?.changes ?? null;
    },
  };
}
