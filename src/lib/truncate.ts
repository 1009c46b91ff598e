/** Characters on each side of a cut that are looked at: longer chains of joined characters are torn. */
const REACH = 64;
/** Before this code point no character joins the one before it, but for the end of a line of two. */
const FIRST_JOINING = 0x300;

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
  const from = Math.max(0, limit - REACH);
  const around = text.slice(from, limit + REACH);
  const start = from + (characters.segment(around).containing(limit - from)?.index ?? limit - from);
  // What fills all that was looked at has no better place; half a pair is never left.
  return start > from ? start : Math.max(1, limit - Number(tearsPair(text, limit)));
}

function tearsPair(text: string, limit: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1));
}

/** At most the first `limit` UTF-16 units of a text, cut between two characters. */
export function truncate(text: string, limit: number): string {
  return text.slice(0, safeCut(text, limit));
}
