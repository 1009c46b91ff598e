import { decodeEntities } from "../../../lib/html-entities.js";

/** The head of a page is at its beginning. */
const LONGEST_HEAD = 256 * 1024;
const LONGEST_TAG = 4_096;
const MOST_TAGS = 5_000;

/** The content of a page's `<meta name="…" content="…">` elements, by name in lower case, in their order. */
export function readMeta(page: string): ReadonlyMap<string, readonly string[]> {
  const head = page.slice(0, LONGEST_HEAD);
  const found = new Map<string, string[]>();
  let count = 0;
  for (let at = nextMeta(head, 0); at !== -1 && count < MOST_TAGS; at = nextMeta(head, at + 1)) {
    count += 1;
    const [tag = ""] = head.slice(at, at + LONGEST_TAG).split(">", 1);
    const name = attributeOf(tag, "name")?.toLowerCase();
    const content = attributeOf(tag, "content");
    if (name === undefined || content === undefined) continue;
    const before = found.get(name);
    if (before) before.push(content);
    else found.set(name, [content]);
  }
  return found;
}

function nextMeta(head: string, from: number): number {
  const lower = head.indexOf("<meta ", from);
  const upper = head.indexOf("<META ", from);
  return lower === -1 || (upper !== -1 && upper < lower) ? upper : lower;
}

const ATTRIBUTES = /([a-z][a-z:-]{0,30})\s{0,9}=\s{0,9}(?:"([^"]{0,4000})"|'([^']{0,4000})')/gi;

function attributeOf(tag: string, wanted: string): string | undefined {
  for (const [, name = "", double, single] of tag.matchAll(ATTRIBUTES))
    if (name.toLowerCase() === wanted) return plainText(double ?? single ?? "");
  return undefined;
}

/** With HTML escapes decoded, on one line. */
function plainText(text: string): string {
  return decodeEntities(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
