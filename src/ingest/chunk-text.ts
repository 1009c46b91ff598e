import { sentenceSpans, type Span } from "../language/sentences.js";
import { yieldTurn } from "../lib/time.js";
import { safeCut } from "../lib/truncate.js";
import { cutLevelsOf, type TextKind } from "./cut-levels.js";
import { cutRecursively } from "./cut-recursively.js";

/** Pieces aim at `target`; a small remainder joins its neighbour as long as the result stays within `most`. */
export interface PieceSize {
  readonly target: number;
  readonly most: number;
  /** The unit of the sizes. */
  readonly unit: "characters" | "bytes";
  /** The maximum length of the end of a piece that the next one repeats. */
  readonly overlap: number;
}

const SMALL_REST = 120;
/** Characters; longer white space is not indentation. */
const DEEPEST_INDENTATION = 200;
/** Characters that are cut in one turn of the event loop. */
const MOST_AT_ONCE = 32 * 1024;

/**
 * Cuts a text into pieces in order, none longer than `size.most`, not counting the overlap. Every character between two
 * pieces that is not white space is in exactly one piece, and in the next as well where they overlap. Takes linear time
 * whatever the text.
 */
export async function splitText(text: string, kind: TextKind, size: PieceSize): Promise<Span[]> {
  const whole = trimSpan(text, { start: 0, end: text.length });
  if (whole.start === whole.end) return [];
  if (lengthOf(text, whole, size) <= size.target) return [whole];
  const levels = cutLevelsOf(kind);
  const measure = { target: size.target, lengthOf: (piece: string) => bytesOrCharacters(piece, size) };
  const spans: Span[] = [];
  let from = 0;
  for (const part of splitAtGaps(text)) {
    await yieldTurn();
    for (const { start, end } of cutRecursively(part, levels, measure)) {
      const piece = trimSpan(text, { start: from + start, end: from + end });
      if (piece.start === piece.end) continue;
      spans.push(...cutLongSpan(text, { ...piece, start: withIndentation(text, piece.start) }, size));
    }
    from += part.length;
  }
  return withOverlap(text, joinSmallRests(text, spans, size), { kind, size });
}

function lengthOf(text: string, { start, end }: Span, size: PieceSize): number {
  return size.unit === "characters" ? end - start : bytesOrCharacters(text.slice(start, end), size);
}

function bytesOrCharacters(text: string, { unit }: PieceSize): number {
  return unit === "characters" ? text.length : Buffer.byteLength(text);
}

/** A number of characters that never exceeds `most`: none takes more than three bytes. */
function mostCharacters({ most, unit }: PieceSize): number {
  return unit === "characters" ? most : Math.floor(most / 3);
}

/** Splits a long text where it has a natural gap: between paragraphs, lines or words. */
function splitAtGaps(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > MOST_AT_ONCE) {
    const part = text.slice(start, start + MOST_AT_ONCE);
    const gaps = ["\n\n", "\n", " "].map((gap) => part.lastIndexOf(gap) + gap.length);
    const length = gaps.find((end) => end > MOST_AT_ONCE / 2) ?? safeCut(text.slice(start), MOST_AT_ONCE);
    parts.push(text.slice(start, start + length));
    start += length;
  }
  return [...parts, text.slice(start)];
}

/** Restores the indentation of the first line, which matters in code and lists and was lost to trimming. */
function withIndentation(text: string, start: number): number {
  let first = start;
  while (first > 0 && (text[first - 1] === " " || text[first - 1] === "\t")) first -= 1;
  if (start - first > DEEPEST_INDENTATION) return start;
  return first === 0 || text[first - 1] === "\n" ? first : start;
}

function cutLongSpan(text: string, span: Span, size: PieceSize): Span[] {
  if (lengthOf(text, span, size) <= size.most) return [span];
  const most = mostCharacters(size);
  const pieces: Span[] = [];
  let start = span.start;
  while (span.end - start > most) {
    const end = Math.max(start + 1, safeCut(text, start + most));
    pieces.push({ start, end });
    start = end;
  }
  pieces.push({ start, end: span.end });
  return pieces;
}

function joinSmallRests(text: string, spans: readonly Span[], size: PieceSize): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    const isSmall = last && Math.min(last.end - last.start, span.end - span.start) < SMALL_REST;
    if (last && isSmall && lengthOf(text, { start: last.start, end: span.end }, size) <= size.most)
      joined[joined.length - 1] = { start: last.start, end: span.end };
    else joined.push(span);
  }
  return joined;
}

/** Lets each piece start earlier: at a sentence, a line of code or at least a word. */
function withOverlap(
  text: string,
  spans: readonly Span[],
  { kind, size }: { readonly kind: TextKind; readonly size: PieceSize },
): Span[] {
  if (size.overlap === 0) return [...spans];
  return spans.map((span, index) => {
    const before = spans[index - 1];
    if (!before) return span;
    const room = endOf(text.slice(Math.max(before.start, span.start - size.overlap), span.start), size);
    const start = span.start - room.length;
    return { start: start + (start === before.start ? 0 : firstStart(room, kind)), end: span.end };
  });
}

/** As much of the end of a text as may be repeated. */
function endOf(text: string, { unit, overlap }: PieceSize): string {
  let start = 0;
  if (unit === "bytes")
    for (let bytes = Buffer.byteLength(text); bytes > overlap;) {
      const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
      bytes -= Buffer.byteLength(character);
      start += character.length;
    }
  return start === 0 ? text : text.slice(safeCut(text, start));
}

/** Where the first whole unit starts in the end of a text; the length of the text if there is none. */
function firstStart(text: string, kind: TextKind): number {
  const isText = kind === "prose" || kind === "markdown";
  const sentence = isText ? (sentenceSpans(text)[1]?.start ?? -1) : text.indexOf("\n") + 1 || -1;
  if (sentence !== -1) return sentence;
  const gap = text.search(/\s\S/u);
  return gap === -1 ? text.length : gap + 1;
}

/** The span without the white space at its ends. */
export function trimSpan(text: string, span: Span): Span {
  const piece = text.slice(span.start, span.end);
  const start = span.start + (piece.length - piece.trimStart().length);
  return { start, end: Math.max(start, span.start + piece.trimEnd().length) };
}
