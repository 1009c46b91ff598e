/** A place in a text: `start` inclusive, `end` exclusive, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Finds quotations in one text, again and again. */
export type QuoteFinder = (quote: string) => Place | null;

/** Fewer letters and digits than this are found anywhere. */
const FEWEST_LETTERS = 2;
/** Unseen characters and spaces that a place may hold beside what is quoted, in UTF-16 units. */
const MOST_UNSEEN = 1_000;

/**
 * Finds where a text says something, whatever its case, white space, quotation marks, dashes and Unicode forms. The first
 * place counts, unless it is far longer than the quotation: characters that nobody sees would fill it. Takes linear time
 * and about 13 bytes a character.
 */
export function createQuoteFinder(text: string): QuoteFinder {
  let folded: Folded | undefined;
  return (quote) => {
    const whole = fold(quote).text.trim();
    const bare = withoutEdges(whole);
    if ((bare.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < FEWEST_LETTERS) return null;
    folded ??= fold(text);
    for (const wanted of [whole, bare]) {
      const at = folded.text.indexOf(wanted);
      if (at === -1) continue;
      const last = folded.origin[at + wanted.length - 1] ?? 0;
      const place = { start: folded.origin[at] ?? 0, end: endOfCharacter(text, last) };
      if (place.end - place.start <= quote.length * 2 + MOST_UNSEEN) return place;
    }
    return null;
  };
}

/** What people and models put around a quotation without meaning it. */
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

interface Folded {
  readonly text: string;
  /** Where each unit of the folded text comes from. */
  readonly origin: Int32Array;
}

function fold(text: string): Folded {
  const pieces: string[] = [];
  let origin = new Int32Array(text.length + 16);
  let length = 0;
  let at = 0;
  let isAfterSpace = true;
  const known = new Map<string, string>();
  for (const character of text) {
    let piece = known.get(character);
    if (piece === undefined) known.set(character, (piece = foldCharacter(character)));
    const isSpace = piece === " ";
    if (piece !== "" && !(isSpace && isAfterSpace)) {
      pieces.push(piece);
      if (length + piece.length > origin.length) origin = grow(origin, length + piece.length);
      for (const end = length + piece.length; length < end; length += 1) origin[length] = at;
      isAfterSpace = isSpace;
    }
    at += character.length;
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

/** Behind the character at a place, and behind the marks that belong to it. */
function endOfCharacter(text: string, start: number): number {
  let end = start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
  while (end < text.length && /\p{M}/u.test(text[end] ?? "")) end += 1;
  return end;
}
