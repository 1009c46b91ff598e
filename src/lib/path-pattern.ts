/** A parsed pattern for paths: true for the path segments it matches. */
export type PathPattern = (parts: readonly PathPart[]) => boolean;

/** A path segment, in characters. */
export type PathPart = readonly string[];

/** True for a text with a wildcard. */
export function hasWildcard(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Path segments as patterns take them: to test several patterns, split them once. */
export function pathParts(parts: readonly string[]): readonly PathPart[] {
  return parts.map((part) => Array.from(part));
}

/**
 * Parses a pattern given as the patterns of its segments: `*` and `?` stand for characters within a segment, `[a-z]`
 * and `[!a-z]` for one character, and a segment `**` for any number of segments. A test takes at most time proportional
 * to the product of both lengths.
 */
export function parsePathPattern(parts: readonly string[]): PathPattern {
  return sequenceOf(parts.map((part) => (part === "**" ? ANY : namePattern(part))));
}

/** Stands for any number of items. */
const ANY = Symbol("any");
type Test<Item> = (item: Item) => boolean;

/** Tests for the items of a sequence, in order. */
function sequenceOf<Item>(tests: readonly (Test<Item> | typeof ANY)[]): Test<readonly Item[]> {
  const runs: Test<Item>[][] = [[]];
  for (const test of tests)
    if (test === ANY) runs.push([]);
    else runs.at(-1)?.push(test);
  const [first = [], ...others] = runs;
  const last = others.pop();
  if (last === undefined) return (items) => items.length === first.length && fitsAt(first, items, 0);
  const middle = others.filter((run) => run.length > 0);
  const least = tests.filter((test) => test !== ANY).length;
  return (items) => {
    const end = items.length - last.length;
    if (items.length < least || !fitsAt(first, items, 0) || !fitsAt(last, items, end)) return false;
    return fitBetween(middle, items, { from: first.length, end });
  };
}

/** A plain loop, since a long file of patterns spends its time here. */
function fitsAt<Item>(run: readonly Test<Item>[], items: readonly Item[], start: number): boolean {
  for (let at = 0; at < run.length; at++) {
    const [test, item] = [run[at], items[start + at]];
    if (test === undefined || item === undefined || !test(item)) return false;
  }
  return true;
}

/** Matches each run at its first possible place: no later one leaves more room for those after it. */
function fitBetween<Item>(
  runs: readonly (readonly Test<Item>[])[],
  items: readonly Item[],
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  let at = from;
  for (const run of runs) {
    const most = end - run.length;
    while (at <= most && !fitsAt(run, items, at)) at += 1;
    if (at > most) return false;
    at += run.length;
  }
  return true;
}

function namePattern(pattern: string): Test<PathPart> {
  return sequenceOf(tokensOf(pattern).map((token) => (token === "*" ? ANY : characterTest(token))));
}

/** `a[0-9]\*` as `a`, `[0-9]`, `\*`. */
function tokensOf(pattern: string): string[] {
  const characters = Array.from(pattern);
  const lastEnd = characters.lastIndexOf("]");
  const tokens: string[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const end = character === "[" && at + 2 <= lastEnd ? characters.indexOf("]", at + 2) : -1;
    if (character === "\\" && at + 1 < characters.length) tokens.push(`\\${characters[++at]}`);
    else if (end > 0) {
      tokens.push(characters.slice(at, end + 1).join(""));
      at = end;
    } else tokens.push(character);
  }
  return tokens;
}

function characterTest(token: string): Test<string> {
  if (token === "?") return () => true;
  if (token.length > 2 && token.startsWith("[")) return setTest(Array.from(token.slice(1, -1)));
  const expected = token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  return (character) => character === expected;
}

function setTest(set: readonly string[]): Test<string> {
  const isNegated = set[0] === "!" || set[0] === "^";
  const members = isNegated ? set.slice(1) : set;
  const single = new Set<string>();
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const [from = "", , to = ""] = members.slice(at, at + 3);
    if (members[at + 1] === "-" && at + 2 < members.length) {
      ranges.push([from, to]);
      at += 2;
    } else single.add(from);
  }
  const isMember = (character: string) =>
    single.has(character) || ranges.some(([from, to]) => from <= character && character <= to);
  return (character) => isMember(character) !== isNegated;
}
