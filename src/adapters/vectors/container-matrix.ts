import { AppError } from "../../core/errors.js";
import type { VectorChange } from "../../core/ports.js";
import { kindOf, type Unit, type UnitKind, type UnitSet } from "../../core/types.js";
import { type Candidates, COARSE_MARGIN } from "./candidates.js";
import { FINE_STEPS, quantise } from "./quantise.js";
import { RowScores } from "./row-scores.js";
import type { TopHits } from "./top-hits.js";

/** What a scan looks for. */
export interface ScanQuery {
  /** Unit length. Double precision saves the inner loops a conversion per product. */
  readonly vector: Float64Array;
  readonly kinds: readonly UnitKind[];
  readonly among?: UnitSet | undefined;
}

/** Rows per array; scoring them takes about 50 µs at 384 dimensions. */
const CHUNK_ROWS = 1_024;
const LEAST_ROWS = 16;
/** Bytes per row besides the vector: its unit, its scale and its map entry. */
const ROW_OVERHEAD_BYTES = 56;
/** Up to this many rows, the fine numbers are kept as well, so that scoring needs nothing from the record. */
export const FINE_ROWS = 20_000;
/** Up to this share of the rows, looking up the units of a filter one by one is faster than a full scan. */
const WORTH_LOOKING_UP = 1 / 16;

/** Memory that the vectors of a container take, in bytes. */
export function matrixBytes(rows: number, dimensions: number): number {
  return rows * (strideOf(dimensions) * (rows <= FINE_ROWS ? 2 : 1) + ROW_OVERHEAD_BYTES);
}

/** The maximum number of vectors of one container that fits into this many bytes. */
export function mostRows(bytes: number, dimensions: number): number {
  const many = Math.floor(bytes / (strideOf(dimensions) + ROW_OVERHEAD_BYTES));
  if (many > FINE_ROWS) return many;
  return Math.min(Math.floor(bytes / (strideOf(dimensions) * 2 + ROW_OVERHEAD_BYTES)), FINE_ROWS);
}

/** The vectors of one container as 8-bit numbers, row by row, with room to grow. */
export class ContainerMatrix {
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #fineRows: number;
  readonly #expectedRows: number;
  /** All full except the last. */
  readonly #coarse: Int8Array[] = [];
  /** The fine numbers of the same rows; null when there are too many rows. */
  #fine: Int8Array[] | null = [];
  readonly #units: Unit[] = [];
  readonly #scales: number[] = [];
  readonly #rows = new Map<Unit, number>();
  #version = 0;

  /**
   * @param expectedRows approximate number of rows to be loaded at once
   * @param fineRows see `FINE_ROWS`
   */
  constructor(dimensions: number, expectedRows = 0, fineRows = FINE_ROWS) {
    this.#dimensions = dimensions;
    this.#stride = strideOf(dimensions);
    this.#expectedRows = expectedRows;
    this.#fineRows = fineRows;
    // Fine numbers that would be dropped on the way are not kept in the first place.
    if (expectedRows > fineRows) this.#fine = null;
  }

  get size(): number {
    return this.#units.length;
  }

  /**
   * Changes whenever existing rows change. A scan during which this happens must restart; rows added meanwhile may or may not be
   * included.
   */
  get version(): number {
    return this.#version;
  }

  /** Bytes allocated, including spare room. */
  get bytes(): number {
    const numbers = [...this.#coarse, ...(this.#fine ?? [])].reduce((sum, chunk) => sum + chunk.length, 0);
    return numbers + this.size * ROW_OVERHEAD_BYTES;
  }

  has(unit: Unit): boolean {
    return this.#rows.has(unit);
  }

  /** @throws AppError `corrupt` when the vector's size differs from the matrix's */
  apply(change: Pick<VectorChange, "unit" | "vector">): void {
    if (this.has(change.unit)) this.#version += 1;
    if (change.vector === null) this.#remove(change.unit);
    else this.#upsert(change.unit, change.vector);
  }

  /**
   * Adds every row that the query admits and that reaches the floor of the candidates. Yields several times per millisecond; if
   * `version` has changed afterwards, discard the results so far.
   */
  *scan(query: ScanQuery, candidates: Candidates): Generator<void, void> {
    const scores = new RowScores(query.vector, this.#stride);
    const { among, kinds } = query;
    if (among !== undefined && among.size <= this.size * WORTH_LOOKING_UP) {
      yield* this.#scanChosen(among, kinds, scores, candidates);
      return;
    }
    for (let at = 0; at < this.#coarse.length; at++) {
      if (at > 0) yield;
      const firstRow = at * CHUNK_ROWS;
      const sums = scores.ofAll(this.#coarse[at]!, Math.min(CHUNK_ROWS, this.size - firstRow));
      this.#collect({ sums, factor: scores.factor, firstRow }, query, candidates);
    }
  }

  *#scanChosen(
    among: UnitSet,
    kinds: readonly UnitKind[],
    scores: RowScores,
    candidates: Candidates,
  ): Generator<void, void> {
    let scored = 0;
    for (const unit of among) {
      const row = this.#rows.get(unit);
      if (row === undefined || !kinds.includes(kindOf(unit))) continue;
      if (++scored % CHUNK_ROWS === 0) yield;
      const sum = scores.ofOne(this.#coarse[chunkOf(row)]!, this.#offsetOf(row));
      const scale = this.#scales[row]!;
      const cosine = sum * scale * scores.factor;
      if (cosine + scale * COARSE_MARGIN >= candidates.floor) candidates.add(row, cosine, scale);
    }
  }

  /**
   * Scores the candidates with their fine cosines.
   * @returns the units that must be scored from the record because their fine numbers are not kept
   */
  settle(candidates: Candidates, query: ScanQuery, top: TopHits): Unit[] {
    const rows = candidates.best(this.#units);
    if (this.#fine === null) return rows.map((row) => this.#units[row]!);
    for (const row of rows) {
      const cosine = this.#fineCosine(row, this.#fine, query.vector);
      if (cosine >= top.floor) top.offer(this.#units[row]!, cosine);
    }
    return [];
  }

  #fineCosine(row: number, fineChunks: readonly Int8Array[], query: Float64Array): number {
    const coarse = this.#coarse[chunkOf(row)]!;
    const fine = fineChunks[chunkOf(row)]!;
    const offset = this.#offsetOf(row);
    let high = 0;
    let low = 0;
    for (let at = 0; at < query.length; at++) {
      high += coarse[offset + at]! * query[at]!;
      low += fine[offset + at]! * query[at]!;
    }
    return (high + low / FINE_STEPS) * this.#scales[row]!;
  }

  /** Whether the matrix holds this vector for a unit, to within its precision. */
  holds(unit: Unit, vector: Float32Array): boolean {
    const row = this.#rows.get(unit);
    if (row === undefined || vector.length !== this.#dimensions) return false;
    const expected = new Int8Array(vector.length);
    const scale = Math.fround(quantise(vector, expected, null));
    const held = this.#numbersOf(this.#coarse, row);
    return scale === this.#scales[row] && expected.every((value, at) => value === held[at]);
  }

  /** Up to `count` distinct units chosen at random. */
  sampleUnits(count: number): Unit[] {
    const sample = new Set<Unit>();
    for (let draw = 0; draw < count && this.size > 0; draw++)
      sample.add(this.#units[Math.floor(Math.random() * this.size)]!);
    return [...sample];
  }

  #collect(
    { sums, factor, firstRow }: { sums: Int32Array; factor: number; firstRow: number },
    { kinds, among }: ScanQuery,
    candidates: Candidates,
  ): void {
    const margin = COARSE_MARGIN / factor;
    const isAnyKind = kinds.includes("chunk") && kinds.includes("memory");
    let threshold = candidates.floor / factor;
    for (let at = 0; at < sums.length; at++) {
      const scale = this.#scales[firstRow + at]!;
      if (scale * (sums[at]! + margin) < threshold) continue;
      const unit = this.#units[firstRow + at]!;
      if (!isAnyKind && !kinds.includes(kindOf(unit))) continue;
      if (among !== undefined && !among.has(unit)) continue;
      candidates.add(firstRow + at, sums[at]! * scale * factor, scale);
      threshold = candidates.floor / factor;
    }
  }

  #upsert(unit: Unit, vector: Float32Array): void {
    if (vector.length !== this.#dimensions)
      throw damaged(`unit ${unit} has ${vector.length} dimensions instead of ${this.#dimensions}`);
    const row = this.#rows.get(unit) ?? this.#append(unit);
    const fine = this.#fine === null ? null : this.#numbersOf(this.#fine, row);
    this.#scales[row] = Math.fround(quantise(vector, this.#numbersOf(this.#coarse, row), fine));
  }

  #append(unit: Unit): number {
    const row = this.size;
    if (row === this.#fineRows) this.#fine = null;
    this.#makeRoom(this.#coarse, row);
    if (this.#fine !== null) this.#makeRoom(this.#fine, row);
    this.#units.push(unit);
    this.#scales.push(0);
    this.#rows.set(unit, row);
    return row;
  }

  /** Grows the last chunk by half, up to the maximum number of rows. */
  #makeRoom(chunks: Int8Array[], row: number): void {
    const known = chunks[chunkOf(row)];
    if (known !== undefined && this.#offsetOf(row) < known.length) return;
    const held = (known?.length ?? 0) / this.#stride;
    const wanted = Math.max(LEAST_ROWS, this.#expectedRows - row, Math.ceil(held * 1.5));
    const grown = new Int8Array(
      Math.min(CHUNK_ROWS, row > LEAST_ROWS && held === 0 ? CHUNK_ROWS : wanted) * this.#stride,
    );
    if (known !== undefined) grown.set(known);
    chunks[chunkOf(row)] = grown;
  }

  /** Moves the last row into the gap, so that the rows stay contiguous. */
  #remove(unit: Unit): void {
    const row = this.#rows.get(unit);
    if (row === undefined) return;
    const last = this.size - 1;
    for (const chunks of [this.#coarse, this.#fine ?? []]) {
      if (chunks.length === 0) continue;
      this.#numbersOf(chunks, row).set(this.#numbersOf(chunks, last));
      if (last % CHUNK_ROWS === 0) chunks.pop();
    }
    this.#units[row] = this.#units[last]!;
    this.#scales[row] = this.#scales[last]!;
    this.#rows.set(this.#units[row], row);
    this.#units.pop();
    this.#scales.pop();
    this.#rows.delete(unit);
  }

  #numbersOf(chunks: readonly Int8Array[], row: number): Int8Array {
    const offset = this.#offsetOf(row);
    return chunks[chunkOf(row)]!.subarray(offset, offset + this.#stride);
  }

  #offsetOf(row: number): number {
    return (row % CHUNK_ROWS) * this.#stride;
  }
}

function chunkOf(row: number): number {
  return (row / CHUNK_ROWS) | 0;
}

/** Numbers from one row to the next; those beyond the dimensions are 0. */
function strideOf(dimensions: number): number {
  return Math.max(16, Math.ceil(dimensions / 16) * 16);
}

function damaged(detail: string): AppError {
  return new AppError(
    "corrupt",
    `The vectors in the record are damaged: ${detail}. Run "recollect doctor" to find out more.`,
  );
}
