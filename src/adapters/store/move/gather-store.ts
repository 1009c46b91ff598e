import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import { loadSqlite } from "../../../lib/sqlite.js";
import { markerOf } from "../marker.js";
import { BUSY_PATIENCE_MS, describeSqliteError } from "../sqlite-errors.js";

/** https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
const checkpointSchema = z.object({ busy: z.number() });

/**
 * Moves a store's log into its one file, and that file to disk, so that the file can be renamed.
 * @throws AppError `unavailable` where another program prevents that
 */
export async function gatherStore(file: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite();
  const connection = new DatabaseSync(file, { timeout: BUSY_PATIENCE_MS });
  try {
    const [outcome] = connection.prepare("pragma wal_checkpoint(truncate)").all();
    if (checkpointSchema.parse(outcome).busy !== 0) throw inUse(file);
  } catch (error) {
    throw describeSqliteError(error, file);
  } finally {
    connection.close();
  }
  const handle = await open(file, "r+");
  await handle.sync().finally(() => handle.close());
}

/** Removes the files beside a gathered store, which hold nothing any more. */
export function removeBeside(file: string): void {
  for (const rest of [markerOf(file), `${file}-wal`, `${file}-shm`]) rmSync(rest, { force: true });
}

function inUse(file: string): AppError {
  return new AppError(
    "unavailable",
    `The store ${file} is in use by another program, so the move was not completed. Close that program and move again.`,
    { paths: [file] },
  );
}
