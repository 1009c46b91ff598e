/** A pattern for paths, cut into the patterns of their parts. */
export type PathPattern = readonly string[];

/** True for a text in which something stands for other characters. */
export function hasWildcard(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * True when the parts of a path are what a pattern says: `*` and `?` within a part, `[a-z]` and `[!a-z]` for one character, and
 * a part `**` for any number of parts. Takes time in proportion to the product of both lengths at most.
 */
export function matchesPath(pattern: PathPattern, parts: readonly string[]): boolean {
  return matchesAll(pattern, parts, {
    isAny: (part) => part === "**",
    fits: (part, name) => matchesName(part, name),
  });
}

function matchesName(pattern: string, name: string): boolean {
  return matchesAll(tokensOf(pattern), Array.from(name), { isAny: (token) => token === "*", fits: fitsCharacter });
}

interface Matching {
  readonly isAny: (token: string) => boolean;
  readonly fits: (token: string, item: string) => boolean;
}

/** Goes back to the last token for any number of items only, which is enough and never takes exponential time. */
function matchesAll(tokens: readonly string[], items: readonly string[], { isAny, fits }: Matching): boolean {
  let token = 0;
  let item = 0;
  let anyToken = -1;
  let anyItem = 0;
  while (item < items.length) {
    const [expected, found] = [tokens[token], items[item]];
    if (expected !== undefined && isAny(expected)) {
      anyToken = token++;
      anyItem = item;
    } else if (expected !== undefined && found !== undefined && fits(expected, found)) {
      token++;
      item++;
    } else if (anyToken >= 0) {
      token = anyToken + 1;
      item = ++anyItem;
    } else return false;
  }
  return tokens.slice(token).every(isAny);
}

/** `a[0-9]\*` as `a`, `[0-9]`, `\*`. */
function tokensOf(pattern: string): string[] {
  const characters = Array.from(pattern);
  const tokens: string[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "\\" && at + 1 < characters.length) tokens.push(`\\${characters[++at]}`);
    else if (end > 0) {
      tokens.push(characters.slice(at, end + 1).join(""));
      at = end;
    } else tokens.push(character);
  }
  return tokens;
}

function fitsCharacter(token: string, character: string): boolean {
  if (token === "?") return true;
  if (token.length > 1 && token.startsWith("\\")) return token.slice(1) === character;
  if (token.length > 2 && token.startsWith("[")) return isInSet(Array.from(token.slice(1, -1)), character);
  return token === character;
}

function isInSet(set: readonly string[], character: string): boolean {
  const isNegated = set[0] === "!" || set[0] === "^";
  const members = isNegated ? set.slice(1) : set;
  const isMember = members.some((member, at) => {
    if (members[at + 1] === "-" && at + 2 < members.length)
      return member <= character && character <= (members[at + 2] ?? "");
    return member === character;
  });
  return isMember !== isNegated;
}
