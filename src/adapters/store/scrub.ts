import { statSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { AppError } from "../../core/errors.js";
import { runInThread } from "../../lib/run-in-thread.js";
import { sqliteModule } from "../../lib/sqlite.js";
import { yieldTurn } from "../../lib/time.js";
import type { Database } from "./schema.js";
import { removeSchemaCopies } from "./schema-copies.js";
import { describeSqliteError } from "./sqlite-errors.js";
import { VACUUM_PROGRAM } from "./vacuum-program.js";
import { atomically } from "./transact.js";

/** Pages of the text index that are merged before others get their turn: some 20 ms. */
const PAGES_PER_STEP = 200;
/** Pages of the file that are kept in memory while it is written anew. */
const CACHE_KIB = 8_000;

/** How the file is reached for being written anew. */
export interface Scrubbing {
  readonly file: string;
  /** A larger file, in bytes, is written anew through the disk instead of through memory. */
  readonly largestInMemory: number;
  /** How long a lock of another program is waited for, in milliseconds. */
  readonly patienceMs: number;
  /** Runs work of another connection while the one that writes rests. */
  readonly alone: (work: () => Promise<unknown>) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Leaves no trace in the file of what was deleted: removed words in the text index, samples of the query planner, free
 * pages, remains inside pages, the log, and copies from before a change of the schema. The file is written anew, which takes about a second for 200 MB, and who writes
 * waits for that part; SQLite's own `secure_delete` would slow down every delete and still leave copies of rows
 * that were moved between pages.
 * @throws AppError `storage_full` when there is no room for a copy of the file, `unavailable` with `retryAfter` while
 *   another program reads it; calling again does the rest
 */
export async function scrubFile(db: Kysely<Database>, scrubbing: Scrubbing): Promise<void> {
  await mergeTextIndex(db, scrubbing.signal);
  await dropSamples(db);
  await scrubbing.alone(() => writeAnew(scrubbing));
  removeSchemaCopies(scrubbing.file);
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  if (rows[0]?.busy !== 0)
    throw new AppError("unavailable", "Another program reads the store; its log cannot be emptied yet.", {
      retryAfter: 2,
    });
}

/**
 * In a thread of its own, so that others read meanwhile; those who write wait. By a connection of its own: to choose where the
 * copy lies takes all temporary tables and triggers from a connection, and with those of the one that writes goes the note of
 * what was changed.
 */
async function writeAnew({ file, largestInMemory, patienceMs }: Scrubbing): Promise<void> {
  const temporaryStore = statSync(file).size > largestInMemory ? "file" : "memory";
  const workerData = { file, module: sqliteModule(), temporaryStore, cacheKiB: CACHE_KIB, patienceMs };
  const failure = await runInThread(VACUUM_PROGRAM, workerData);
  if (failure !== null) throw describeSqliteError(Object.assign(new Error("vacuum"), failure), file);
}

/** A deleted text stays in the index until its part is merged. A negative number begins with all of it. */
async function mergeTextIndex(db: Kysely<Database>, signal?: AbortSignal): Promise<void> {
  for (let pages = -PAGES_PER_STEP; ; pages = PAGES_PER_STEP) {
    await yieldTurn(signal);
    const changes = await atomically(db, async (transaction) => {
      const before = await totalChanges(transaction);
      await sql`insert into text_index (text_index, rank) values ('merge', ${pages})`.execute(transaction);
      return (await totalChanges(transaction)) - before;
    });
    // https://www.sqlite.org/fts5.html#the_merge_command: fewer than two changes mean that there was nothing to do.
    if (changes < 2) return;
  }
}

async function totalChanges(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}

/** Some builds of SQLite keep samples of indexed values. */
async function dropSamples(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql`select 1 from sqlite_schema where name = 'sqlite_stat4'`.execute(db);
  if (rows.length > 0) await sql`delete from sqlite_stat4`.execute(db);
}
