import { realpath, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { parsePathPattern, pathParts, type PathPattern } from "./path-pattern.js";
import { readContainedFile } from "./read-contained-file.js";
import type { TimeSlice } from "./time.js";

/** One line of a `.gitignore`. */
interface IgnoreRule {
  readonly pattern: PathPattern;
  /** True if only the name of an entry is tested, at any depth. */
  readonly isOfNames: boolean;
  readonly isException: boolean;
  readonly isForFolders: boolean;
}

/** A `.gitignore`. */
interface IgnoreFile {
  /** Path segments from the root of the file system to its folder. */
  readonly depth: number;
  /** The rules, last line first, as the last match decides. */
  readonly fromLast: readonly IgnoreRule[];
  readonly characters: number;
}

/** The rules in effect; files of deeper folders come later, and later rules win. */
export type IgnoreRules = readonly IgnoreFile[];

/* Nobody writes a longer `.gitignore` by hand, and every entry of the folder would have to be tested against it. */
const MOST_BYTES = 64 * 1024;
const MOST_RULES = 2_000;
const LONGEST_RULE = 1_000;
/** Rules on names between two checks of the clock. */
const RULES_OF_A_LOOK = 8;
/** For all rules together that apply in a folder. */
const MOST_CHARACTERS = 128 * 1024;

/** The limits of a `.gitignore`, for people. */
export const BOUNDS_OF_RULES = `64 KB, ${MOST_RULES} rules, ${LONGEST_RULE} characters per rule, or 128 KB together with those above it`;

/** A `.gitignore` exceeds the limits of what is tested against every entry of a folder. */
export class TooManyRules extends Error {
  override readonly name = "TooManyRules";
}

/**
 * The rules that apply in a folder: those of its parent folders in the same Git repository, then its own.
 * @throws as `withRulesOf`
 */
export async function rulesAround(folder: string): Promise<IgnoreRules> {
  let rules: IgnoreRules = [];
  for (const one of [...(await foldersAbove(folder)), folder])
    rules = await withRulesOf(one, rules, await realpath(one));
  return rules;
}

/**
 * Adds the rules of a folder's own `.gitignore` to the inherited ones. As in Git, a `.gitignore` that is a link is
 * ignored.
 * @param root a real path; nothing outside it is read
 * @throws TooManyRules, and the system's error for a file that cannot be read
 */
export async function withRulesOf(folder: string, inherited: IgnoreRules, root: string): Promise<IgnoreRules> {
  const found = await readContainedFile(join(folder, ".gitignore"), { root, maximumBytes: MOST_BYTES });
  if (found.kind === "absent") return inherited;
  if (found.kind === "too_large") throw new TooManyRules();
  const lines = found.bytes.toString("utf8").split(/\r?\n/).map(withoutSpaces).filter(isRule);
  if (lines.length === 0) return inherited;
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  const together = inherited.reduce((sum, file) => sum + file.characters, characters);
  if (lines.length > MOST_RULES || lines.some((line) => line.length > LONGEST_RULE) || together > MOST_CHARACTERS)
    throw new TooManyRules();
  return [...inherited, { depth: namesOf(folder).length, fromLast: lines.map(ruleOf).toReversed(), characters }];
}

/** True for an entry of a folder that the rules exclude. Yields to other work while many rules are tested. */
export async function isIgnored(
  rules: IgnoreRules,
  { path, isFolder }: { readonly path: string; readonly isFolder: boolean },
  slice: TimeSlice,
): Promise<boolean> {
  if (rules.length === 0) return false;
  const parts = pathParts(namesOf(path));
  const ownName = parts.slice(-1);
  let asked = 0;
  for (const file of rules.toReversed()) {
    const inside = parts.slice(file.depth);
    for (const { pattern, isOfNames, isException, isForFolders } of file.fromLast) {
      // A path may be many times as long as a name.
      asked += isOfNames ? 1 : RULES_OF_A_LOOK;
      if (asked >= RULES_OF_A_LOOK) {
        asked = 0;
        if (slice.isSpent()) await slice.renew();
      }
      if ((isFolder || !isForFolders) && pattern(isOfNames ? ownName : inside)) return !isException;
    }
  }
  return false;
}

function namesOf(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== "");
}

function withoutSpaces(line: string): string {
  return line.replace(/(?<!\\) {1,100}$/, "");
}

function isRule(line: string): boolean {
  return line !== "" && !line.startsWith("#");
}

function ruleOf(line: string): IgnoreRule {
  const isException = line.startsWith("!");
  const body = isException ? line.slice(1) : line;
  const isForFolders = body.endsWith("/");
  const path = isForFolders ? body.slice(0, -1) : body;
  const parts = path.split("/");
  const pattern = parsePathPattern(parts[0] === "" ? parts.slice(1) : parts);
  return { pattern, isOfNames: parts.length === 1, isException, isForFolders };
}

/** From the root of the folder's Git repository down to its parent; none outside a repository. */
async function foldersAbove(folder: string): Promise<readonly string[]> {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.unshift(at);
    if (await stat(join(at, ".git")).catch(() => null)) return above;
    if (dirname(at) === at) return [];
  }
}
