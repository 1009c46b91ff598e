/** Characters inspected on each side of a cut: longer sequences of joined characters are torn. */
const REACH = 64;
/** Below this code point no character joins the previous one, except the second half of a CRLF. */
const FIRST_JOINING = 0x300;

/** How far back the start of a row of flags is looked for. */
const LONGEST_ROW = 4_096;

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The last place at or before `limit` where a text can be cut without tearing what people see as one character: a
 * surrogate pair, a letter with its accents, an emoji sequence. At least 1, so that repeated cutting ends.
 */
export function safeCut(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  if (limit <= 1) return 1;
  if (text.charCodeAt(limit) < FIRST_JOINING && text.charCodeAt(limit - 1) < FIRST_JOINING && text[limit] !== "\n")
    return limit;
  const from = beforeFlags(text, Math.max(0, limit - REACH));
  const around = text.slice(from, limit + REACH);
  const start = from + (characters.segment(around).containing(limit - from)?.index ?? limit - from);
  // A sequence that fills the whole range has no better place; half a pair is never left.
  return start > from ? start : Math.max(1, limit - Number(tearsPair(text, limit)));
}

/** A flag is two letters, and the pairs can only be told from the start of the row. */
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
