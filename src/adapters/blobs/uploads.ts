import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Upload, UploadStore } from "../../core/ports.js";
import { isMissingFile } from "../../lib/file-identity.js";
import { createId, isId } from "../../lib/ids.js";
import { ageOfFile } from "./age.js";
import { readRange } from "./read-range.js";
import { makeFolder, writingTo } from "./writing.js";

/**
 * Keeps each upload as a file in a folder on this machine, which is created with the first one. Processes that share the folder
 * find each other's uploads by key.
 */
export function createUploadFolder(directory: string): UploadStore {
  const pathOf = (key: string): string => {
    if (!isId(key)) throw new Error("The key of an upload must be an id");
    return join(directory, key);
  };

  return {
    pathOf,

    async receive(pieces) {
      const key = createId();
      const file = await writingTo(directory, async () => {
        await makeFolder(directory);
        return open(pathOf(key), "wx", 0o600);
      });
      try {
        const received = await writeAll(file, pieces, directory);
        return { key, ...received };
      } catch (error) {
        // Sometimes what cannot be written cannot be removed either.
        await rm(pathOf(key), { force: true }).catch(() => undefined);
        throw error;
      } finally {
        await file.close();
      }
    },

    read: (key, start, length) => readRange(pathOf(key), start, length),

    async remove(key) {
      await rm(pathOf(key), { force: true });
    },

    async list() {
      const names = await readdir(directory).catch((error: unknown) => {
        if (isMissingFile(error)) return [];
        throw error;
      });
      const ages = await Promise.all(names.filter(isId).map((key) => ageOfFile(pathOf(key))));
      return names.filter(isId).flatMap((key, index) => (ages[index] == null ? [] : { key, ageMs: ages[index] }));
    },
  };
}

async function writeAll(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  directory: string,
): Promise<Omit<Upload, "key">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    size += piece.byteLength;
    await writingTo(directory, () => file.writeFile(piece));
  }
  await writingTo(directory, () => file.sync());
  return { size, digest: hash.digest("hex") };
}
