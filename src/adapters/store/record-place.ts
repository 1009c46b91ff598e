import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.js";
import { isDiskFull } from "../../lib/error-code.js";
import { STORE_FILE } from "../../lib/store-file.js";
import { isSameDatabase } from "./postgres/place.js";

/** Says in a data folder that its record is in a database, and in which, so that nobody begins another one by mistake. */
const DATABASE_FILE = "database.txt";

/**
 * @param database names the database that is to keep the record; undefined for a file in the folder
 * @throws AppError `conflict` where the folder's record is in the other place
 */
export function requireRecordPlace(dataDirectory: string, database: string | undefined): void {
  const hasStore = existsSync(join(dataDirectory, STORE_FILE));
  if (database !== undefined && hasStore)
    throw new AppError(
      "conflict",
      `The data folder ${dataDirectory} already contains a record, ${STORE_FILE}, which would not be found in the database ${database}. Nothing was changed. Choose another data folder for DATABASE_URL, or remove that setting.`,
      { paths: [dataDirectory] },
    );
  const noted = hasStore ? null : notedDatabase(dataDirectory);
  if (noted !== null && database !== undefined && !isSameDatabase(noted, database))
    throw new AppError(
      "conflict",
      `The record of the data folder ${dataDirectory} is in the database ${noted}, and DATABASE_URL names ${database}. Nothing was changed. If it is the same database in a new place, or you mean to use another one, remove ${DATABASE_FILE} from the folder.`,
      { paths: [dataDirectory] },
    );
  if (noted !== null && database === undefined)
    throw new AppError(
      "conflict",
      `The record of the data folder ${dataDirectory} is in the database ${noted}. Nothing was changed. Set DATABASE_URL, or choose another data folder.`,
      { paths: [dataDirectory] },
    );
}

/** False for a folder in which no record was begun yet. */
export function hasRecord(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, STORE_FILE)) || notedDatabase(dataDirectory) !== null;
}

/** Notes in a data folder which database keeps its record. @throws AppError `storage_full` */
export function noteDatabase(dataDirectory: string, database: string): void {
  const noted = notedDatabase(dataDirectory);
  if (noted !== null && isSameDatabase(noted, database)) return;
  try {
    writeFileSync(join(dataDirectory, DATABASE_FILE), `${database}\n`, { mode: 0o600 });
  } catch (error) {
    // Half a name would be that of another database.
    forgetDatabase(dataDirectory);
    if (!isDiskFull(error)) throw error;
    throw new AppError(
      "storage_full",
      `The data folder ${dataDirectory} cannot be written: its disk is full. It must name the database that keeps its record. Free some space, or choose another data folder.`,
      { paths: [dataDirectory], cause: error },
    );
  }
}

/** Removes the note that a database keeps the record. */
export function forgetDatabase(dataDirectory: string): void {
  rmSync(join(dataDirectory, DATABASE_FILE), { force: true });
}

/** The database that a data folder names as holding its record; null where it names none. */
export function notedDatabase(dataDirectory: string): string | null {
  const file = join(dataDirectory, DATABASE_FILE);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}
