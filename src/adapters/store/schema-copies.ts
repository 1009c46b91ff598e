import { chmodSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sqliteCodeOf, type SqliteConnection } from "../../lib/sqlite.js";

/** Bytes. Copying a larger store would keep everybody waiting. */
const LARGEST = 2 * 1024 * 1024 * 1024;

/**
 * Keeps a copy beside the store as it is before its schema changes, for anyone who has to return to the version that wrote it.
 * Copies of former changes are removed. The store must not be written to meanwhile.
 * @returns the copy; null for a store of more than 2 GB, and where there is no room
 */
export function copyBeforeUpgrade(connection: SqliteConnection, file: string, schema: number): string | null {
  if (statSync(file).size > LARGEST) return null;
  const copy = `${file}.schema-${schema}`;
  rmSync(copy, { force: true });
  try {
    connection.prepare("vacuum into ?").run(copy);
    chmodSync(copy, 0o600);
  } catch (error) {
    if (sqliteCodeOf(error) === undefined) throw error;
    rmSync(copy, { force: true });
    return null;
  }
  removeSchemaCopies(file, copy);
  return copy;
}

/** Removes all copies but one: they hold what the store has long forgotten. */
export function removeSchemaCopies(file: string, kept?: string): void {
  const beginning = `${basename(file)}.schema-`;
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name);
    if (name.startsWith(beginning) && path !== kept) rmSync(path, { force: true });
  }
}
