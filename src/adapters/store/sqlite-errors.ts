import { AppError } from "../../core/errors.js";
import { SQLITE_CODES, sqliteCodeOf } from "../../lib/sqlite.js";

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
        { cause: error, retryAfter: 2 },
      );
    case SQLITE_CODES.full:
      return new AppError(
        "storage_full",
        `The store ${file} cannot grow: the disk is full or its quota is reached. Nothing was changed. Free some space and try again.`,
        { cause: error },
      );
    case SQLITE_CODES.corrupt:
    case SQLITE_CODES.notADatabase:
      return new AppError(
        "corrupt",
        `The store ${file} is damaged or is not a SQLite database. Nothing was written. Restore it from a backup, or move it away to start afresh.`,
        { cause: error },
      );
    case SQLITE_CODES.readOnly:
      return new AppError(
        "unavailable",
        `The store ${file} is read-only. Nothing was written. Give this user write permission to the file and its folder.`,
        { cause: error },
      );
    case SQLITE_CODES.cannotOpen:
    case SQLITE_CODES.inputOutput:
      return new AppError(
        "unavailable",
        `The store ${file} cannot be read or written. Check the disk and the permissions of its folder.`,
        { cause: error },
      );
    default:
      return error;
  }
}
