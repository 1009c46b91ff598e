import { existsSync, statSync } from "node:fs";
import { parse, resolve, sep } from "node:path";
import { AppError } from "../../../core/errors.js";
import { filesIn, MOST_FILES, walkFolder } from "../../../lib/folder-files.js";
import { hasWildcard } from "../../../lib/path-pattern.js";

/** True for a text that could be the path of a file on this machine. */
export function mayBePath(argument: string): boolean {
  return argument !== "" && argument.length <= 4096 && !argument.includes("\0") && !argument.includes("\n");
}

/** True for the path of a file or folder that is there. */
export function isThere(argument: string): boolean {
  return mayBePath(argument) && existsSync(argument);
}

export function isFolder(argument: string): boolean {
  return isThere(argument) && statSync(argument).isDirectory();
}

/** A mistyped file name must not be remembered as a fact. */
export function looksLikePath(argument: string): boolean {
  const isRooted = /^\.{0,2}\//.test(argument) || /^(?:\.{1,2}|[A-Za-z]:)\\/.test(argument);
  return !/\s/.test(argument) && (isRooted || /\.[A-Za-z][A-Za-z0-9]{0,4}$/.test(argument));
}

/**
 * True for a pattern of file names that no shell has expanded, as it is on Windows and between quotes. A sentence with a
 * question mark is none, nor is an address: what holds white space has to begin with a folder that is there.
 */
export function looksLikeGlob(argument: string): boolean {
  if (!mayBePath(argument) || !hasWildcard(argument) || isThere(argument) || argument.includes("://")) return false;
  if (/\s/.test(argument)) return isFolder(/^([^*?[]*)[\\/]/.exec(argument)?.[1] ?? "");
  return /^\*|[\\/]/.test(argument) || /\.[A-Za-z*?][A-Za-z0-9*?]{0,4}$/.test(argument);
}

/**
 * The files that paths, folders and globs name, each once, in the order of the arguments and by name within a folder. Folders
 * are searched to the bottom, without hidden entries, `node_modules`, links, and what `.gitignore` leaves out.
 * @throws AppError `not_found` for a glob that matches nothing, `too_large` for more than 100,000 files
 */
export async function findFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    const named = looksLikeGlob(path) ? await expand(path) : isFolder(path) ? await filesIn(path) : [path];
    for (const file of named) found.add(resolve(file));
    if (found.size > MOST_FILES) throw new AppError("too_large", `There are more than ${MOST_FILES} files in ${path}.`);
  }
  return [...found];
}

async function expand(glob: string): Promise<readonly string[]> {
  const separators = sep === "\\" ? /[\\/]/ : "/";
  const { root } = parse(glob);
  const parts = glob
    .slice(root.length)
    .split(separators)
    .filter((part) => part !== "" && part !== ".");
  const first = parts.findIndex(hasWildcard);
  const base = resolve(root, ...parts.slice(0, first));
  const files = isFolder(base) ? await walkFolder(base, { rules: [], pattern: parts.slice(first) }) : [];
  if (files.length === 0) throw new AppError("not_found", `No file matches ${glob}. If these are words, add --text.`);
  return files;
}
