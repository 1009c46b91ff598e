/** Characters on each side of a cut that are looked at: longer chains of joined characters are torn. */
const REACH = 64;
/** Before this code point no character joins the one before it, but for the end of a line of two. */
const FIRST_JOINING = 0x300;

/** So far back the beginning of a row of flags is looked for. */
const LONGEST_ROW = 4_096;

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The last place at or before `limit` where a text can be cut without tearing what people see as one character: a surrogate
 * pair, a letter with its accents, an emoji of several. At least 1, so that cutting again and again ends.
 */
export function safeCut(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  if (limit <= 1) return 1;
  if (text.charCodeAt(limit) < FIRST_JOINING && text.charCodeAt(limit - 1) < FIRST_JOINING && text[limit] !== "\n")
    return limit;
  const from = beforeFlags(text, Math.max(0, limit - REACH));
  const around = text.slice(from, limit + REACH);
  const start = from + (characters.segment(around).containing(limit - from)?.index ?? limit - from);
  // What fills all that was looked at has no better place; half a pair is never left.
  return start > from ? start : Math.max(1, limit - Number(tearsPair(text, limit)));
}

/** A flag is two letters, and which two is told only from the beginning of the row in which they stand. */
function beforeFlags(text: string, index: number): number {
  let start = index - Number(tearsPair(text, index));
  while (start >= 2 && index - start < LONGEST_ROW && isFlagLetter(text, start - 2)) start -= 2;
  return start;
}

function isFlagLetter(text: string, index: number): boolean {
  const letter = text.codePointAt(index) ?? 0;
  return letter >= 0x1f1e6 && letter <= 0x1f1ff;
}

function tearsPair(text: string, limit: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1));
}

/** At most the first `limit` UTF-16 units of a text, cut between two characters. */
export function truncate(text: string, limit: number): string {
  return text.slice(0, safeCut(text, limit));
}
