import { isUtf8 } from "node:buffer";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  BOUNDS_OF_RULES,
  isIgnored,
  rulesAround,
  TooManyRules,
  withRulesOf,
  type IgnoreRules,
} from "./ignore-rules.js";
import { oneLine } from "./one-line.js";
import { parsePathPattern, pathParts, type PathPattern } from "./path-pattern.js";
import { createTimeSlice, type TimeSlice } from "./time.js";
import { STORE_FILE } from "./store-file.js";

/** Nobody wants more files than this remembered one by one. */
export const MOST_FILES = 100_000;
/** How many omitted folders are named. */
const MOST_NAMED = 5;

/** The files found in a folder. */
export interface FoundFiles {
  readonly files: readonly string[];
  /** How many files and folders were omitted because their names are not UTF-8: no text can name them. */
  readonly nameless: number;
  /** Folders that were omitted because their `.gitignore` cannot be applied: what it excludes must not be included. */
  readonly unruled: readonly string[];
}

/**
 * The files of a folder and its subfolders, by name within each, without hidden entries, `node_modules`, links, data
 * folders of Recollect, and whatever `.gitignore` excludes.
 * @param onFolder called with every folder that was searched
 */
export function filesIn(folder: string, onFolder?: (path: string) => void): Promise<FoundFiles> {
  return walkFolder(resolve(folder), { pattern: ["**"], isRuledFromAbove: true, onFolder });
}

/**
 * As `filesIn`, for callers that treat missing files as deleted.
 * @throws the system's error for a folder that cannot be read, and the signal's reason
 */
export function allFilesIn(folder: string, signal: AbortSignal): Promise<FoundFiles> {
  return walkFolder(resolve(folder), { pattern: ["**"], isRuledFromAbove: true, isComplete: true, signal });
}

/**
 * What was omitted, as sentences for people.
 * @param nameOf gives the displayed name of a folder
 */
export function describeLeftOut(
  { nameless, unruled }: Omit<FoundFiles, "files">,
  nameOf: (folder: string) => string,
): readonly string[] {
  const named = unruled.slice(0, MOST_NAMED).map((folder) => oneLine(nameOf(folder)));
  const more = unruled.length - named.length;
  const folders = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
  return [
    ...(nameless === 1 ? ["1 file or folder has a name that is not UTF-8 and was left out."] : []),
    ...(nameless > 1 ? [`${nameless} files or folders have names that are not UTF-8 and were left out.`] : []),
    ...(unruled.length > 0
      ? [`Left out because .gitignore cannot be read there or exceeds ${BOUNDS_OF_RULES}: ${folders}.`]
      : []),
  ];
}

interface Wanted {
  /** The patterns for the parts of a path. */
  readonly pattern: readonly string[];
  /** True if the rules of the parent folders apply in it. */
  readonly isRuledFromAbove?: boolean;
  readonly onFolder?: ((path: string) => void) | undefined;
  /** True if an unreadable folder ends the walk. */
  readonly isComplete?: boolean;
  readonly signal?: AbortSignal;
}

export async function walkFolder(root: string, wanted: Wanted): Promise<FoundFiles> {
  const walk: Walk = {
    ...wanted,
    // A folder that is gone by now is reported when it is read.
    real: await realpath(root).catch(() => root),
    isFile: parsePathPattern(wanted.pattern),
    depth: wanted.pattern.includes("**") ? Infinity : wanted.pattern.length,
    slice: createTimeSlice(wanted.signal),
    files: [],
    unruled: [],
    nameless: 0,
  };
  const { isRuledFromAbove = false } = wanted;
  await search(walk, { path: root, parts: [], rulesOf: async () => (isRuledFromAbove ? rulesAround(root) : []) });
  const { files, nameless, unruled } = walk;
  return { files, nameless, unruled };
}

interface Walk extends Wanted {
  readonly real: string;
  readonly isFile: PathPattern;
  readonly depth: number;
  readonly slice: TimeSlice;
  readonly files: string[];
  readonly unruled: string[];
  nameless: number;
}

interface Folder {
  readonly path: string;
  readonly parts: readonly string[];
  readonly rulesOf: () => Promise<IgnoreRules>;
}

async function search(walk: Walk, { path: folder, parts, rulesOf }: Folder): Promise<void> {
  walk.onFolder?.(folder);
  const entries = await entriesOf(folder, walk);
  if (entries.some(isStore)) return;
  const rules = await rulesOf().catch((error: unknown) => {
    if (walk.isComplete && !(error instanceof TooManyRules)) throw error;
    return null;
  });
  if (rules === null) return void walk.unruled.push(folder);
  for (const { name, isNamable, isFolder } of entries) {
    if (walk.files.length > MOST_FILES) return;
    if (walk.slice.isSpent()) await walk.slice.renew();
    const [path, place] = [join(folder, name), [...parts, name]];
    if (await isIgnored(rules, { path, isFolder }, walk.slice)) continue;
    if (!(isFolder ? place.length < walk.depth : walk.isFile(pathParts(place)))) continue;
    if (!isNamable) walk.nameless += 1;
    else if (!isFolder) walk.files.push(path);
    else await search(walk, { path, parts: place, rulesOf: () => withRulesOf(path, rules, walk.real) });
  }
}

/** True for a data folder of Recollect: it contains everybody's keys and texts. */
export async function isDataFolder(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, STORE_FILE)).catch(() => null);
  return found?.isFile() ?? false;
}

function isStore({ name, isFolder }: Entry): boolean {
  return name === STORE_FILE && !isFolder;
}

interface Entry {
  /** Only similar to the real name if that is not UTF-8. */
  readonly name: string;
  readonly isNamable: boolean;
  readonly isFolder: boolean;
}

/** The visible files and folders in a folder, by name; none for an unreadable one, unless it must be read. */
async function entriesOf(folder: string, { isComplete }: Wanted): Promise<readonly Entry[]> {
  // As bytes, since a name in another encoding has no text that leads to it.
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch((error: unknown) => {
    if (isComplete) throw error;
    return [];
  });
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({
      name: entry.name.toString("utf8"),
      isNamable: isUtf8(entry.name),
      isFolder: entry.isDirectory(),
    }))
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
