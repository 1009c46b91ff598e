import { existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { parse, resolve, sep } from "node:path";
import { AppError } from "../../../core/errors.js";
import { describeLeftOut, filesIn, MOST_FILES, walkFolder, type FoundFiles } from "../../../lib/folder-files.js";
import { hasWildcard } from "../../../lib/path-pattern.js";
import { shortest, type FileToAdd } from "./add-files.js";

/** True for a text that could be the path of a file on this machine. */
export function mayBePath(argument: string): boolean {
  return argument !== "" && argument.length <= 4096 && !argument.includes("\0") && !argument.includes("\n");
}

/** True for the path of an existing file or folder. */
export function isThere(argument: string): boolean {
  return mayBePath(argument) && existsSync(argument);
}

export function isLocalFolder(argument: string): boolean {
  return isThere(argument) && statSync(argument).isDirectory();
}

/** A mistyped file name must not be remembered as a fact. */
export function looksLikePath(argument: string): boolean {
  const isRooted = /^\.{0,2}\//.test(argument) || /^(?:\.{1,2}|[A-Za-z]:)\\/.test(argument);
  return !/\s/.test(argument) && (isRooted || /\.[A-Za-z][A-Za-z0-9]{0,4}$|[^/\\][/\\]$/.test(argument));
}

/**
 * True for a file pattern that no shell has expanded, as on Windows or in quotes. A sentence with a question mark or an address
 * is not one: a pattern with white space must begin with an existing folder.
 */
export function looksLikeGlob(argument: string): boolean {
  if (!mayBePath(argument) || !hasWildcard(argument) || isThere(argument) || argument.includes("://")) return false;
  if (/\s/.test(argument)) return isLocalFolder(/^([^*?[]*)[\\/]/.exec(argument)?.[1] ?? "");
  return /^\*|[\\/]/.test(argument) || /\.[A-Za-z*?][A-Za-z0-9*?]{0,4}$/.test(argument);
}

/** The files that paths, folders and globs name. */
interface NamedFiles {
  readonly files: readonly FileToAdd[];
  /** What was left out, as sentences. */
  readonly leftOut: readonly string[];
}

/**
 * The files that paths, folders and globs name, each once, in the order of the arguments and by name within a folder. Folders
 * are searched recursively, without hidden entries, `node_modules`, links, or anything that `.gitignore` excludes.
 * @throws AppError `not_found` for a glob that matches nothing, `too_large` for more than 100,000 files
 */
export async function findFiles(paths: readonly string[]): Promise<NamedFiles> {
  const found = new Map<string, FileToAdd>();
  const leftOut = new Set<string>();
  for (const path of paths) {
    const named = looksLikeGlob(path) ? await expand(path) : isLocalFolder(path) ? await search(path) : single(path);
    for (const file of named.files) if (!found.has(file.path)) found.set(file.path, file);
    for (const sentence of named.leftOut) leftOut.add(sentence);
    if (found.size > MOST_FILES) throw new AppError("too_large", `There are more than ${MOST_FILES} files in ${path}.`);
  }
  return { files: [...found.values()], leftOut: [...leftOut] };
}

function single(path: string): NamedFiles {
  return { files: [{ path: resolve(path), root: null }], leftOut: [] };
}

async function search(folder: string): Promise<NamedFiles> {
  return foundIn(folder, await filesIn(folder));
}

async function foundIn(folder: string, found: FoundFiles): Promise<NamedFiles> {
  const root = await realpath(folder);
  return { files: found.files.map((path) => ({ path, root })), leftOut: describeLeftOut(found, shortest) };
}

async function expand(glob: string): Promise<NamedFiles> {
  const separators = sep === "\\" ? /[\\/]/ : "/";
  const { root } = parse(glob);
  const parts = glob
    .slice(root.length)
    .split(separators)
    .filter((part) => part !== "" && part !== ".");
  const first = parts.findIndex(hasWildcard);
  const base = resolve(root, ...parts.slice(0, first));
  const found = isLocalFolder(base) ? await walkFolder(base, { pattern: parts.slice(first) }) : null;
  if (!found || found.files.length === 0)
    throw new AppError("not_found", `No file matches ${glob}. If these are words, add --text.`);
  return foundIn(base, found);
}
