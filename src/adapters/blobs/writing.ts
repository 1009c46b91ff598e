import { mkdir } from "node:fs/promises";
import { AppError } from "../../core/errors.js";
import { codeOf, isDiskFull } from "../../lib/error-code.js";

/** Creates a folder, but not its parent: a data folder that is gone must not come back as an empty one. */
export async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** Runs work that writes a file to a folder. @throws AppError `storage_full` or `unavailable` with the system's message */
export async function writingTo<T>(directory: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDiskFull(error))
      throw new AppError("storage_full", "The file was not stored: the disk is full. Free some space.", {
        cause: error,
      });
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new AppError("unavailable", `The file was not stored: the folder ${directory} cannot be written (${code}).`, {
      paths: [directory],
      cause: error,
    });
  }
}
