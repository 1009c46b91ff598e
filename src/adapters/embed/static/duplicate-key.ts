/**
 * The first key that an object within a JSON text has twice, which `JSON.parse` would silently accept.
 * @param json valid JSON
 */
export function findDuplicateKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  const pieces = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let piece = pieces.exec(json); piece !== null; piece = pieces.exec(json)) {
    const [text] = piece;
    if (text === "{") open.push(new Set());
    else if (text === "[") open.push(undefined);
    else if (text === "}" || text === "]") open.pop();
    else {
      const keys = open.at(-1);
      if (keys === undefined || !isKey(json, pieces.lastIndex)) continue;
      const key: unknown = JSON.parse(text);
      if (typeof key !== "string") continue;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}

function isKey(json: string, end: number): boolean {
  for (let index = end; index < json.length; index++) {
    const character = json.charAt(index);
    if (character === ":") return true;
    if (!/\s/.test(character)) return false;
  }
  return false;
}
