import { yieldTurn } from "../../../lib/time.js";

/** Longer pieces are left out: finding them would mean trying every stretch of a text of that length. */
const LONGEST_PIECE = 256;
/** How much an unknown character costs below the worst piece, as in the SentencePiece library. */
const UNKNOWN_PENALTY = 10;
/** Hash table slots per piece. */
const ROOM = 2;
/** Filter bits per prefix of a piece: one in ten non-prefixes passes. */
const BITS = 8;
/** Probes per piece while the table is built; ordinary vocabularies need about 1.5. */
const MOST_LOOKS = 64;

/** Splits text into the most probable sequence of known pieces, as SentencePiece does. */
export interface Unigram {
  /** Ids of a text's pieces; undefined for each character that no piece contains. */
  split(text: string): (number | undefined)[];
}

/**
 * A unigram model over pieces with their log probabilities; a piece's position is its id. Made for half a million pieces: their
 * text is in one array, and a hash table of numbers finds it.
 * @throws RangeError for pieces chosen to collide
 */
export async function createUnigram(
  pieces: readonly (readonly [piece: string, score: number])[],
  unknownId: number | undefined,
): Promise<Unigram> {
  const { codes, starts } = layOut(pieces);
  const scores = Float64Array.from(pieces, ([, score]) => score);
  const longest = pieces.reduce(
    (length, [piece]) => Math.max(length, piece.length <= LONGEST_PIECE ? piece.length : 0),
    1,
  );
  const unknownScore = scores.reduce((lowest, score) => Math.min(lowest, score), 0) - UNKNOWN_PENALTY;
  if (unknownId !== undefined) scores[unknownId] = unknownScore;
  // Each step takes a tenth of a second for half a million pieces.
  await yieldTurn();
  const slots = buildTable(codes, starts);
  await yieldTurn();
  const beginnings = filterBeginnings(codes, starts);
  return new PieceUnigram(new Pieces({ codes, starts, slots, beginnings }), { scores, longest, unknownScore });
}

interface Scoring {
  /** Of each piece. */
  readonly scores: Float64Array;
  /** Code units of the longest piece. */
  readonly longest: number;
  /** For a character that no piece contains. */
  readonly unknownScore: number;
}

class PieceUnigram implements Unigram {
  readonly #pieces: Pieces;
  readonly #scoring: Scoring;
  readonly #paths = new BestPaths();

  constructor(pieces: Pieces, scoring: Scoring) {
    this.#pieces = pieces;
    this.#scoring = scoring;
  }

  split(text: string): (number | undefined)[] {
    this.#paths.clear(text.length + 1);
    for (let begin = 0; begin < text.length;) begin = this.#offerFrom(text, begin);
    return this.#paths.to(text.length);
  }

  /**
   * Offers all pieces that begin at a position; an unknown character where no piece is that character.
   * @returns the position of the next character
   */
  #offerFrom(text: string, begin: number): number {
    const { scores, longest, unknownScore } = this.#scoring;
    const pieces = this.#pieces;
    const paths = this.#paths;
    const width = widthAt(text, begin);
    const last = Math.min(text.length, begin + longest);
    let isKnown = false;
    let hash = FIRST_HASH;
    for (let end = begin + 1; end <= last; end++) {
      hash = mix(hash, text.charCodeAt(end - 1));
      const place = scatter(hash);
      // No piece begins like this, so no longer one does either.
      if (!pieces.mayBegin(place)) break;
      if (end - begin < width) continue;
      const id = pieces.find(text, begin, end - begin, place);
      if (id < 0) continue;
      paths.offer(begin, end, id, scores[id] ?? 0);
      isKnown ||= end - begin === width;
    }
    if (!isKnown) paths.offer(begin, begin + width, -1, unknownScore);
    return begin + width;
  }
}

interface PieceTables {
  /** The text of all pieces, concatenated. */
  readonly codes: Uint16Array;
  /** Where each piece begins in it; the last number is its end. */
  readonly starts: Uint32Array;
  readonly slots: Int32Array;
  readonly beginnings: Int32Array;
}

/** Finds pieces by their text. A place is the hash of a text. */
class Pieces {
  readonly #codes: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #slots: Int32Array;
  readonly #mask: number;
  readonly #beginnings: Int32Array;
  readonly #lastBit: number;

  constructor({ codes, starts, slots, beginnings }: PieceTables) {
    this.#codes = codes;
    this.#starts = starts;
    this.#slots = slots;
    this.#mask = slots.length - 1;
    this.#beginnings = beginnings;
    this.#lastBit = beginnings.length * 32 - 1;
  }

  /** False when no piece begins with the text that has this hash. */
  mayBegin(place: number): boolean {
    const bit = place & this.#lastBit;
    return ((this.#beginnings[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** The id of the piece that equals this part of a text; -1 for none. */
  find(text: string, start: number, length: number, place: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let slot = place & mask; ; slot = (slot + 1) & mask) {
      const id = (slots[slot] ?? 0) - 1;
      if (id < 0) return -1;
      if (this.#isAt(id, text, start, length)) return id;
    }
  }

  #isAt(id: number, text: string, start: number, length: number): boolean {
    const codes = this.#codes;
    const first = this.#starts[id] ?? 0;
    if ((this.#starts[id + 1] ?? 0) - first !== length) return false;
    for (let index = 0; index < length; index++)
      if (codes[first + index] !== text.charCodeAt(start + index)) return false;
    return true;
  }
}

/**
 * The best sequence of pieces up to each position of a text. The memory is reused for each text, since allocating it takes
 * longer than using it.
 */
class BestPaths {
  #best = new Float64Array(0);
  #ids = new Int32Array(0);
  #begins = new Int32Array(0);

  clear(length: number): void {
    if (this.#best.length < length) {
      this.#best = new Float64Array(length * 2);
      this.#ids = new Int32Array(length * 2);
      this.#begins = new Int32Array(length * 2);
    }
    this.#begins.fill(-1, 0, length);
    this.#best[0] = 0;
  }

  /** Notes a path to `end`, unless a better one is known. */
  offer(begin: number, end: number, id: number, score: number): void {
    const best = this.#best;
    const begins = this.#begins;
    const sum = (best[begin] ?? 0) + score;
    if ((begins[end] ?? 0) >= 0 && sum <= (best[end] ?? 0)) return;
    best[end] = sum;
    begins[end] = begin;
    this.#ids[end] = id;
  }

  /** Ids of the pieces on the best path to a position; undefined for each unknown character. */
  to(place: number): (number | undefined)[] {
    const found: (number | undefined)[] = [];
    for (let end = place; end > 0; end = this.#begins[end] ?? 0) {
      const id = this.#ids[end] ?? -1;
      found.push(id >= 0 ? id : undefined);
    }
    return found.reverse();
  }
}

function layOut(pieces: readonly (readonly [string, number])[]): {
  readonly codes: Uint16Array;
  readonly starts: Uint32Array;
} {
  const starts = new Uint32Array(pieces.length + 1);
  for (const [id, [piece]] of pieces.entries())
    starts[id + 1] = (starts[id] ?? 0) + (piece.length <= LONGEST_PIECE ? piece.length : 0);
  const codes = new Uint16Array(starts[pieces.length] ?? 0);
  for (const [id, [piece]] of pieces.entries()) {
    if (piece.length > LONGEST_PIECE) continue;
    const start = starts[id] ?? 0;
    for (let index = 0; index < piece.length; index++) codes[start + index] = piece.charCodeAt(index);
  }
  return { codes, starts };
}

/**
 * Open addressing; 0 is an empty slot, everything else an id plus 1. Of equal pieces the last one counts.
 * @throws RangeError for pieces chosen to collide, which would take hours
 */
function buildTable(codes: Uint16Array, starts: Uint32Array): Int32Array {
  const count = starts.length - 1;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(count, 1) * ROOM)));
  const mask = slots.length - 1;
  let looks = 1_000 + count * MOST_LOOKS;
  for (let id = count - 1; id >= 0; id--) {
    const start = starts[id] ?? 0;
    const end = starts[id + 1] ?? 0;
    if (start === end) continue;
    let slot = hashOf(codes.subarray(start, end)) & mask;
    while (slots[slot] !== 0) {
      slot = (slot + 1) & mask;
      if (--looks < 0) throw new RangeError("The pieces of the vocabulary collide.");
    }
    slots[slot] = id + 1;
  }
  return slots;
}

/** A bit for every prefix of a piece, at its hash; others may share it. */
function filterBeginnings(codes: Uint16Array, starts: Uint32Array): Int32Array {
  const bits = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(codes.length, 4) * BITS)) / 32);
  const lastBit = bits.length * 32 - 1;
  for (let id = 0; id + 1 < starts.length; id++) {
    let hash = FIRST_HASH;
    for (let index = starts[id] ?? 0; index < (starts[id + 1] ?? 0); index++) {
      hash = mix(hash, codes[index] ?? 0);
      const bit = scatter(hash) & lastBit;
      bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }
  return bits;
}

const FIRST_HASH = 0x811c9dc5;

/** Its lowest bits are the slot where the search for a piece starts. @param codes code units of the piece */
export function hashOf(codes: Iterable<number>): number {
  let hash = FIRST_HASH;
  for (const code of codes) hash = mix(hash, code);
  return scatter(hash);
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

function scatter(hash: number): number {
  const value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** Code units of the character at a position; a lone surrogate counts as a character. */
function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
