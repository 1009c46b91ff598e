import { dropAtEnd } from "../lib/drop-at-end.js";
import { yieldTurn } from "../lib/time.js";

/** A place in a text: `start` inclusive, `end` exclusive, in UTF-16 code units. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Finds quotations in one text, for any number of calls. */
export type QuoteFinder = (quote: string) => Place | null;

/** Text with fewer letters and digits than this would be found anywhere. */
const FEWEST_LETTERS = 2;
/** Most invisible characters and spaces that a place may contain beyond the quotation, in UTF-16 code units. */
export const MOST_UNSEEN = 1_000;
/** Characters folded in one turn of the event loop, so that a long text does not block it. */
const FOLDED_AT_ONCE = 50_000;

/**
 * Finds where a text contains a quotation, ignoring differences in case, white space, quotation marks, dashes and Unicode
 * forms. The first place counts, unless it is far longer than the quotation, as it would then be full of invisible
 * characters. Takes linear time and about 13 bytes a character.
 */
export function createQuoteFinder(text: string): QuoteFinder {
  let folded: Folded | undefined;
  return finderIn(text, () => (folded ??= allOf(folding(text))));
}

/** Like `createQuoteFinder`, for a long text, folded over several turns of the event loop. @throws the signal's reason */
export async function prepareQuoteFinder(text: string, signal?: AbortSignal): Promise<QuoteFinder> {
  const folded = await inTurns(folding(text), signal);
  return finderIn(text, () => folded);
}

function finderIn(text: string, folded: () => Folded): QuoteFinder {
  return (quote) => {
    const whole = allOf(folding(quote)).text.trim();
    const bare = withoutEdges(whole);
    if ((bare.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < FEWEST_LETTERS) return null;
    for (const wanted of [whole, bare]) {
      const at = folded().text.indexOf(wanted);
      if (at === -1) continue;
      const place = placeOfFolded(text, folded(), at, wanted.length);
      if (place.end - place.start <= quote.length * 2 + MOST_UNSEEN) return place;
    }
    return null;
  };
}

/** What people and models put around a quotation although it is not part of it. */
const EDGE_BEFORE = /^(?:["'\s]|\.\.\.)+/u;
const LAST_EDGE = /(?:["'\s]|\.\.\.)$/u;

function withoutEdges(text: string): string {
  let end = text.length;
  for (;;) {
    const [edge] = LAST_EDGE.exec(text.slice(Math.max(0, end - 3), end)) ?? [];
    if (edge === undefined) return text.slice(0, end).replace(EDGE_BEFORE, "");
    end -= edge.length;
  }
}

/** A text, folded as quotations are compared. */
export interface Folded {
  readonly text: string;
  /** The offset in the original text of each code unit of the folded text. */
  readonly origin: Int32Array;
}

function allOf(steps: Generator<void, Folded>): Folded {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Folds a long text over several turns of the event loop, dropping double quotation marks too. @throws the signal's reason */
export function foldInTurns(text: string, signal?: AbortSignal): Promise<Folded> {
  return inTurns(folding(text, foldUnquoted), signal);
}

async function inTurns(steps: Generator<void, Folded>, signal?: AbortSignal): Promise<Folded> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldTurn(signal);
  }
}

/** A quotation as `foldInTurns` folds it, without closing punctuation. Quotations with equal phrases say the same. */
export function phraseOf(quote: string): string {
  return dropAtEnd(allOf(folding(quote, foldUnquoted)).text.trim(), /[.!。]/u).trim();
}

function foldUnquoted(character: string): string {
  return foldCharacter(character).replaceAll('"', "");
}

/** Where part of a folded text stands in the original. */
export function placeOfFolded(text: string, { origin }: Folded, at: number, length: number): Place {
  return { start: origin[at] ?? 0, end: endOfCharacter(text, origin[at + length - 1] ?? 0) };
}

function* folding(text: string, fold = foldCharacter): Generator<void, Folded> {
  const pieces: string[] = [];
  let origin = new Int32Array(text.length + 16);
  let length = 0;
  let at = 0;
  let next = FOLDED_AT_ONCE;
  let isAfterSpace = true;
  const known = new Map<string, string>();
  for (const character of text) {
    let piece = known.get(character);
    if (piece === undefined) known.set(character, (piece = fold(character)));
    const isSpace = piece === " ";
    if (piece !== "" && !(isSpace && isAfterSpace)) {
      pieces.push(piece);
      if (length + piece.length > origin.length) origin = grow(origin, length + piece.length);
      for (const end = length + piece.length; length < end; length += 1) origin[length] = at;
      isAfterSpace = isSpace;
    }
    at += character.length;
    if (at < next) continue;
    next += FOLDED_AT_ONCE;
    yield;
  }
  return { text: pieces.join(""), origin };
}

function grow(values: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(values.length * 2, least));
  larger.set(values);
  return larger;
}

function foldCharacter(character: string): string {
  if (/\s/u.test(character)) return " ";
  if (/[\u00ad\u200b-\u200f\u2060\ufeff]/u.test(character)) return "";
  if (/[‘’‚‛′`´]/u.test(character)) return "'";
  if (/[“”„‟″«»]/u.test(character)) return '"';
  if (/\p{Pd}/u.test(character)) return "-";
  return character.normalize("NFKD").toLowerCase().replaceAll("ς", "σ");
}

/** The offset after the character at `start` and its combining marks. */
function endOfCharacter(text: string, start: number): number {
  let end = start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
  while (end < text.length && /\p{M}/u.test(text[end] ?? "")) end += 1;
  return end;
}
