import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.js";
import type { BlobStore, ListedBlob } from "../../core/ports.js";
import { codeOf } from "../../lib/error-code.js";
import { isMissingFile } from "../../lib/file-identity.js";
import { isId } from "../../lib/ids.js";
import { syncFolder } from "../../lib/sync-folder.js";

/** Marks a file that is still being written. */
const DRAFT_ENDING = ".part";

/**
 * Bytes as one file each in a folder, which is made when the first one comes. A key is the name of its file, so only
 * keys that are ids are ever looked for. What was put is on the disk, with its name, before the call returns.
 */
export function createFileBlobs(directory: string): BlobStore {
  return {
    async put(key, bytes) {
      if (!isId(key)) throw new Error("The key of a blob must be an id");
      const draft = join(directory, `${key}${DRAFT_ENDING}`);
      try {
        await makeFolder(directory);
        await writeDurably(draft, bytes);
        await rename(draft, join(directory, key));
        await syncFolder(directory);
      } catch (error) {
        // What cannot be written cannot be removed either, sometimes.
        await rm(draft, { force: true }).catch(() => undefined);
        throw describeWriteError(error, directory);
      }
    },

    async read(key, start, length) {
      if (!isId(key)) return null;
      if (length <= 0) return (await exists(join(directory, key))) ? new Uint8Array() : null;
      const pieces: Buffer[] = [];
      try {
        for await (const piece of createReadStream(join(directory, key), { start, end: start + length - 1 }))
          pieces.push(piece as Buffer);
      } catch (error) {
        if (isMissingFile(error)) return null;
        throw error;
      }
      return Buffer.concat(pieces);
    },

    async remove(key) {
      if (!isId(key)) return;
      for (const name of [key, `${key}${DRAFT_ENDING}`]) await rm(join(directory, name), { force: true });
    },

    async list() {
      const names = await readdir(directory).catch((error: unknown) => {
        if (isMissingFile(error)) return [];
        throw error;
      });
      const found = await Promise.all(names.map((name) => describe(directory, name)));
      return found.flatMap((blob) => blob ?? []);
    },
  };
}

/** Not what it lies in: a data folder that is gone must not come back as an empty one. */
async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A write that was cut off counts as well, under the key that it was for. */
async function describe(directory: string, name: string): Promise<ListedBlob | null> {
  const key = name.endsWith(DRAFT_ENDING) ? name.slice(0, -DRAFT_ENDING.length) : name;
  if (!isId(key)) return null;
  const found = await stat(join(directory, name)).catch((error: unknown) => {
    // Removed since the folder was read.
    if (isMissingFile(error)) return null;
    throw error;
  });
  return found?.isFile() ? { key, ageMs: Date.now() - found.mtimeMs } : null;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function describeWriteError(error: unknown, directory: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new AppError("storage_full", "The file was not kept: the disk is full. Free some space.", { cause: error });
  if (code === undefined) return error;
  return new AppError("unavailable", `The file was not kept: the folder ${directory} cannot be written (${code}).`, {
    paths: [directory],
    cause: error,
  });
}
