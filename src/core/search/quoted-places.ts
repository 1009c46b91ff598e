import type { Span } from "../../language/sentences.js";
import { isStopWord } from "../../language/words.js";

/** From this many words on, a quotation is found regardless of case, white space and punctuation. */
const FEWEST_WORDS = 2;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const PART_OF_WORD = /[\p{L}\p{N}]/u;
const SPEAKER = /^[^:\n]{1,40}: /u;
/** What follows the last word of a sentence. */
const END_OF_SENTENCE = /^[^\p{L}\p{N}]*(?:[.!?…。！？\n]|$)/u;
const MARK_OF_END = /[.!?…。！？]/u;

interface Words {
  readonly spans: readonly Span[];
  readonly folded: readonly string[];
  /** Each folded word with a space before and after it. */
  readonly line: string;
  /** The index of the word that begins at a position of the line. */
  readonly byPlace: ReadonlyMap<number, number>;
}

/**
 * Finds, for repeated use, all places in one text that contain the words of a quotation.
 * @param piece position in a longer text, which may have been cut within the quotation; null for a whole text. `isFirst` if
 * nothing comes before it
 */
export function createPlacesFinder(
  text: string,
  piece: { readonly isFirst: boolean } | null,
): (quote: string) => Span[] {
  let read: Words | undefined;
  return (quote) => {
    const quoted = wordsOf(quote);
    if (quoted.folded.length < FEWEST_WORDS) return exactPlaces(text, quote);
    read ??= wordsOf(text);
    const places = wholePlaces(read, quoted);
    return piece ? [...places, ...cutPlaces(text, piece.isFirst, read, quoted)] : places;
  };
}

function wordsOf(text: string): Words {
  const spans: Span[] = [];
  const folded: string[] = [];
  const byPlace = new Map<number, number>();
  let line = " ";
  for (const match of text.matchAll(WORD)) {
    const word = match[0].normalize("NFKD").toLowerCase();
    byPlace.set(line.length, spans.length);
    spans.push({ start: match.index, end: match.index + match[0].length });
    folded.push(word);
    line += `${word} `;
  }
  return { spans, folded, line, byPlace };
}

/** Where a text contains these words as whole words. */
function exactPlaces(text: string, quote: string): Span[] {
  const places: Span[] = [];
  if (quote === "") return places;
  const isJoined = (outer: string | undefined, inner: string | undefined) =>
    PART_OF_WORD.test(outer ?? "") && PART_OF_WORD.test(inner ?? "");
  for (let start = text.indexOf(quote); start !== -1; start = text.indexOf(quote, start + quote.length)) {
    const end = start + quote.length;
    if (!isJoined(text[start - 1], text[start]) && !isJoined(text[end], text[end - 1])) places.push({ start, end });
  }
  return places;
}

function wholePlaces({ spans, line, byPlace }: Words, quoted: Words): Span[] {
  const places: Span[] = [];
  const { length } = quoted.line;
  for (let at = line.indexOf(quoted.line); at !== -1; at = line.indexOf(quoted.line, at + length - 1))
    places.push(spanOf(spans, byPlace.get(at + 1) ?? 0, quoted.folded.length));
  return places;
}

function spanOf(spans: readonly Span[], first: number, count: number): Span {
  return { start: spans[first]!.start, end: spans[first + count - 1]!.end };
}

/**
 * Partial matches of a quotation that continues in another piece: its end, if this piece begins with it, and its beginning, if
 * this piece ends with it.
 */
function cutPlaces(text: string, isFirst: boolean, words: Words, quoted: Words): Span[] {
  const { spans, folded } = words;
  const speaker = SPEAKER.exec(text)?.[0].length ?? 0;
  const own = spans.findIndex(({ start }) => start >= speaker);
  if (own === -1) return [];
  const most = Math.min(quoted.folded.length - 1, folded.length - own);
  if (own === 0 && folded.length === most && quoted.line.includes(words.line)) return [spanOf(spans, 0, most)];
  const places: Span[] = [];
  const tail = isFirst ? 0 : overlap(quoted.folded, folded.slice(own, own + most));
  if (tail > 0 && isMeant(folded.slice(own, own + tail), END_OF_SENTENCE.test(text.slice(spans[own + tail - 1]!.end))))
    places.push(spanOf(spans, own, tail));
  const head = overlap(folded.slice(folded.length - most), quoted.folded);
  const isOpen = !MARK_OF_END.test(text.slice(spans.at(-1)!.end));
  if (head > 0 && isOpen && isMeant(quoted.folded.slice(0, head), true))
    places.push(spanOf(spans, folded.length - head, head));
  return places;
}

/** The number of words at the end of one list that the other begins with. */
function overlap(one: readonly string[], other: readonly string[]): number {
  let size = Math.min(one.length, other.length);
  const isShared = () => {
    for (let index = 0; index < size; index++) if (one[one.length - size + index] !== other[index]) return false;
    return true;
  };
  while (size > 0 && !isShared()) size -= 1;
  return size;
}

/** Function words alone say nothing, and a single other word does so only where a sentence is cut. */
function isMeant(words: readonly string[], isCut: boolean): boolean {
  return (isCut || words.length >= FEWEST_WORDS) && words.some((word) => !isStopWord(word));
}
