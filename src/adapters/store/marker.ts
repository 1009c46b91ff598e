import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isFileError } from "../../lib/file-identity.js";
import type { SqliteConnection } from "../../lib/sqlite.js";
import { syncFolderAtOnce } from "../../lib/sync-folder.js";

const TEXT = `This file records that the store beside it, recollect.db, is not empty.
If that file is ever empty, it is damaged, and no new store is created in its place.
Leave this file where it is. It contains nothing else.
`;

/** Lies permanently beside a store whose first transaction is on disk: an empty store beside it is a damaged one. */
export function markerOf(file: string): string {
  return `${file}.marker.txt`;
}

/**
 * Leaves the marker beside a store that has been written, unless it is already there. If there is no room or no permission, the
 * next start tries again.
 */
export function markWritten(connection: SqliteConnection, file: string): void {
  if (existsSync(markerOf(file))) return;
  // The marker must not reach the disk before the data it vouches for.
  connection.exec("pragma wal_checkpoint(passive)");
  try {
    leaveMarker(file);
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** Leaves the marker beside a store that is on disk. @throws the file system's error, also where the marker exists */
export function leaveMarker(file: string): void {
  syncFolderAtOnce(dirname(file));
  const descriptor = openSync(markerOf(file), "wx", 0o600);
  try {
    writeSync(descriptor, TEXT);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolderAtOnce(dirname(file));
}
