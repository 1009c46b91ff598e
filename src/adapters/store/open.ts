import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { loadSqlite, sqliteCodeOf, type SqliteConnection, type SqliteModule } from "../../lib/sqlite.js";
import { sleep } from "../../lib/time.js";
import { CHANGED_TABLE } from "./change-feed.js";
import { LARGEST_LOG_PAGES } from "./checkpointer.js";
import { inspectFile } from "./inspect-file.js";
import { markWritten } from "./marker.js";
import { MIGRATIONS } from "./migrations/index.js";
import { defineQueryFunctions } from "./query-functions.js";
import { readValue } from "./read-value.js";
import { APPLICATION_ID, isTooNew, refuseDamaged, refuseForeign, refuseNewer } from "./refusals.js";
import { copyBeforeUpgrade } from "./schema-copies.js";
import { rollBack } from "./roll-back.js";
import type { SqliteConnections } from "./sqlite.js";
import { BUSY_PATIENCE_MS, BUSY_PAUSE_MS, describeFileError, describeSqliteError, isBusy } from "./sqlite-errors.js";

/** A full check of a file up to this size takes a few milliseconds; `doctor` checks larger ones. */
const CHECK_AT_OPEN_BYTES = 8 * 1024 * 1024;

/** Page cache of each connection. A larger one makes no search faster: the operating system caches pages too. */
const READER_CACHE_KIB = 4_000;
const WRITER_CACHE_KIB = 8_000;

export interface OpenOptions {
  readonly file: string;
  /** 0 for no quota. */
  readonly maxMegabytes: number;
  /** How long to wait for a locked store, in milliseconds. Default 5,000. */
  readonly patienceMs?: number | undefined;
  readonly onUpgrade?: ((upgrade: Upgrade) => void) | undefined;
}

/** A schema change of an existing store. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
  /** The store as it was; null where there was no room for a copy or it would have taken too long. */
  readonly copy: string | null;
}

/**
 * Opens or creates the store and brings its schema up to date.
 * @returns both connections to it; close the reader before the writer
 * @throws AppError `corrupt` for a damaged or foreign file, `unavailable` for a read-only or locked one or one that a newer
 *   version wrote, `storage_full`; in all these cases the file is left as it was
 */
export async function openSqliteStore(options: OpenOptions): Promise<SqliteConnections> {
  const { file, patienceMs = BUSY_PATIENCE_MS } = options;
  const sqlite = await loadSqlite();
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return openOnce(sqlite, options);
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw describeFileError(describeSqliteError(error, file), file);
      await sleep(BUSY_PAUSE_MS);
    }
  }
}

function openOnce(sqlite: SqliteModule, options: OpenOptions): SqliteConnections {
  const { file } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const { isNew, hasLog } = inspectFile(file);
  // SQLite would use the user's default permissions; its log and index inherit those of the file.
  if (isNew) closeSync(openSync(file, "a", 0o600));
  // Closing a connection moves the log into the file; one that only reads leaves both as they are.
  if (hasLog)
    using(new sqlite.DatabaseSync(file, { timeout: 0, readOnly: true }), (reader) => refuseUnfit(reader, file));
  const writer = new sqlite.DatabaseSync(file, { timeout: 0 });
  try {
    if (!isNew && !hasLog) refuseUnfit(writer, file);
    prepareWriter(writer, options);
    markWritten(writer, file);
    return { writer, reader: openReader(sqlite, file) };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function openReader(sqlite: SqliteModule, file: string): SqliteConnection {
  // Not opened read-only: whichever connection closes last has to remove the log.
  const reader = new sqlite.DatabaseSync(file, { timeout: 0 });
  reader.exec(`pragma query_only = on; pragma temp_store = memory; pragma cache_size = -${READER_CACHE_KIB}`);
  defineQueryFunctions(reader);
  return reader;
}

function using(connection: SqliteConnection, work: (connection: SqliteConnection) => void): void {
  try {
    work(connection);
  } finally {
    connection.close();
  }
}

/** Only reads: a store that is refused has not been touched. */
function refuseUnfit(connection: SqliteConnection, file: string): void {
  const isOurs = readValue(connection, "application_id", "pragma_application_id") === APPLICATION_ID;
  if (!isOurs && readValue(connection, "count(*)", "sqlite_schema") !== 0) throw refuseForeign(file);
  const version = Number(readValue(connection, "user_version", "pragma_user_version"));
  if (isTooNew(version)) throw refuseNewer(version, file);
  if (statSync(file).size > CHECK_AT_OPEN_BYTES) return;
  const verdict = readValue(connection, "quick_check", "pragma_quick_check");
  if (verdict !== "ok") throw refuseDamaged(file, firstFinding(String(verdict)));
}

function firstFinding(verdict: string): string {
  return verdict.replace(/^\*\*\*.*\n/, "").split("\n")[0] ?? verdict;
}

function prepareWriter(connection: SqliteConnection, options: OpenOptions): void {
  connection.exec("pragma journal_mode = wal");
  // Whoever needs the log on disk syncs it (log-file.ts); another thread moves it into the file.
  connection.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${LARGEST_LOG_PAGES}`);
  connection.exec("pragma temp_store = memory");
  connection.exec(`pragma cache_size = -${WRITER_CACHE_KIB}`);
  connection.exec("pragma journal_size_limit = 67108864");
  defineQueryFunctions(connection);
  upgrade(connection, options);
  forgetStatistics(connection);
  connection.exec(CHANGED_TABLE);
  const { maxMegabytes } = options;
  if (maxMegabytes > 0) {
    const pageSize = Number(readValue(connection, "page_size", "pragma_page_size"));
    connection.exec(`pragma max_page_count = ${Math.max(1, Math.floor((maxMegabytes * 1024 * 1024) / pageSize))}`);
  }
}

/**
 * Lets queries be planned from the schema alone. With statistics from when there were few rows, SQLite reads whole tables once
 * there are many, for as long as the service runs. On a full disk they stay, and the store still opens.
 */
function forgetStatistics(connection: SqliteConnection): void {
  if (readValue(connection, "count(*)", "sqlite_schema where name = 'sqlite_stat1'") === 0) return;
  try {
    connection.exec("drop table sqlite_stat1; drop table if exists sqlite_stat4");
  } catch (error) {
    if (sqliteCodeOf(error) === undefined) throw error;
  }
}

function upgrade(connection: SqliteConnection, { file, onUpgrade }: OpenOptions): void {
  const from = Number(readValue(connection, "user_version", "pragma_user_version"));
  const to = MIGRATIONS.length;
  if (from === to) return;
  const copy = from > 0 ? copyBeforeUpgrade(connection, file, from) : null;
  migrate(connection, from);
  if (from > 0) onUpgrade?.({ from, to, copy });
}

function migrate(connection: SqliteConnection, version: number): void {
  connection.exec("begin exclusive");
  try {
    for (const migration of MIGRATIONS.slice(version)) connection.exec(migration);
    connection.exec(`pragma application_id = ${APPLICATION_ID}`);
    connection.exec(`pragma user_version = ${MIGRATIONS.length}`);
    connection.exec("commit");
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}
