import { existsSync } from "node:fs";
import { join } from "node:path";
import { createUploadFolder } from "./adapters/blobs/uploads.js";
import { findOwnerAddress } from "./adapters/owner/election.js";
import { takeFolder } from "./adapters/owner/take-folder.js";
import { type Backup, backUpStore } from "./adapters/store/backup.js";
import type { MovedRecord, MoveOptions } from "./adapters/store/move/move-options.js";
import { isSameDatabase, placeOf } from "./adapters/store/postgres/place.js";
import { hasRecord, notedDatabase, requireRecordPlace } from "./adapters/store/record-place.js";
import { completeAddress, type Config, hasStrayPercent, isPostgresUrl } from "./config.js";
import { AppError } from "./core/errors.js";
import type { UploadStore } from "./core/ports.js";
import { FILES_FOLDER } from "./lib/files-folder.js";
import { SECRET_KEY_FILE } from "./lib/secret-key-file.js";
import { STORE_FILE } from "./lib/store-file.js";

const UPLOADS_FOLDER = "uploads";

/**
 * Base URL at which browsers reach the process that owns the data folder: its public URL if it has one; null when no
 * process answers.
 * @throws AppError `conflict` for a copy of a folder that is being served
 */
export async function addressOfService(dataDirectory: string): Promise<string | null> {
  const found = await findOwnerAddress(dataDirectory);
  return found && (found.publicUrl ?? found.url);
}

/** False for a folder without a store, such as one whose name is misspelt. A database always counts as one. */
export function hasMemory({ dataDirectory, databaseUrl }: Config): boolean {
  return databaseUrl !== undefined || hasRecord(dataDirectory);
}

/** What to say beside a running service whose record is not in the database of DATABASE_URL; null when there is nothing to say. */
export function ignoredDatabase({ dataDirectory, databaseUrl }: Config): string | null {
  const kept = notedDatabase(dataDirectory);
  if (databaseUrl === undefined || (kept !== null && isSameDatabase(placeOf(databaseUrl), kept))) return null;
  const place = kept === null ? "in that folder" : `in the database ${kept}`;
  return `DATABASE_URL is ignored: a service is running on the data folder ${dataDirectory}, and its record is ${place}. Choose another data folder for the database ${placeOf(databaseUrl)}, or unset DATABASE_URL.`;
}

export interface FolderBackup extends Backup {
  /** The key in the data folder, which is not in the backup; null when there is none, or the settings contain it. */
  readonly keyFile: string | null;
}

/**
 * As `backUpStore`, for a data folder that another process may own at the moment.
 * @throws AppError `invalid` or `conflict` when the store is in a database
 */
export async function backUp(
  { dataDirectory, databaseUrl, secretKey, bucket }: Config,
  target: string,
  signal: AbortSignal,
): Promise<FolderBackup> {
  if (databaseUrl !== undefined) {
    const elsewhere = [
      bucket === undefined ? `the uploaded files in ${dataDirectory}` : "the bucket with the uploaded files",
      secretKey === undefined ? `the key that encrypts credentials in ${dataDirectory}` : "RECOLLECT_SECRET_KEY",
    ];
    throw new AppError(
      "invalid",
      `The record is in the database named by DATABASE_URL, which this command does not copy. Use \`pg_dump\` for it, and keep copies of ${elsewhere.join(" and of ")}.`,
      { paths: [dataDirectory] },
    );
  }
  requireRecordPlace(dataDirectory, undefined);
  const file = join(dataDirectory, STORE_FILE);
  const backup = await backUpStore({ file, folders: [FILES_FOLDER], target, signal });
  const keyFile = join(dataDirectory, SECRET_KEY_FILE);
  return { ...backup, keyFile: secretKey === undefined && existsSync(keyFile) ? keyFile : null };
}

/**
 * As `moveToPostgres` and `moveToFolder`, for a data folder that another process may own at the moment.
 * @param wanted.to the URL of a database, or `folder`
 * @throws AppError `invalid` when the settings do not fit the direction
 */
export async function move(
  { dataDirectory, databaseUrl, databaseDefaults, maxStoreMegabytes: maxMegabytes }: Config,
  { to, ...wanted }: Pick<MoveOptions, "waits" | "signal" | "tell"> & { readonly to: string },
): Promise<MovedRecord> {
  const shared = { ...wanted, dataDirectory, maxMegabytes, takeFolder: () => takeFolder(dataDirectory) };
  if (to === "folder") {
    if (databaseUrl === undefined)
      throw new AppError("invalid", "Set DATABASE_URL to the database from which to move the record.");
    const { moveToFolder } = await import("./adapters/store/move/move-to-folder.js");
    return moveToFolder({ ...shared, url: databaseUrl });
  }
  if (hasStrayPercent(to))
    throw new AppError(
      "invalid",
      "The address in --to contains a percent sign that begins no character code. Write it as %25, in the name of the database as in the user and the password.",
    );
  if (!isPostgresUrl(to))
    throw new AppError(
      "invalid",
      "A record can be moved to `folder`, or to the URL of a PostgreSQL database such as postgres://user:password@host:5432/recollect. Percent-encode special characters in the password (/ as %2F, # as %23), or set it in PGPASSWORD.",
    );
  if (new URL(to).pathname.length <= 1)
    throw new AppError(
      "invalid",
      "The address in --to names no database, and the one that everybody uses by default, postgres, would be filled. Create a database, and add its name to the address, such as postgres://host/recollect.",
    );
  const address = completeAddress(to, databaseDefaults);
  if (databaseUrl !== undefined && !isSameDatabase(placeOf(databaseUrl), placeOf(address)))
    throw new AppError(
      "invalid",
      "DATABASE_URL names a different database from --to. Unset it to move the record from the data folder; use `pg_dump` to move a record between databases.",
    );
  const { moveToPostgres } = await import("./adapters/store/move/move-to-postgres.js");
  return moveToPostgres({ ...shared, url: address });
}

/** For commands that do not create a memory there; `begin` names commands that do. */
export function noMemoryIn(dataDirectory: string, begin: string): AppError {
  const message = `There is no memory in ${dataDirectory}. Check whether --data-dir or RECOLLECT_DATA_DIR names the folder that you mean; ${begin} creates a memory.`;
  return new AppError("not_found", message, { paths: [dataDirectory] });
}

/** Why this process could not listen: the error itself, or that the owner of the same data folder uses the port. */
export async function explainTakenPort({ dataDirectory, port }: Config, error: unknown): Promise<unknown> {
  const cause: unknown = error instanceof AppError ? error.cause : undefined;
  if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) return error;
  const owner = await findOwnerAddress(dataDirectory);
  if (owner === null || new URL(owner.url).port !== String(port)) return error;
  const message = `Recollect already serves the data folder ${dataDirectory} at ${owner.url}. Use that service, or choose another port with --port; 0 picks a free one.`;
  return new AppError("unavailable", message, { paths: [dataDirectory], cause });
}

/** The staging area for uploads in progress, shared by all processes of a data folder. */
export function openUploads(dataDirectory: string): UploadStore {
  return createUploadFolder(join(dataDirectory, UPLOADS_FOLDER));
}
