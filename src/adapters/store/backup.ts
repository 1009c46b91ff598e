import { constants, existsSync } from "node:fs";
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { AppError } from "../../core/errors.js";
import { isMissingFile } from "../../lib/file-identity.js";
import { createId } from "../../lib/ids.js";
import { syncFolder } from "../../lib/sync-folder.js";
import { runInThread } from "../../lib/run-in-thread.js";
import { sqliteModule } from "../../lib/sqlite.js";
import { BACKUP_PROGRAM } from "./backup-program.js";
import { inspectFile } from "./inspect-file.js";
import { leaveMarker } from "./marker.js";
import { BUSY_PATIENCE_MS, describeFileError, describeSqliteError } from "./sqlite-errors.js";

/** Suffix of a backup that is unfinished or was interrupted. */
const DRAFT_ENDING = ".unfinished";

export interface BackupOptions {
  /** The store inside its data folder. */
  readonly file: string;
  /** Names of the folders beside it whose files belong to the store. */
  readonly folders: readonly string[];
  /** The folder to create; an empty one may already exist. */
  readonly target: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Backup {
  /** Where the backup is: a data folder that can be served. */
  readonly folder: string;
  readonly storeBytes: number;
  /** Uploaded files. */
  readonly files: number;
}

/**
 * Copies a data folder, in use or not, into a new one that holds everything acknowledged before the call. When this returns, the
 * copy is on disk, has been read back and is in place; until then it has another name. Caches, engines, locks and vector indexes
 * are not copied: they are rebuilt.
 * @throws AppError `conflict` for a target that is taken or lies in the data folder, `storage_full`, `unavailable`, `corrupt`
 *   for a damaged store, the signal's reason; no target is left behind then
 */
export async function backUpStore({ file, folders, target, signal }: BackupOptions): Promise<Backup> {
  const folder = resolve(target);
  await refuseTaken(folder, dirname(file));
  inspectFile(file);
  const draft = `${folder}.${createId()}${DRAFT_ENDING}`;
  try {
    await requireRoom(file, folders, dirname(folder));
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const backup = await fill(draft, { file, folders, signal });
    signal?.throwIfAborted();
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return { folder, ...backup };
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw describeFailure(error, folder);
  }
}

async function fill(draft: string, { file, folders, signal }: Omit<BackupOptions, "target">) {
  // A file removed while the store is copied is still there at this point; one that arrives meanwhile is copied afterwards.
  await copyFolders(draft, dirname(file), folders);
  const copy = join(draft, basename(file));
  await copyStore(file, copy, signal);
  leaveMarker(copy);
  const files = await copyFolders(draft, dirname(file), folders);
  await syncFolder(draft);
  return { storeBytes: (await stat(copy)).size, files };
}

async function copyStore(file: string, copy: string, signal?: AbortSignal): Promise<void> {
  const given = { file, copy, module: sqliteModule(), patienceMs: BUSY_PATIENCE_MS };
  const failure = await runInThread(BACKUP_PROGRAM, given, signal);
  if (failure !== null) throw describeSqliteError(Object.assign(new Error("backup"), failure), file);
  await chmod(copy, 0o600);
  await bringToDisk(copy);
}

/** Copies what is not there yet. @returns how many files the copied folders hold */
async function copyFolders(draft: string, from: string, folders: readonly string[]): Promise<number> {
  let files = 0;
  for (const name of folders) {
    const names = await readdir(join(from, name)).catch(none);
    if (names.length > 0) await mkdir(join(draft, name), { recursive: true, mode: 0o700 });
    for (const entry of names) if (await copyOnce(join(from, name, entry), join(draft, name, entry))) files += 1;
    if (names.length > 0) await syncFolder(join(draft, name));
  }
  return files;
}

async function copyOnce(from: string, to: string): Promise<boolean> {
  if (existsSync(to)) return true;
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    // Removed since the folder was read.
    if (isMissingFile(error)) return false;
    throw error;
  }
  await bringToDisk(to);
  return true;
}

async function bringToDisk(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function refuseTaken(folder: string, dataDirectory: string): Promise<void> {
  const inside = relative(dataDirectory, folder);
  if (inside === "" || !inside.startsWith("..")) {
    const message = `The backup ${folder} would be inside the data folder ${dataDirectory}. Name a folder outside it, preferably on another disk.`;
    throw new AppError("conflict", message, { paths: [folder, dataDirectory] });
  }
  const names = await readdir(folder).catch(none);
  if (names.length > 0)
    throw new AppError(
      "conflict",
      `${folder} is not empty, and a backup never overwrites anything. Name a new folder.`,
      {
        paths: [folder],
      },
    );
}

async function requireRoom(file: string, folders: readonly string[], parent: string): Promise<void> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const sizes = await Promise.all([
    sizeOf(file),
    sizeOf(`${file}-wal`),
    ...folders.map((name) => sizeOfFolder(join(dirname(file), name))),
  ]);
  const needed = sizes.reduce((sum, size) => sum + size, 0);
  const { bavail, bsize } = await statfs(parent);
  if (bavail * bsize < needed)
    throw new AppError(
      "storage_full",
      `The backup needs ${megabytes(needed)}, and ${parent} has ${megabytes(bavail * bsize)} free. Nothing was written.`,
      { paths: [parent] },
    );
}

async function sizeOfFolder(folder: string): Promise<number> {
  const names = await readdir(folder).catch(none);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

function none(error: unknown): string[] {
  if (isMissingFile(error)) return [];
  throw error;
}

function describeFailure(error: unknown, folder: string): unknown {
  return error instanceof AppError ? error : describeFileError(error, folder);
}
