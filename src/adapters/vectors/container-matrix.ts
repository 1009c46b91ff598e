import { AppError } from "../../core/errors.js";
import type { VectorChange } from "../../core/ports.js";
import { kindOf, type Unit, type UnitKind, type UnitSet } from "../../core/types.js";
import { type Candidates, COARSE_MARGIN } from "./candidates.js";
import { FINE_STEPS, quantise, restOfQuery } from "./quantise.js";
import type { ScanThread } from "./scan-thread.js";
import type { TopHits } from "./top-hits.js";
import { UnitRows } from "./unit-rows.js";
import { BLOCK_ROWS, type VectorArena } from "./vector-arena.js";

/** What a scan looks for. */
export interface ScanQuery {
  /** Length 1. Kept in double precision, which spares the inner loops a conversion per product. */
  readonly vector: Float64Array;
  readonly kinds: readonly UnitKind[];
  readonly among?: UnitSet | undefined;
}

/** Memory that the matrices of one size share. */
export interface MatrixArenas {
  readonly coarse: VectorArena;
  readonly fine: VectorArena;
}

/** Bytes a row needs besides its vector: its unit, its scale and its place in the map. */
const ROW_OVERHEAD_BYTES = 30;
/** Up to so many rows, the finer half of the numbers is kept too, so that scoring needs nothing from the record. */
export const FINE_ROWS = 20_000;
/** Looking up the units of a filter one by one is quicker than scanning everything up to this share. */
const WORTH_LOOKING_UP = 1 / 16;

/** Bytes that the vectors of a container take in memory. */
export function matrixBytes(rows: number, dimensions: number): number {
  const stride = Math.max(16, Math.ceil(dimensions / 16) * 16);
  const planes = rows <= FINE_ROWS ? 2 : 1;
  return Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS * stride * planes + rows * ROW_OVERHEAD_BYTES;
}

/** The most vectors of one container that take no more than these bytes. */
export function mostRows(bytes: number, dimensions: number): number {
  const bytesOfOne = matrixBytes(BLOCK_ROWS, dimensions) / BLOCK_ROWS;
  const bytesOfMany = matrixBytes(FINE_ROWS + BLOCK_ROWS, dimensions) / (FINE_ROWS + BLOCK_ROWS);
  const many = bytes / bytesOfMany;
  return Math.floor(many > FINE_ROWS ? many : Math.min(bytes / bytesOfOne, FINE_ROWS));
}

/** The vectors of one container as 8-bit numbers, row by row, with room to grow. */
export class ContainerMatrix {
  readonly #arena: VectorArena;
  /** Apart from the others, so that those follow each other. */
  readonly #fineArena: VectorArena;
  readonly #rows = new UnitRows();
  readonly #fineRows: number;
  #blocks = new Int32Array(4);
  #blockCount = 0;
  /** The finer numbers of the same rows; null when there are too many rows. */
  #fine: number[] | null = [];
  #scales = new Float32Array(16);
  #version = 0;

  /**
   * @param arenas of the same size: for the numbers that are scanned, and for the finer ones
   * @param fineRows see `FINE_ROWS`
   */
  constructor(arenas: MatrixArenas, fineRows = FINE_ROWS) {
    this.#arena = arenas.coarse;
    this.#fineArena = arenas.fine;
    this.#fineRows = fineRows;
  }

  get size(): number {
    return this.#rows.size;
  }

  /**
   * Another one after each change of what was there before. A scan that saw such a change on its way has to begin again; what
   * was added meanwhile it may have or not.
   */
  get version(): number {
    return this.#version;
  }

  /** Bytes held, spare room included. */
  get bytes(): number {
    const planes = this.#fine === null ? 1 : 2;
    return this.#blockCount * this.#arena.blockBytes * planes + this.#rows.units.length * ROW_OVERHEAD_BYTES;
  }

  has(unit: Unit): boolean {
    return this.#rows.find(unit) >= 0;
  }

  /** @throws AppError `corrupt` when the vector has another size than the matrix */
  apply(change: Pick<VectorChange, "unit" | "vector">): void {
    if (this.has(change.unit)) this.#version += 1;
    if (change.vector === null) this.#remove(change.unit);
    else this.#upsert(change.unit, change.vector);
  }

  /** Gives the memory back; the matrix is empty afterwards. */
  release(): void {
    this.#version += 1;
    for (const address of this.#blocks.subarray(0, this.#blockCount)) this.#arena.give(address >>> 0);
    for (const address of this.#fine ?? []) this.#fineArena.give(address);
    this.#blockCount = 0;
    this.#fine = [];
    this.#rows.clear();
  }

  /**
   * Adds every row that the query admits and that reaches the floor of the candidates. Yields about once a millisecond;
   * when `version` is another one afterwards, what was found so far is worth nothing.
   */
  *scan(query: ScanQuery, candidates: Candidates): Generator<void, void> {
    const chosen = this.#chosenRows(query);
    const step = this.#arena.blocksPerCall;
    if (chosen === null) {
      for (let from = 0; from < this.#blockCount; from += step) {
        if (from > 0) yield;
        const factor = this.#arena.ask(query.vector);
        const sums = this.#arena.score(
          this.#blocks.subarray(from, Math.min(from + step, this.#blockCount)),
          BLOCK_ROWS,
        );
        this.#collect({ sums, factor, firstRow: from * BLOCK_ROWS, end: this.size }, query, candidates);
      }
      return;
    }
    for (let from = 0; from < chosen.length; from += step * BLOCK_ROWS) {
      if (from > 0) yield;
      const rows = chosen.subarray(from, from + step * BLOCK_ROWS);
      const factor = this.#arena.ask(query.vector);
      const sums = this.#arena.score(
        rows.map((row) => addressOf(this.#blocks, row, this.#arena.stride)),
        1,
      );
      this.#collectChosen({ sums, factor, rows }, candidates);
    }
  }

  /**
   * Does the same for all rows in a thread.
   * @returns whether it was done, or null where it is better done here; `version` counts as with `scan`
   */
  scanBeside(query: ScanQuery, candidates: Candidates, thread: ScanThread): Promise<boolean> | null {
    const isLittle = this.#blockCount * this.#arena.blockBytes < thread.leastBytes;
    return isLittle || this.#isWorthLookingUp(query) || !thread.wake()
      ? null
      : this.#scanBeside(query, candidates, thread);
  }

  async #scanBeside(query: ScanQuery, candidates: Candidates, thread: ScanThread): Promise<boolean> {
    const version = this.#version;
    const end = this.size;
    const beside = await this.#arena.scoreBeside(thread, this.#blocks.slice(0, this.#blockCount), query.vector);
    if (beside === null) return false;
    if (version === this.#version) this.#collect({ ...beside, firstRow: 0, end }, query, candidates);
    beside.done();
    return true;
  }

  /**
   * Offers the candidates with their finer cosines.
   * @returns the units that the record has to score, because the finer numbers are not kept
   */
  settle(candidates: Candidates, query: ScanQuery, top: TopHits): Unit[] {
    const { units } = this.#rows;
    const rows = candidates.best(units);
    if (this.#fine === null) return rows.map((row) => units[row]!);
    const cosines = this.#fineCosines(rows, this.#fine, query.vector);
    for (let at = 0; at < rows.length; at++) if (cosines[at]! >= top.floor) top.offer(units[rows[at]!]!, cosines[at]!);
    return [];
  }

  #fineCosines(rows: readonly number[], fine: readonly number[], query: Float64Array): Float64Array {
    const cosines = new Float64Array(rows.length);
    const most = this.#arena.blocksPerCall * BLOCK_ROWS;
    for (let from = 0; from < rows.length; from += most) {
      const some = rows.slice(from, from + most);
      const [low, factor] = sumsAt(this.#fineArena, fine, some, query);
      const high = sumsAt(this.#arena, this.#blocks, some, query)[0].slice();
      const [rest, restFactor] = sumsAt(this.#arena, this.#blocks, some, restOfQuery(query, factor));
      for (let at = 0; at < some.length; at++) {
        const product = (high[at]! + low[at]! / FINE_STEPS) * factor + rest[at]! * restFactor;
        cosines[from + at] = product * this.#scales[some[at]!]!;
      }
    }
    return cosines;
  }

  /** Whether the matrix holds this vector for a unit, as exactly as it holds any. */
  holds(unit: Unit, vector: Float32Array): boolean {
    const row = this.#rows.find(unit);
    if (row < 0 || vector.length !== this.#arena.dimensions) return false;
    const expected = new Int8Array(vector.length);
    const scale = Math.fround(quantise(vector, expected, null));
    const held = this.#coarseAt(row);
    return scale === this.#scales[row] && expected.every((value, at) => value === held[at]);
  }

  /** Some units chosen at random, at most `count`, each once. */
  sampleUnits(count: number): Unit[] {
    const sample = new Set<Unit>();
    for (let draw = 0; draw < count && this.size > 0; draw++) {
      sample.add(this.#rows.units[Math.floor(Math.random() * this.size)]!);
    }
    return [...sample];
  }

  /** The rows of a small filter; null when everything is to be scanned. */
  #chosenRows(query: ScanQuery): Int32Array | null {
    if (!this.#isWorthLookingUp(query)) return null;
    const { among = new Set<Unit>(), kinds } = query;
    const rows = new Int32Array(among.size);
    let count = 0;
    for (const unit of among) {
      const row = this.#rows.find(unit);
      if (row >= 0 && kinds.includes(kindOf(unit))) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  #isWorthLookingUp({ among }: ScanQuery): boolean {
    return among !== undefined && among.size <= this.size * WORTH_LOOKING_UP;
  }

  #collect(
    { sums, factor, firstRow, end }: { sums: Int32Array; factor: number; firstRow: number; end: number },
    { kinds, among }: ScanQuery,
    candidates: Candidates,
  ): void {
    const scales = this.#scales;
    const { units } = this.#rows;
    const margin = COARSE_MARGIN / factor;
    const isAnyKind = kinds.includes("chunk") && kinds.includes("memory");
    const last = Math.min(firstRow + sums.length, end);
    let threshold = candidates.floor / factor;
    for (let row = firstRow; row < last; row++) {
      const scale = scales[row]!;
      const sum = sums[row - firstRow]!;
      if (scale * (sum + margin) < threshold) continue;
      const unit = units[row]!;
      if (!isAnyKind && !kinds.includes(kindOf(unit))) continue;
      if (among !== undefined && !among.has(unit)) continue;
      candidates.add(row, sum * scale * factor, scale);
      threshold = candidates.floor / factor;
    }
  }

  #collectChosen(
    { sums, factor, rows }: { sums: Int32Array; factor: number; rows: Int32Array },
    candidates: Candidates,
  ): void {
    const margin = COARSE_MARGIN / factor;
    let threshold = candidates.floor / factor;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      const scale = this.#scales[row]!;
      if (scale * (sums[at]! + margin) < threshold) continue;
      candidates.add(row, sums[at]! * scale * factor, scale);
      threshold = candidates.floor / factor;
    }
  }

  #upsert(unit: Unit, vector: Float32Array): void {
    if (vector.length !== this.#arena.dimensions) {
      throw damaged(`unit ${unit} has ${vector.length} dimensions instead of ${this.#arena.dimensions}`);
    }
    const known = this.#rows.find(unit);
    const row = known < 0 ? this.#append(unit) : known;
    this.#scales[row] = quantise(vector, this.#coarseAt(row), this.#fineAt(row));
  }

  #append(unit: Unit): number {
    const row = this.size;
    if (row === this.#fineRows) this.#dropFine();
    if (row === this.#blockCount * BLOCK_ROWS) this.#addBlock();
    if (row === this.#scales.length) this.#scales = resized(Float32Array, this.#scales);
    return this.#rows.append(unit);
  }

  #addBlock(): void {
    if (this.#blockCount === this.#blocks.length) this.#blocks = resized(Int32Array, this.#blocks);
    const coarse = this.#arena.take();
    try {
      this.#fine?.push(this.#fineArena.take());
    } catch (error) {
      this.#arena.give(coarse);
      throw error;
    }
    this.#blocks[this.#blockCount++] = coarse;
  }

  #dropFine(): void {
    for (const address of this.#fine ?? []) this.#fineArena.give(address);
    this.#fine = null;
  }

  /** The last row moves into the gap, so that the rows stay without holes. */
  #remove(unit: Unit): void {
    const row = this.#rows.find(unit);
    if (row < 0) return;
    const last = this.size - 1;
    this.#rows.remove(row);
    if (row !== last) this.#move(last, row);
    if (last % BLOCK_ROWS !== 0) return;
    this.#arena.give(this.#blocks[--this.#blockCount]! >>> 0);
    const fine = this.#fine?.pop();
    if (fine !== undefined) this.#fineArena.give(fine);
  }

  #move(from: number, to: number): void {
    this.#coarseAt(to).set(this.#coarseAt(from));
    if (this.#fine !== null) this.#fineAt(to)!.set(this.#fineAt(from)!);
    this.#scales[to] = this.#scales[from]!;
  }

  #coarseAt(row: number): Int8Array {
    const { values, stride } = this.#arena;
    const address = addressOf(this.#blocks, row, stride) >>> 0;
    return values.subarray(address, address + stride);
  }

  #fineAt(row: number): Int8Array | null {
    if (this.#fine === null) return null;
    const { values, stride } = this.#fineArena;
    const address = addressOf(this.#fine, row, stride) >>> 0;
    return values.subarray(address, address + stride);
  }
}

/** A copy with room for half as many again. */
function resized<T extends Float32Array | Int32Array>(Type: new (length: number) => T, values: T): T {
  const larger = new Type(Math.ceil(values.length * 1.5));
  larger.set(values);
  return larger;
}

/** Sums of products of the query with some rows, until the arena is asked again, and what they are multiplied with. */
function sumsAt(
  arena: VectorArena,
  blocks: ArrayLike<number>,
  rows: readonly number[],
  query: Float64Array,
): readonly [sums: Int32Array, factor: number] {
  const factor = arena.ask(query);
  const addresses = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at++) addresses[at] = addressOf(blocks, rows[at]!, arena.stride);
  return [arena.score(addresses, 1), factor];
}

/** As a number of 32 bits, which is negative from 2 GB on. */
function addressOf(blocks: ArrayLike<number>, row: number, stride: number): number {
  return (blocks[(row / BLOCK_ROWS) | 0]! + (row % BLOCK_ROWS) * stride) | 0;
}

function damaged(detail: string): AppError {
  return new AppError(
    "corrupt",
    `The vectors in the record are damaged: ${detail}. Run "recollect doctor" to find out more.`,
  );
}
