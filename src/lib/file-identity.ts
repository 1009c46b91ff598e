import { statSync, type BigIntStats } from "node:fs";

/** Device and inode of the file or folder at this path, following links; empty when there is none. */
export function identityAt(path: string): string {
  try {
    const status = statSync(path, { bigint: true, throwIfNoEntry: false });
    return status ? identityOf(status) : "";
  } catch (error) {
    // A folder that may not be entered, or that is a file.
    if (isFileError(error)) return "";
    throw error;
  }
}

/** Distinguishes one file on this machine from every other that exists at the same time. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** True for an error of the operating system about a file. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** True if the error says that a file or folder does not exist. */
export function isMissingFile(error: unknown): boolean {
  return isFileError(error) && error.code === "ENOENT";
}
