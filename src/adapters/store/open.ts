import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../core/errors.js";
import { loadSqlite, type SqliteConnection } from "../../lib/sqlite.js";
import { MIGRATIONS } from "./migrations/index.js";
import { describeSqliteError } from "./sqlite-errors.js";

/** "Recl": marks a SQLite file as ours (https://www.sqlite.org/fileformat.html, offset 68). */
const APPLICATION_ID = 0x5265636c;
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** A whole check of a file up to this size takes a few milliseconds; larger ones are checked by `doctor`. */
const CHECK_AT_OPEN_BYTES = 8 * 1024 * 1024;

export interface OpenOptions {
  readonly file: string;
  /** 0 for no quota. */
  readonly maxMegabytes: number;
}

/**
 * Opens or creates the store and brings its schema up to date.
 * @throws AppError `corrupt` for a damaged or foreign file, `unavailable` for a read-only or locked one or one that a
 *   newer version wrote; in all these cases the file is left as it was
 */
export async function openSqliteStore(options: OpenOptions): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
  inspectFile(options.file);
  try {
    const connection = new DatabaseSync(options.file, { timeout: 0 });
    try {
      prepareConnection(connection, options);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw describeSqliteError(error, options.file);
  }
}

function prepareConnection(connection: SqliteConnection, { file, maxMegabytes }: OpenOptions): void {
  refuseNewer(readPragma(connection, "user_version"), file);
  if (statSync(file).size <= CHECK_AT_OPEN_BYTES) checkQuickly(connection, file);
  connection.exec("pragma journal_mode = wal");
  connection.exec("pragma synchronous = full");
  connection.exec("pragma temp_store = memory");
  connection.exec("pragma cache_size = -16000");
  connection.exec("pragma journal_size_limit = 67108864");
  migrate(connection);
  if (maxMegabytes > 0) {
    const pageSize = readPragma(connection, "page_size");
    connection.exec(`pragma max_page_count = ${Math.max(1, Math.floor((maxMegabytes * 1024 * 1024) / pageSize))}`);
  }
  connection.function("lower_unicode", { deterministic: true }, (value) =>
    typeof value === "string" ? value.toLowerCase() : value,
  );
  connection.function("to_number", { deterministic: true }, (value) => {
    if (typeof value === "number") return value;
    const text = typeof value === "string" ? value.trim() : "";
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
  });
}

function migrate(connection: SqliteConnection): void {
  const version = readPragma(connection, "user_version");
  if (version === MIGRATIONS.length) return;
  connection.exec("begin exclusive");
  try {
    for (const migration of MIGRATIONS.slice(version)) connection.exec(migration);
    connection.exec(`pragma application_id = ${APPLICATION_ID}`);
    connection.exec(`pragma user_version = ${MIGRATIONS.length}`);
    connection.exec("commit");
  } catch (error) {
    connection.exec("rollback");
    throw error;
  }
}

/** Looks at the bytes of an existing file before SQLite touches it. */
function inspectFile(file: string): void {
  const status = statSync(file, { throwIfNoEntry: false });
  refuseReadOnly(dirname(file), statSync(dirname(file)).mode, file);
  if (!status || status.size === 0) return;
  refuseReadOnly(file, status.mode, file);
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (status.size < HEADER_BYTES || header.toString("latin1", 0, 16) !== MAGIC)
    throw new AppError(
      "corrupt",
      `The file ${file} is not a SQLite database, or its beginning is damaged. Nothing was written. Restore it from a backup, or move it away to start afresh.`,
    );
  refuseTruncated(header, status.size, file);
  const applicationId = header.readUInt32BE(68);
  if (applicationId !== APPLICATION_ID && applicationId !== 0)
    throw new AppError(
      "corrupt",
      `The file ${file} belongs to another program. Nothing was written. Choose another data folder.`,
    );
  refuseNewer(header.readUInt32BE(60), file);
}

function refuseTruncated(header: Buffer, size: number, file: string): void {
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const sizeIsCurrent = header.readUInt32BE(24) === header.readUInt32BE(92);
  if (sizeIsCurrent && size < header.readUInt32BE(28) * pageSize)
    throw new AppError(
      "corrupt",
      `The store ${file} is cut off: it has ${size} bytes and should have ${header.readUInt32BE(28) * pageSize}. Nothing was written. Restore it from a backup, or move it away to start afresh.`,
    );
}

function refuseNewer(version: number, file: string): void {
  if (version > MIGRATIONS.length)
    throw new AppError(
      "unavailable",
      `The store ${file} was written by a newer version of Recollect (schema ${version}; this version knows ${MIGRATIONS.length}). Nothing was changed. Install the newer version, or choose another data folder.`,
    );
}

/** Permission bits count for an administrator too: a file that was marked read-only is not written. */
function refuseReadOnly(path: string, mode: number, file: string): void {
  const marked = (mode & 0o222) === 0;
  let refused = marked;
  if (!marked)
    try {
      accessSync(path, constants.W_OK);
    } catch {
      refused = true;
    }
  if (refused)
    throw new AppError(
      "unavailable",
      `The store ${file} cannot be written: ${path} is read-only. Nothing was written. Give this user write permission, or choose another data folder.`,
    );
}

function checkQuickly(connection: SqliteConnection, file: string): void {
  const [row] = connection.prepare("pragma quick_check(1)").all();
  const verdict = firstValue(row);
  if (verdict !== "ok")
    throw new AppError(
      "corrupt",
      `The store ${file} is damaged (${String(verdict)}). Nothing was written. Restore it from a backup, or move it away to start afresh.`,
    );
}

function readPragma(connection: SqliteConnection, name: string): number {
  return Number(firstValue(connection.prepare(`pragma ${name}`).all()[0]));
}

function firstValue(row: unknown): unknown {
  return typeof row === "object" && row !== null ? Object.values(row)[0] : undefined;
}
