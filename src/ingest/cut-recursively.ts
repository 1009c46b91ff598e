import type { Span } from "../language/sentences.js";

/** Where a text may be cut: the offsets at which pieces start, in order; those at the very start or end are ignored. */
export type CutLevel = (text: string) => readonly number[];

export interface Measure {
  /** Pieces are joined as long as they do not exceed this. */
  readonly target: number;
  readonly lengthOf: (text: string) => number;
}

/**
 * Cuts a text at the first level that applies, and pieces that are still too long at the levels after it; neighbours
 * that fit into one piece are joined again. The pieces are in order and without gaps. A piece that no level can cut
 * stays as long as it is.
 */
export function cutRecursively(text: string, levels: readonly CutLevel[], measure: Measure): Span[] {
  return cut({ start: 0, end: text.length }, { text, levels, measure });
}

interface Cutting {
  readonly text: string;
  readonly levels: readonly CutLevel[];
  readonly measure: Measure;
}

function cut(span: Span, { text, levels, measure }: Cutting): Span[] {
  const whole = text.slice(span.start, span.end);
  for (const [index, level] of levels.entries()) {
    const pieces = piecesOf(span, level(whole));
    if (pieces.length < 2) continue;
    return join(pieces, { text, levels: levels.slice(index + 1), measure });
  }
  return [span];
}

function piecesOf({ start, end }: Span, places: readonly number[]): Span[] {
  const starts = [start, ...places.map((place) => start + place).filter((place) => place > start && place < end)];
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
}

function join(pieces: readonly Span[], cutting: Cutting): Span[] {
  const { text, measure } = cutting;
  const joined: Span[] = [];
  let room = 0;
  for (const piece of pieces) {
    const length = measure.lengthOf(text.slice(piece.start, piece.end));
    const last = joined.at(-1);
    if (length > measure.target) {
      joined.push(...cut(piece, cutting));
      room = 0;
    } else if (last && length <= room) {
      joined[joined.length - 1] = { start: last.start, end: piece.end };
      room -= length;
    } else {
      joined.push(piece);
      room = measure.target - length;
    }
  }
  return joined;
}
