import { judgeText } from "./trust.js";

const MOST = 10;
/** Names are short; anything longer is a sentence. */
const LONGEST = 80;
const MOST_WORDS = 8;

/**
 * Keeps what may be names among texts supplied by somebody else: on one line, at most 80 characters and 8 words, not orders to
 * an assistant; no duplicates, at most 10. The first spelling is kept.
 */
export function checkEntities(names: readonly string[]): string[] {
  const checked = new Map<string, string>();
  for (const stated of names) {
    const name = stated
      .toWellFormed()
      .replace(/[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\s]+/gu, " ")
      .trim();
    if (isName(name)) checked.set(name.toLowerCase(), checked.get(name.toLowerCase()) ?? name);
    if (checked.size === MOST) break;
  }
  return [...checked.values()];
}

function isName(text: string): boolean {
  if (text.length > LONGEST || !/[\p{L}\p{N}]/u.test(text)) return false;
  if (text.split(" ").length > MOST_WORDS) return false;
  return judgeText(text, undefined, { origin: "web" }).trust !== "flagged";
}
