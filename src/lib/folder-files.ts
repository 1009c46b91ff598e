import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isIgnored, rulesAround, rulesOf, type IgnoreRules } from "./ignore-rules.js";
import { matchesPath, type PathPattern } from "./path-pattern.js";

/** Nobody means to have more of them remembered one by one. */
export const MOST_FILES = 100_000;

/**
 * The files of a folder, by name within each folder below it, without hidden entries, `node_modules`, links, and what
 * `.gitignore` leaves out.
 * @param onFolder hears of every folder that was searched
 */
export async function filesIn(folder: string, onFolder?: (path: string) => void): Promise<readonly string[]> {
  const root = resolve(folder);
  return walkFolder(root, { rules: await rulesAround(root), pattern: ["**"], onFolder });
}

/**
 * As `filesIn`, for whoever takes what it does not name for gone.
 * @throws what the system says of a folder that cannot be read
 */
export async function allFilesIn(folder: string): Promise<readonly string[]> {
  const root = resolve(folder);
  return walkFolder(root, { rules: await rulesAround(root), pattern: ["**"], isComplete: true });
}

interface Wanted {
  readonly rules: IgnoreRules;
  readonly pattern: PathPattern;
  readonly onFolder?: ((path: string) => void) | undefined;
  /** True: a folder that cannot be read ends the walk. */
  readonly isComplete?: boolean;
}

export async function walkFolder(
  root: string,
  { rules, pattern, onFolder, isComplete = false }: Wanted,
): Promise<readonly string[]> {
  const files: string[] = [];
  const depth = pattern.includes("**") ? Infinity : pattern.length;
  const open = async (folder: string, inherited: IgnoreRules, parts: readonly string[]): Promise<void> => {
    onFolder?.(folder);
    const holding = folder === root ? inherited : [...inherited, ...(await rulesOf(folder))];
    for (const entry of await entriesOf(folder, isComplete)) {
      const [path, place] = [join(folder, entry.name), [...parts, entry.name]];
      if (isIgnored(holding, path, entry.isDirectory())) continue;
      if (entry.isDirectory() && place.length < depth) await open(path, holding, place);
      else if (entry.isFile() && matchesPath(pattern, place)) files.push(path);
      if (files.length > MOST_FILES) return;
    }
  };
  await open(root, rules, []);
  return files;
}

/** What can be seen in a folder, by name; nothing of one that may not be read, unless it has to be. */
async function entriesOf(folder: string, isComplete: boolean) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isComplete) throw error;
    return [];
  });
  return entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
