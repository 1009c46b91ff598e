import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../core/errors.js";
import { SQLITE_CODES, sqliteCodeOf } from "../../lib/sqlite.js";
import { isDiskFull } from "../../lib/error-code.js";

/** How long to wait for another program's lock, and how often to check it. */
export const BUSY_PATIENCE_MS = 5_000;
export const BUSY_PAUSE_MS = 25;

/** True when another connection holds the store at this moment. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === SQLITE_CODES.busy || code === SQLITE_CODES.locked;
}

/** Turns what SQLite throws into an error that names the file and says what to do; leaves other errors alone. */
export function describeSqliteError(error: unknown, file: string): unknown {
  switch (sqliteCodeOf(error)) {
    case SQLITE_CODES.busy:
    case SQLITE_CODES.locked:
      return new AppError(
        "unavailable",
        `The store ${file} is locked by another program. Nothing was changed. Close that program, or wait and try again.`,
        { paths: [file], cause: error, retryAfter: 2 },
      );
    case SQLITE_CODES.full:
      return cannotGrow(file, error);
    case SQLITE_CODES.corrupt:
    case SQLITE_CODES.notADatabase:
      return new AppError(
        "corrupt",
        `The store ${file} is damaged or is not a SQLite database. Nothing was written. Replace its folder with a backup (“Back up, restore, move, upgrade” in docs/operation.md), or move it away to start afresh.`,
        { paths: [file], cause: error },
      );
    case SQLITE_CODES.readOnly:
      return new AppError(
        "unavailable",
        `The store ${file} is read-only. Nothing was written. Give this user write permission to the file and its folder.`,
        { paths: [file], cause: error },
      );
    case SQLITE_CODES.cannotOpen:
    case SQLITE_CODES.inputOutput:
      if (hasNoRoom(dirname(file))) return cannotGrow(file, error);
      return new AppError(
        "unavailable",
        `The store ${file} cannot be read or written. Check the disk and the permissions of its folder.`,
        { paths: [file], cause: error },
      );
    default:
      return error;
  }
}

function cannotGrow(file: string, cause: unknown): AppError {
  return new AppError(
    "storage_full",
    `The store ${file} cannot grow: the disk is full or its quota is reached. Nothing was changed. Free some space and try again.`,
    { paths: [file], cause },
  );
}

/** Whether the disk has no block or no entry left: SQLite says so of its tables, but not of the files beside them. */
function hasNoRoom(folder: string): boolean {
  try {
    const { bavail, files, ffree } = statfsSync(folder);
    return bavail === 0 || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** Turns what the file system throws into an error that names the file and says what to do; leaves other errors alone. */
export function describeFileError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "syscall" in error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") return error;
  if (isDiskFull(error))
    return new AppError("storage_full", `The store ${file} cannot be created: the disk is full. Free some space.`, {
      paths: [file],
      cause: error,
    });
  return new AppError(
    "unavailable",
    `The store ${file} cannot be opened (${code}). Check that its folder exists, is a folder, and is writable by this user, or choose another data folder.`,
    { paths: [file], cause: error },
  );
}
