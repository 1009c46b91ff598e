import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.js";
import { loadSqlite, SQLITE_CODES, sqliteCodeOf, type SqliteConnection } from "../../lib/sqlite.js";

/** The right to be the only one that writes a data folder. Ends with the process, however it ends. */
export interface OwnerLock {
  /** Gives the right back and leaves no file. Call it after everything in the folder is closed. */
  release(): void;
}

/** A connection that only holds a lock must stay referenced: collected as garbage, it would close and let go. */
const held = new Set<SqliteConnection>();

/**
 * Takes the data folder, if nobody has it. The lock is the operating system's own (an open exclusive transaction on a
 * tiny SQLite file), so nothing stale can be left behind.
 * @returns null when another process has it
 * @throws AppError `unavailable` when the folder cannot be written
 */
export async function tryLock(dataDirectory: string): Promise<OwnerLock | null> {
  const { DatabaseSync } = await loadSqlite();
  const file = join(dataDirectory, "owner.lock");
  const before = prepareFile(dataDirectory, file);
  const connection = openLockFile(() => new DatabaseSync(file, { timeout: 0 }), file);
  if (!connection) return null;
  // The last owner removes the file: a lock on a file that is no longer in its place is worth nothing.
  if (identityOf(file) !== before) {
    connection.close();
    return tryLock(dataDirectory);
  }
  held.add(connection);
  return {
    release() {
      if (!held.delete(connection)) return;
      rmSync(file, { force: true });
      connection.close();
    },
  };
}

function prepareFile(dataDirectory: string, file: string): string {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    if (identityOf(file) === "") writeFileSync(file, "", { flag: "a", mode: 0o600 });
    return identityOf(file);
  } catch (error) {
    throw new AppError(
      "unavailable",
      `The data folder ${dataDirectory} cannot be written. Give this user write permission, or choose another with --data-dir.`,
      { cause: error },
    );
  }
}

/** Tells a file from a later one in the same place, even when that got the same inode. */
function identityOf(file: string): string {
  const status = statSync(file, { bigint: true, throwIfNoEntry: false });
  return status ? `${status.ino}:${status.birthtimeNs}` : "";
}

function openLockFile(open: () => SqliteConnection, file: string): SqliteConnection | null {
  let connection: SqliteConnection | undefined;
  try {
    connection = open();
    connection.exec("begin exclusive");
    return connection;
  } catch (error) {
    connection?.close();
    const code = sqliteCodeOf(error);
    if (code === SQLITE_CODES.busy || code === SQLITE_CODES.locked) return null;
    throw new AppError("unavailable", `The lock file ${file} cannot be opened. Check the permissions of its folder.`, {
      cause: error,
    });
  }
}
