/** A stretch of a text: `start` inclusive, `end` exclusive, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const SENTENCE_END = /[.!?…。！？]+["'”’»)\]]*/gu;
/** Abbreviations that never end a sentence. */
const OPEN_ABBREVIATION =
  /(?:^|[\s("“‘]|(?<!\p{L})')(?:(?![iI]$)\p{L}|mr|mrs|ms|dr|prof|st|vs|nr|approx|ca|fig|e\.g|i\.e)$/iu;
/** Abbreviations that end a sentence unless a lower-case letter follows. */
const CLOSED_ABBREVIATION =
  /(?:^|\s)(?:etc|a\.m|p\.m|u\.s|u\.k|inc|ltd|co|corp|dept|sr|jr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/i;
/** Long enough for the longest abbreviation. */
const LOOK_BACK = 12;

/**
 * The sentences of a text, in order, without the white space around them. A sentence ends at `.`, `!`, `?` and similar marks
 * before white space, and at the end of a line, but not after abbreviations ("Dr.", "e.g.") and initials. Takes linear time.
 */
export function sentenceSpans(text: string): Span[] {
  const spans: Span[] = [];
  let lineStart = 0;
  for (const line of text.split("\n")) {
    let start = 0;
    for (const match of line.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      if (!isSentenceEnd(line, match.index, end)) continue;
      pushTrimmed(spans, text, lineStart + start, lineStart + end);
      start = end;
    }
    pushTrimmed(spans, text, lineStart + start, lineStart + line.length);
    lineStart += line.length + 1;
  }
  return spans;
}

function isSentenceEnd(line: string, mark: number, end: number): boolean {
  if (/[。！？]/.test(line[mark] ?? "")) return true;
  if (end < line.length && !/\s/.test(line[end] ?? "")) return false;
  if (line[mark] !== "." || end - mark > 1) return true;
  const before = line.slice(Math.max(0, mark - LOOK_BACK), mark);
  if (/\b(?:no|vol|p|pp|ch|art)$/i.test(before) && /^\s*\d/.test(line.slice(end, end + 4))) return false;
  if (CLOSED_ABBREVIATION.test(before)) return !/^\s*\p{Ll}/u.test(line.slice(end, end + 4));
  return !OPEN_ABBREVIATION.test(before);
}

function pushTrimmed(spans: Span[], text: string, start: number, end: number): void {
  let first = start;
  let last = end;
  while (first < last && isSpace(text, first)) first += 1;
  while (last > first && isSpace(text, last - 1)) last -= 1;
  if (first < last) spans.push({ start: first, end: last });
}

function isSpace(text: string, index: number): boolean {
  return /\s/.test(text[index] ?? "");
}
