import type { Unit } from "../../core/types.js";

/** Rows per chunk; scoring them takes about 50 µs at 384 dimensions. */
export const CHUNK_ROWS = 1_024;
const LEAST_ROWS = 16;
/** The share of its rows for which a chunk has spare room after it has grown. */
const SPARE_SHARE = 1 / 8;

/** For how many rows there is spare room at most, with so many rows in so many groups of similar sizes. */
export function mostSpareRows(rows: number, groups: number): number {
  return Math.min(rows, groups * CHUNK_ROWS) * SPARE_SHARE;
}

/** Up to `CHUNK_ROWS` rows of one group, without gaps. */
export interface RowChunk {
  /** The number of its first row. */
  readonly firstRow: number;
  readonly group: number;
  coarse: Int8Array;
  /** The fine numbers of the same rows; null when there are too many rows. */
  fine: Int8Array | null;
  readonly units: Unit[];
  readonly scales: number[];
}

export interface MatrixRowsOptions {
  /** Numbers from one row to the next. */
  readonly stride: number;
  /** Approximate number of rows to be added at once. */
  readonly expectedRows: number;
  /** Up to this many rows, fine numbers are kept. */
  readonly fineRows: number;
}

/**
 * Rows of 8-bit numbers, one per unit, in groups that are stored together. Rows are numbered; removing one gives its number to
 * another row of the group.
 */
export class MatrixRows {
  readonly #options: MatrixRowsOptions;
  /** By the number of their first row; null where a chunk was removed. */
  readonly #chunks: (RowChunk | null)[] = [];
  /** The chunks of each group, all full except the last. */
  readonly #groups = new Map<number, RowChunk[]>();
  readonly #rows = new Map<Unit, number>();
  #keepsFine: boolean;

  constructor(options: MatrixRowsOptions) {
    this.#options = options;
    // Fine numbers that would be dropped on the way are not kept in the first place.
    this.#keepsFine = options.expectedRows <= options.fineRows;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Whether every row has its fine numbers. */
  get keepsFine(): boolean {
    return this.#keepsFine;
  }

  /** Bytes of the numbers, including spare room. */
  get bytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + (chunk?.coarse.length ?? 0) + (chunk?.fine?.length ?? 0), 0);
  }

  has(unit: Unit): boolean {
    return this.#rows.has(unit);
  }

  /** The number of a unit's row. */
  of(unit: Unit): number | undefined {
    return this.#rows.get(unit);
  }

  /** At most `count` rows, spread evenly over the chunks, as copies of their numbers. */
  copyEvenly(count: number): Int8Array[] {
    const spacing = Math.max(1, this.size / count);
    const copies: Int8Array[] = [];
    let seen = 0;
    for (const { firstRow, units } of this.chunks()) {
      for (
        let at = Math.ceil(copies.length * spacing);
        at < seen + units.length;
        at = Math.ceil(copies.length * spacing)
      )
        copies.push(this.coarseOf(firstRow + at - seen).slice());
      seen += units.length;
    }
    return copies;
  }

  /** Up to `count` distinct units chosen at random. */
  sampleUnits(count: number): Unit[] {
    const chunks = [...this.chunks()];
    const sample = new Set<Unit>();
    for (let draw = 0; draw < count && chunks.length > 0; draw++) sample.add(oneOf(oneOf(chunks).units));
    return [...sample];
  }

  /** The chunks of some groups, or of all. */
  *chunks(groups?: readonly number[]): Generator<RowChunk, void> {
    for (const group of groups ?? this.#groups.keys()) yield* this.#groups.get(group) ?? [];
  }

  chunkOf(row: number): RowChunk {
    return this.#chunks[(row / CHUNK_ROWS) | 0]!;
  }

  unitOf(row: number): Unit {
    return this.chunkOf(row).units[row % CHUNK_ROWS]!;
  }

  scaleOf(row: number): number {
    return this.chunkOf(row).scales[row % CHUNK_ROWS]!;
  }

  /** Where the numbers of a row begin in the arrays of its chunk. */
  offsetOf(row: number): number {
    return (row % CHUNK_ROWS) * this.#options.stride;
  }

  coarseOf(row: number): Int8Array {
    return this.#numbersOf(this.chunkOf(row).coarse, row);
  }

  fineOf(row: number): Int8Array | null {
    const { fine } = this.chunkOf(row);
    return fine === null ? null : this.#numbersOf(fine, row);
  }

  setScale(row: number, scale: number): void {
    this.chunkOf(row).scales[row % CHUNK_ROWS] = scale;
  }

  /** A unit in the last chunk of a group; undefined when the group is empty. */
  lastOf(group: number): Unit | undefined {
    return this.#groups.get(group)?.at(-1)?.units.at(-1);
  }

  /** Appends a row of zeros to a group. @returns its number */
  add(unit: Unit, group: number): number {
    if (this.size === this.#options.fineRows) this.#dropFine();
    const chunk = this.#chunkWithRoom(group);
    const row = chunk.firstRow + chunk.units.length;
    chunk.units.push(unit);
    chunk.scales.push(0);
    this.#rows.set(unit, row);
    return row;
  }

  /** Moves a row to the end of another group. */
  move(unit: Unit, group: number): void {
    const from = this.#rows.get(unit)!;
    const [coarse, fine, scale] = [this.coarseOf(from).slice(), this.fineOf(from)?.slice(), this.scaleOf(from)];
    this.remove(unit);
    const row = this.add(unit, group);
    this.coarseOf(row).set(coarse);
    if (fine !== undefined) this.fineOf(row)?.set(fine);
    this.setScale(row, scale);
  }

  /** Moves the last row of the group into the gap, so that the rows stay contiguous. */
  remove(unit: Unit): void {
    const row = this.#rows.get(unit)!;
    const chunks = this.#groups.get(this.chunkOf(row).group)!;
    const last = chunks.at(-1)!;
    const lastRow = last.firstRow + last.units.length - 1;
    this.coarseOf(row).set(this.coarseOf(lastRow));
    this.fineOf(row)?.set(this.fineOf(lastRow)!);
    this.setScale(row, this.scaleOf(lastRow));
    const moved = this.unitOf(lastRow);
    this.chunkOf(row).units[row % CHUNK_ROWS] = moved;
    this.#rows.set(moved, row);
    this.#rows.delete(unit);
    last.units.pop();
    last.scales.pop();
    if (last.units.length > 0) return this.#shrink(last);
    chunks.pop();
    this.#chunks[last.firstRow / CHUNK_ROWS] = null;
  }

  /** The last chunk of a group, or a new one when it is full. */
  #chunkWithRoom(group: number): RowChunk {
    const chunks = this.#groups.get(group) ?? [];
    this.#groups.set(group, chunks);
    const last = chunks.at(-1);
    if (last === undefined || last.units.length === CHUNK_ROWS) {
      const chunk = this.#newChunk(group);
      chunks.push(chunk);
      return chunk;
    }
    const held = last.coarse.length / this.#options.stride;
    if (last.units.length === held) this.#resize(last, withSpare(held));
    return last;
  }

  #newChunk(group: number): RowChunk {
    const { stride, expectedRows } = this.#options;
    const expected = group === 0 ? expectedRows - this.size : 0;
    const rows = Math.min(CHUNK_ROWS, Math.max(LEAST_ROWS, expected));
    const free = this.#chunks.indexOf(null);
    const at = free === -1 ? this.#chunks.length : free;
    const fine = this.#keepsFine ? new Int8Array(rows * stride) : null;
    const coarse = new Int8Array(rows * stride);
    const chunk = { firstRow: at * CHUNK_ROWS, group, coarse, fine, units: [], scales: [] };
    this.#chunks[at] = chunk;
    return chunk;
  }

  /** Once half of a chunk is spare, it is given up. */
  #shrink(chunk: RowChunk): void {
    const rows = withSpare(chunk.units.length);
    if (rows <= chunk.coarse.length / this.#options.stride / 2) this.#resize(chunk, rows);
  }

  #resize(chunk: RowChunk, rows: number): void {
    const resized = (numbers: Int8Array): Int8Array => {
      const copy = new Int8Array(rows * this.#options.stride);
      copy.set(numbers.subarray(0, copy.length));
      return copy;
    };
    chunk.coarse = resized(chunk.coarse);
    if (chunk.fine !== null) chunk.fine = resized(chunk.fine);
  }

  #dropFine(): void {
    this.#keepsFine = false;
    for (const chunk of this.#chunks) if (chunk !== null) chunk.fine = null;
  }

  #numbersOf(numbers: Int8Array, row: number): Int8Array {
    const offset = this.offsetOf(row);
    return numbers.subarray(offset, offset + this.#options.stride);
  }
}

function withSpare(rows: number): number {
  return Math.min(CHUNK_ROWS, rows + Math.max(LEAST_ROWS, Math.ceil(rows * SPARE_SHARE)));
}

function oneOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}
