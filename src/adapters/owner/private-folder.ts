import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { AppError } from "../../core/errors.js";
import { isFileError } from "../../lib/file-identity.js";

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o077;

/**
 * Refuses a data folder that others on this machine may write to: they could replace our store or address. A folder of another
 * user's that was opened to a group, as container volumes are, is left to `doctor`.
 * @throws AppError `unavailable` saying what to do
 */
export function requirePrivateFolder(dataDirectory: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(dataDirectory);
  const isOurs = uid === process.getuid?.();
  if ((mode & OTHERS_WRITE) === 0 && !(isOurs && (mode & GROUP_WRITES) !== 0)) return;
  throw new AppError(
    "unavailable",
    `The data folder ${dataDirectory} can be written by other users of this machine (mode ${(mode & 0o777).toString(8)}), who could replace its content. Nothing was written. Restrict it with \`chmod 700 ${dataDirectory}\`, or choose another with --data-dir.`,
    { paths: [dataDirectory] },
  );
}

/**
 * Removes others' access to files that an earlier version left open to them. Some file systems have no modes, and only its owner
 * can change another user's file: neither prevents a start.
 */
export function closeFiles(dataDirectory: string): void {
  if (process.platform === "win32") return;
  tolerate(() => {
    for (const { name } of readdirSync(dataDirectory, { withFileTypes: true }).filter(isPrivate))
      tolerate(() => closeOne(join(dataDirectory, name)));
  });
}

function tolerate(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

const PRIVATE_FILES = /^(recollect\.db.*|owner\.lock|service\.json.*)$/;
const PRIVATE_FOLDERS = /^(files|chroma(\.set-aside-.*)?)$/;

function isPrivate(entry: { readonly name: string; isFile(): boolean; isDirectory(): boolean }): boolean {
  return entry.isFile() ? PRIVATE_FILES.test(entry.name) : entry.isDirectory() && PRIVATE_FOLDERS.test(entry.name);
}

function closeOne(path: string): void {
  const { mode } = statSync(path);
  if ((mode & OTHERS) !== 0) chmodSync(path, mode & 0o700);
}
