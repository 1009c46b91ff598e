import { lstat, opendir, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../../../core/errors.js";
import { describeLeftOut, filesIn, MOST_FILES } from "../../../lib/folder-files.js";
import { shortest } from "../files/add-files.js";
import { findSidecars, type Sidecars } from "../files/sidecars.js";

/** A file as last seen. */
export interface SeenFile {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
  readonly device: number;
  /** Shows whether its subtitles are unchanged; absent for a file without any beside it. */
  readonly subtitles?: string;
}

/** What was seen in a folder. */
export interface SeenFolder {
  /** By absolute path. */
  readonly files: ReadonlyMap<string, SeenFile>;
  /** Subtitle files beside recordings, which do not count as files of their own. */
  readonly sidecars: Sidecars;
  readonly folders: readonly string[];
  /** What was left out, as sentences. */
  readonly leftOut: readonly string[];
}

/** What happened to the files of a folder since it was last seen. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** A folder that is followed. */
export interface WatchedRoot {
  /** With links resolved, so that a file that is gone is still known by its path. */
  readonly path: string;
  readonly inode: number;
  readonly device: number;
  close(): Promise<void>;
}

/** Opens a folder to follow it. @throws AppError `not_found` */
export async function openRoot(folder: string): Promise<WatchedRoot> {
  const path = await realpath(folder).catch(() => null);
  const found = path === null ? null : await stat(path);
  if (path === null || !found?.isDirectory()) throw new AppError("not_found", `There is no folder ${folder}.`);
  // While it is open, no other folder gets its inode.
  const opened = await opendir(path);
  return { path, inode: found.ino, device: found.dev, close: () => opened.close() };
}

/**
 * Checks that the folder is still the same one: if it was removed, renamed, replaced or unmounted, missing files mean nothing.
 * @throws AppError `not_found`
 */
export async function requireRoot({ path, inode, device }: WatchedRoot): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() && found.ino === inode && found.dev === device) return;
  throw new AppError(
    "not_found",
    `The folder ${path} was removed or replaced, so it is no longer followed. None of its documents were deleted because of this. Start again when it is back.`,
  );
}

/**
 * Scans a folder by the rules of `findFiles`.
 * @throws AppError `too_large` for more files than can be followed: the rest would go unnoticed
 */
export async function scanFolder(root: string, mostFiles = MOST_FILES): Promise<SeenFolder> {
  const folders: string[] = [];
  const files = new Map<string, SeenFile>();
  const found = await filesIn(root, (folder) => folders.push(folder));
  if (found.files.length > mostFiles)
    throw new AppError(
      "too_large",
      `The folder ${root} has more than ${mostFiles} files, which is too many to follow. Follow its subfolders one by one.`,
    );
  for (const path of found.files) {
    const status = await lstat(path).catch(() => null);
    if (status?.isFile())
      files.set(path, { bytes: status.size, modifiedMs: status.mtimeMs, inode: status.ino, device: status.dev });
  }
  const sidecars = findSidecars(files.keys());
  return { files: joined(files, sidecars), sidecars, folders, leftOut: describeLeftOut(found, shortest) };
}

/** Treats each recording and its subtitles as one file. */
function joined(files: ReadonlyMap<string, SeenFile>, { chosen, all }: Sidecars): ReadonlyMap<string, SeenFile> {
  const left = [...files].filter(([path]) => !all.has(path));
  return new Map(
    left.map(([path, file]) => {
      const subtitles = chosen.get(path);
      const seen = subtitles === undefined ? undefined : files.get(subtitles);
      return [path, seen ? { ...file, subtitles: `${subtitles}:${fingerprint(seen)}` } : file];
    }),
  );
}

/** Stays the same when a file is moved within a disk. */
export function fingerprint(file: SeenFile | undefined): string {
  return `${file?.device}:${file?.inode}:${file?.bytes}:${file?.modifiedMs}`;
}

/**
 * Compares a folder with what was known of it. A file that still exists but is now excluded, or cannot be seen, counts as
 * unchanged.
 */
export async function changesSince(known: ReadonlyMap<string, SeenFile>, seen: SeenFolder): Promise<Changes> {
  const { files } = seen;
  const [added, changed, deleted]: [string[], string[], string[]] = [[], [], []];
  for (const [path, now] of files) {
    const before = known.get(path);
    if (!before) added.push(path);
    else if (!isSame(before, now)) changed.push(path);
  }
  for (const [path, before] of known)
    if (!files.has(path) && (await hasNoDocument(path, before, seen))) deleted.push(path);
  return { added, changed, deleted };
}

function isSame(left: SeenFile, right: SeenFile): boolean {
  return (
    left.bytes === right.bytes &&
    left.modifiedMs === right.modifiedMs &&
    left.inode === right.inode &&
    left.subtitles === right.subtitles
  );
}

/** True for a subtitle file beside which a recording has appeared, whose document now holds its words. */
export async function hasNoDocument(path: string, before: SeenFile, { sidecars }: SeenFolder): Promise<boolean> {
  return sidecars.all.has(path) || isGone(path, before);
}

/** A file on a disk that is not mounted at the moment is not gone, nor is one in a folder without read permission. */
async function isGone(path: string, { device }: SeenFile): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return (code === "ENOENT" || code === "ENOTDIR") && (await deviceAbove(path)) === device;
  }
}

async function deviceAbove(path: string): Promise<number | null> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found) return found.dev;
    if (dirname(at) === at) return null;
  }
}
