import { constants } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { codeOf } from "./error-code.js";
import { identityOf } from "./file-identity.js";
import { isWithin } from "./path-within.js";

/** An open file, with its state when it was opened. */
export interface OpenedFile {
  readonly size: number;
  readonly changedAt: Date;
  /** As many bytes as it had when opened: growth meanwhile is no reason to read on. */
  read(): Promise<Buffer>;
  stream(): Readable;
}

/** The result of reading a file; `absent` as in `withContainedFile`. */
export type ContainedFile =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly changedAt: Date }
  | { readonly kind: "too_large"; readonly bytes: number }
  | { readonly kind: "absent" };

/** System errors for a missing entry, a link, or something that is not a file. */
const NO_FILE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO", "ENODEV", "EISDIR"]);
/**
 * Neither opens a link in place of the file nor blocks on a pipe without a writer; Windows has neither these flags nor
 * these dangers.
 */
const OPENING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file in a folder that others may change at the same time. It is opened once, and every check is made on the
 * open file, so that nothing put in its place meanwhile is read or waited for.
 * @param root the real path of the folder that contains it, at any depth
 * @returns null when it is missing, is a link or not a file, or is outside the folder
 * @throws the system's error for a file that exists but cannot be read
 */
export async function withContainedFile<T>(
  path: string,
  root: string,
  work: (file: OpenedFile) => Promise<T>,
): Promise<T | null> {
  const file = await open(path, OPENING).catch((error: unknown) => {
    if (NO_FILE.has(codeOf(error) ?? "")) return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile() || !(await liesWithin(root, file, path))) return null;
    return await work({
      size: found.size,
      changedAt: found.mtime,
      read: () => firstBytes(file, found.size),
      stream: () => file.createReadStream({ start: 0, autoClose: false }),
    });
  } finally {
    await file.close();
  }
}

/** Reads a file, opened as by `withContainedFile`. */
export async function readContainedFile(
  path: string,
  { root, maximumBytes }: { readonly root: string; readonly maximumBytes: number },
): Promise<ContainedFile> {
  const found = await withContainedFile(path, root, async (file): Promise<ContainedFile> => {
    if (file.size > maximumBytes) return { kind: "too_large", bytes: file.size };
    return { kind: "read", bytes: await file.read(), changedAt: file.changedAt };
  });
  return found ?? { kind: "absent" };
}

async function firstBytes(file: FileHandle, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/**
 * Whether an open file is inside a folder. Linux knows its path; elsewhere the path must still lead to it, through
 * every link.
 */
async function liesWithin(root: string, file: FileHandle, path: string): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${file.fd}`).catch(() => null);
  if (place !== null) return isWithin(root, place);
  const real = await realpath(path).catch(() => null);
  if (real === null || !isWithin(root, real)) return false;
  const there = await lstat(real, { bigint: true }).catch(() => null);
  return there !== null && identityOf(there) === identityOf(await file.stat({ bigint: true }));
}
