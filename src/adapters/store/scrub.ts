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

/** Index pages merged before other work gets its turn: some 20 ms. */
const PAGES_PER_STEP = 200;
/** Page cache while the file is rewritten. */
const CACHE_KIB = 8_000;

/** How the file is reached to be rewritten. */
export interface Scrubbing {
  readonly file: string;
  /** Bytes. A larger file is rewritten through the disk instead of through memory. */
  readonly largestInMemory: number;
  /** How long to wait for another program's lock, in milliseconds. */
  readonly patienceMs: number;
  /** Runs work on another connection while the writing one rests. */
  readonly alone: (work: () => Promise<unknown>) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Erases from the file all traces of what was deleted: removed words in the text index, samples of the query planner, free
 * pages, remains inside pages, the log, and copies from before a schema change. The file is rewritten, which takes about a
 * second for 200 MB and holds up writers meanwhile; SQLite's own `secure_delete` would slow down every delete and still leave
 * copies of rows that were moved between pages.
 * @throws AppError `storage_full` when there is no room for a copy of the file, `unavailable` with `retryAfter` while another
 *   program reads it; calling again does the rest
 */
export async function scrubFile(db: Kysely<Database>, scrubbing: Scrubbing): Promise<void> {
  await mergeTextIndex(db, scrubbing.signal);
  await dropSamples(db);
  await scrubbing.alone(() => writeAnew(scrubbing));
  removeSchemaCopies(scrubbing.file);
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  if (rows[0]?.busy !== 0)
    throw new AppError("unavailable", "Another program is reading the store; its log cannot be emptied yet.", {
      retryAfter: 2,
    });
}

/**
 * In a thread of its own, so that others can read meanwhile; writers wait. On a connection of its own: choosing where the copy
 * lies drops a connection's temporary tables and triggers, and with those of the writing one the notes of changes would go.
 */
async function writeAnew({ file, largestInMemory, patienceMs }: Scrubbing): Promise<void> {
  const temporaryStore = statSync(file).size > largestInMemory ? "file" : "memory";
  const workerData = { file, module: sqliteModule(), temporaryStore, cacheKiB: CACHE_KIB, patienceMs };
  const failure = await runInThread(VACUUM_PROGRAM, workerData);
  if (failure !== null) throw describeSqliteError(Object.assign(new Error("vacuum"), failure), file);
}

/** A deleted text stays in the index until its segment is merged. A negative number starts a merge of everything. */
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
