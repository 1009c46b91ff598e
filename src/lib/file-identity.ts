import { statSync, type BigIntStats } from "node:fs";

/** Device and number of the file or folder that is at this path now, links followed; empty text for none. */
export function identityAt(path: string): string {
  try {
    const status = statSync(path, { bigint: true, throwIfNoEntry: false });
    return status ? identityOf(status) : "";
  } catch (error) {
    // A folder that may not be entered, or is a file.
    if (isFileError(error)) return "";
    throw error;
  }
}

/** Tells one file of this machine from every other that exists at the same time. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** True for what the operating system says about a file. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** True for a file or folder that is not there. */
export function isMissingFile(error: unknown): boolean {
  return isFileError(error) && error.code === "ENOENT";
}
