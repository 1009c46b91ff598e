import { closeSync, existsSync, fstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../core/errors.js";
import { isDiskFull } from "../../lib/error-code.js";
import { identityAt, identityOf, isFileError } from "../../lib/file-identity.js";
import { closeFiles, requirePrivateFolder } from "./private-folder.js";
import { loadSqlite, SQLITE_CODES, sqliteCodeOf, type SqliteConnection, type SqliteModule } from "../../lib/sqlite.js";

/** The exclusive right to write to a data folder. Ends with the process, however it ends. */
export interface OwnerLock {
  /** Gives up the right and leaves no file. Call after everything in the folder is closed; further calls do nothing. */
  release(): void;
}

interface Held {
  /** Must stay referenced: garbage collection would close it and release the lock. */
  readonly connection: SqliteConnection;
  /** Keeps the file's inode from being reused while it is compared. */
  readonly handle: number;
}

/** The locks of this process, by the identity of their files. */
const held = new Map<string, Held>();

/**
 * Takes the data folder, if nobody has it, this process included. The lock is the operating system's own (an open exclusive
 * transaction on a tiny SQLite file), so nothing stale can be left behind.
 * @returns null when it is taken
 * @throws AppError `unavailable` when the folder cannot be written to, or others may write to it; `storage_full`
 */
export async function tryLock(dataDirectory: string): Promise<OwnerLock | null> {
  const sqlite = await loadSqlite();
  const file = join(dataDirectory, "owner.lock");
  // The last owner removes the file, and a lock on a file that is no longer in place is worth nothing.
  for (;;) {
    const lock = lockOnce(sqlite, dataDirectory, file);
    if (lock === "moved") continue;
    if (lock) closeFiles(dataDirectory);
    return lock;
  }
}

/** Nothing here may be asynchronous: this process must not change what is compared in between. */
function lockOnce(sqlite: SqliteModule, dataDirectory: string, file: string): OwnerLock | "moved" | null {
  // Closing any handle of a file releases all of this process's locks on it, so its own files are not even opened.
  if (held.has(identityAt(file))) return null;
  const handle = openFile(dataDirectory, file);
  const identity = identityOf(fstatSync(handle, { bigint: true }));
  const isInPlace = (): boolean => identityAt(file) === identity;
  const giveUp = (connection?: SqliteConnection): void => {
    connection?.close();
    closeSync(handle);
  };
  let connection: SqliteConnection | undefined;
  try {
    connection = new sqlite.DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written here, so no journal file is needed.
    connection.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    const hasMoved = !isInPlace();
    giveUp(connection);
    if (hasMoved) return "moved";
    const code = sqliteCodeOf(error);
    if (code === SQLITE_CODES.busy || code === SQLITE_CODES.locked) return null;
    throw describe(error, file);
  }
  if (!isInPlace()) {
    giveUp(connection);
    return "moved";
  }
  held.set(identity, { connection, handle });
  return { release: () => release(identity, file) };
}

function release(identity: string, file: string): void {
  const lock = held.get(identity);
  if (!lock) return;
  held.delete(identity);
  const letGo = (): void => {
    lock.connection.close();
    closeSync(lock.handle);
  };
  // While it is still locked, so that no other owner's file is removed. Windows cannot remove an open file, including another
  // owner's.
  if (process.platform === "win32") letGo();
  if (identityAt(file) === identity) removeFile(file);
  if (process.platform !== "win32") letGo();
}

/** A file left behind is useless and does no harm. */
function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

function openFile(dataDirectory: string, file: string): number {
  try {
    makeFolder(dataDirectory);
    requirePrivateFolder(dataDirectory);
    return openSync(file, "a", 0o600);
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (isDiskFull(error))
      throw new AppError(
        "storage_full",
        `The data folder ${dataDirectory} cannot be written: its disk is full. Free some space, or choose another folder with --data-dir.`,
        { paths: [dataDirectory], cause: error },
      );
    throw new AppError(
      "unavailable",
      `The data folder ${dataDirectory} cannot be written (${error.code}). Give this user write permission, or choose another with --data-dir.`,
      { paths: [dataDirectory], cause: error },
    );
  }
}

/** Like `mkdir -p`. Node's own never ends where a folder cannot be created though its parent exists, as below /proc. */
function makeFolder(path: string): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isFileError(error) || error.code !== "EEXIST") throw error;
  }
}

function describe(error: unknown, file: string): AppError {
  const isForeign = sqliteCodeOf(error) === SQLITE_CODES.notADatabase;
  const advice = isForeign
    ? "It was not created by Recollect; remove it."
    : "Check its permissions and the file system.";
  return new AppError("unavailable", `The lock file ${file} cannot be locked. ${advice}`, {
    paths: [file],
    cause: error,
  });
}
