import { constants } from "node:fs";
import { copyFile, link, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore, ListedBlob } from "../../core/ports.js";
import { isMissingFile } from "../../lib/file-identity.js";
import { isId } from "../../lib/ids.js";
import { syncFolder } from "../../lib/sync-folder.js";
import { ageOfFile } from "./age.js";
import { readRange } from "./read-range.js";
import { makeFolder, writingTo } from "./writing.js";

/** Marks a file that is still being written. */
const DRAFT_ENDING = ".part";

/**
 * Stores each blob as a file in a folder, which is created with the first one. A key is the name of its file, so only keys that
 * are ids are ever looked up. What was put is on disk, under its name, before the call returns.
 */
export function createFileBlobs(directory: string): BlobStore {
  /** Writes a file under another name first, so that its own name never refers to half of it. */
  async function place(key: string, make: (draft: string) => Promise<void>): Promise<void> {
    if (!isId(key)) throw new Error("The key of a blob must be an id");
    const draft = join(directory, `${key}${DRAFT_ENDING}`);
    try {
      await writingTo(directory, async () => {
        await makeFolder(directory);
        await make(draft);
        await rename(draft, join(directory, key));
        await syncFolder(directory);
      });
    } finally {
      // If both names refer to one file, renaming removes neither. Sometimes what cannot be written cannot be removed either.
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  return {
    put: (key, bytes) => place(key, (draft) => writeDurably(draft, bytes)),

    keep: (key, path) => place(key, (draft) => linkOrCopy(path, draft)),

    async pathOf(key) {
      const path = join(directory, key);
      return isId(key) && (await ageOfFile(path)) !== null ? path : null;
    },

    read: (key, start, length) => (isId(key) ? readRange(join(directory, key), start, length) : Promise.resolve(null)),

    async remove(key) {
      if (!isId(key)) return;
      for (const name of [key, `${key}${DRAFT_ENDING}`]) await rm(join(directory, name), { force: true });
    },

    // Its disk is that of the store, which says when it is full.
    problem: () => Promise.resolve(null),

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

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Adds a second name to a file that is already durable; copies it where the file system has no hard links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  try {
    await link(from, to);
  } catch (error) {
    if (isMissingFile(error)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const file = await open(to, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** An interrupted write counts too, under the key it was meant for. */
async function describe(directory: string, name: string): Promise<ListedBlob | null> {
  const key = name.endsWith(DRAFT_ENDING) ? name.slice(0, -DRAFT_ENDING.length) : name;
  if (!isId(key)) return null;
  const ageMs = await ageOfFile(join(directory, name));
  return ageMs === null ? null : { key, ageMs };
}
