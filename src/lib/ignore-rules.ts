import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { matchesPath, type PathPattern } from "./path-pattern.js";

/** One line of a `.gitignore`. */
interface IgnoreRule {
  /** The folder of its file. */
  readonly base: string;
  readonly pattern: PathPattern;
  readonly isException: boolean;
  readonly isForFolders: boolean;
}

/** What is left out, the later rule wins. */
export type IgnoreRules = readonly IgnoreRule[];

/** A longer `.gitignore` is none that a person wrote. */
const MOST_BYTES = 256 * 1024;

/** The rules that hold in a folder: those of the folders above it in the same Git repository, then its own. */
export async function rulesAround(folder: string): Promise<IgnoreRules> {
  const own = await rulesOf(folder);
  const above = await foldersAbove(folder);
  const inherited = await Promise.all(above.map(rulesOf));
  return [...inherited.flat(), ...own];
}

/** The rules of the folder's own `.gitignore`; none where there is no such file, or it cannot be read. */
export async function rulesOf(folder: string): Promise<IgnoreRules> {
  const path = join(folder, ".gitignore");
  const found = await stat(path).catch(() => null);
  if (!found?.isFile() || found.size > MOST_BYTES) return [];
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split(/\r?\n/).flatMap((line) => ruleOf(folder, line));
}

/** True for an entry of a folder that the rules leave out. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  const last = rules.findLast(
    ({ base, pattern, isForFolders }) =>
      (isFolder || !isForFolders) && matchesPath(pattern, relative(base, path).split(sep)),
  );
  return last !== undefined && !last.isException;
}

function ruleOf(base: string, line: string): IgnoreRule[] {
  const text = line.replace(/(?<!\\) {1,100}$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const isException = text.startsWith("!");
  const body = isException ? text.slice(1) : text;
  const isForFolders = body.endsWith("/");
  const path = isForFolders ? body.slice(0, -1) : body;
  const parts = path.split("/");
  const pattern = parts.length === 1 ? ["**", path] : parts[0] === "" ? parts.slice(1) : parts;
  return [{ base, pattern, isException, isForFolders }];
}

/** From the root of the Git repository that the folder lies in down to its parent; none outside of one. */
async function foldersAbove(folder: string): Promise<readonly string[]> {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.unshift(at);
    if (await stat(join(at, ".git")).catch(() => null)) return above;
    if (dirname(at) === at) return [];
  }
}
