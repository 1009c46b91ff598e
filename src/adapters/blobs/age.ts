import { stat } from "node:fs/promises";
import { isMissingFile } from "../../lib/file-identity.js";

/** Milliseconds since a file was last written; null for anything that is not a file, or was removed meanwhile. */
export async function ageOfFile(path: string): Promise<number | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissingFile(error)) return null;
    throw error;
  });
  return found?.isFile() ? Date.now() - found.mtimeMs : null;
}
