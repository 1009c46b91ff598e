import { AppError } from "../../core/errors.js";
import type { VectorChange } from "../../core/ports.js";
import { kindOf, type Unit, type UnitKind, type UnitSet } from "../../core/types.js";
import { type Candidates, COARSE_MARGIN } from "./candidates.js";
import { Clusters, learnClusters, SAMPLED_ROWS } from "./clusters.js";
import { CHUNK_ROWS, MatrixRows, type RowChunk } from "./matrix-rows.js";
import { FINE_STEPS, quantise } from "./quantise.js";
import { RowScores } from "./row-scores.js";
import type { TopHits } from "./top-hits.js";

/** What a scan looks for. */
export interface ScanQuery {
  /** Unit length. Double precision saves the inner loops a conversion per product. */
  readonly vector: Float64Array;
  readonly kinds: readonly UnitKind[];
  readonly among?: UnitSet | undefined;
  /** See `VectorQuery`. */
  readonly isApproximate?: boolean | undefined;
}

export interface ContainerMatrixOptions {
  /** Approximate number of rows to be loaded at once. */
  readonly expectedRows?: number;
  /** See `FINE_ROWS`. */
  readonly fineRows?: number;
  /** See `GROUPED_FROM`. */
  readonly groupedFrom?: number;
}

/** Bytes per row besides the vector: its unit, its scale and its map entry. */
const ROW_OVERHEAD_BYTES = 56;
/** Up to this many rows, the fine numbers are kept as well, so that scoring needs nothing from the record. */
export const FINE_ROWS = 20_000;
/** Up to this share of the rows, looking up the units of a filter one by one is faster than a full scan. */
const WORTH_LOOKING_UP = 1 / 16;
/** From this many rows on, rows that are alike are kept together; scoring all of them takes 2 ms. */
const GROUPED_FROM = 50_000;
/** The group of the rows that belong to no cluster yet; the group of a cluster is one above it. */
const UNGROUPED = 0;
/** Together they have 4 % of the rows, and 99 % of the ten vectors that are most like another one. */
const SEARCHED_CLUSTERS = 8;
/** Moving one takes about 15 µs. */
const MOVED_PER_TURN = 16;

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

/** The vectors of one container as 8-bit numbers, row by row. Where there are many, those that are alike are kept together. */
export class ContainerMatrix {
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #groupedFrom: number;
  readonly #rows: MatrixRows;
  /** Null until there are enough rows. */
  #clusters: Clusters | null = null;
  #version = 0;

  constructor(dimensions: number, options: ContainerMatrixOptions = {}) {
    const { expectedRows = 0, fineRows = FINE_ROWS, groupedFrom = GROUPED_FROM } = options;
    this.#dimensions = dimensions;
    this.#stride = strideOf(dimensions);
    this.#groupedFrom = groupedFrom;
    this.#rows = new MatrixRows({ stride: this.#stride, expectedRows, fineRows });
  }

  get size(): number {
    return this.#rows.size;
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
    return this.#rows.bytes + this.size * ROW_OVERHEAD_BYTES;
  }

  /** Whether there is nothing for `group` to do. */
  get isGrouped(): boolean {
    return this.#clusters === null ? this.size < this.#groupedFrom : this.#rows.lastOf(UNGROUPED) === undefined;
  }

  has(unit: Unit): boolean {
    return this.#rows.has(unit);
  }

  /** @throws AppError `corrupt` when the vector's size differs from the matrix's */
  apply(change: Pick<VectorChange, "unit" | "vector">): void {
    const { unit, vector } = change;
    if (vector !== null && vector.length !== this.#dimensions)
      throw damaged(`unit ${unit} has ${vector.length} dimensions instead of ${this.#dimensions}`);
    if (this.has(unit)) {
      this.#version += 1;
      this.#rows.remove(unit);
    }
    if (vector !== null) this.#append(unit, vector);
  }

  /**
   * Moves rows that are alike next to each other once there are many, so that `scan` can leave out what is unlike the query. Yields
   * several times per millisecond; rows may change meanwhile.
   */
  *group(): Generator<void, void> {
    if (this.isGrouped) return;
    this.#clusters ??= yield* learnClusters(this.#rows.copyEvenly(SAMPLED_ROWS), this.#stride);
    for (let moved = 1; ; moved++) {
      const unit = this.#rows.lastOf(UNGROUPED);
      if (unit === undefined) return;
      const numbers = new Float64Array(this.#rows.coarseOf(this.#rows.of(unit)!));
      this.#version += 1;
      this.#rows.move(unit, this.#groupFor(this.#clusters, numbers));
      if (moved % MOVED_PER_TURN === 0) yield;
    }
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
    let isFirst = true;
    for (const chunk of this.#rows.chunks(this.#groupsFor(query))) {
      if (!isFirst) yield;
      isFirst = false;
      const sums = scores.ofAll(chunk.coarse, chunk.units.length);
      collect(chunk, { sums, factor: scores.factor }, query, candidates);
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
      const row = this.#rows.of(unit);
      if (row === undefined || !kinds.includes(kindOf(unit))) continue;
      if (++scored % CHUNK_ROWS === 0) yield;
      const sum = scores.ofOne(this.#rows.chunkOf(row).coarse, this.#rows.offsetOf(row));
      const scale = this.#rows.scaleOf(row);
      const cosine = sum * scale * scores.factor;
      if (cosine + scale * COARSE_MARGIN >= candidates.floor) candidates.add(row, cosine, scale);
    }
  }

  /**
   * Scores the candidates with their fine cosines.
   * @returns the units that must be scored from the record because their fine numbers are not kept
   */
  settle(candidates: Candidates, query: ScanQuery, top: TopHits): Unit[] {
    const rows = candidates.best((row) => this.#rows.unitOf(row));
    if (!this.#rows.keepsFine) return rows.map((row) => this.#rows.unitOf(row));
    for (const row of rows) {
      const cosine = this.#fineCosine(row, query.vector);
      if (cosine >= top.floor) top.offer(this.#rows.unitOf(row), cosine);
    }
    return [];
  }

  #fineCosine(row: number, query: Float64Array): number {
    const coarse = this.#rows.coarseOf(row);
    const fine = this.#rows.fineOf(row)!;
    let high = 0;
    let low = 0;
    for (let at = 0; at < query.length; at++) {
      high += coarse[at]! * query[at]!;
      low += fine[at]! * query[at]!;
    }
    return (high + low / FINE_STEPS) * this.#rows.scaleOf(row);
  }

  /** Whether the matrix holds this vector for a unit, to within its precision. */
  holds(unit: Unit, vector: Float32Array): boolean {
    const row = this.#rows.of(unit);
    if (row === undefined || vector.length !== this.#dimensions) return false;
    const expected = new Int8Array(vector.length);
    const scale = Math.fround(quantise(vector, expected, null));
    const held = this.#rows.coarseOf(row);
    return scale === this.#rows.scaleOf(row) && expected.every((value, at) => value === held[at]);
  }

  /** Up to `count` distinct units chosen at random. */
  sampleUnits(count: number): Unit[] {
    return this.#rows.sampleUnits(count);
  }

  #append(unit: Unit, vector: Float32Array): void {
    const group = this.#clusters === null ? UNGROUPED : this.#groupFor(this.#clusters, new Float64Array(vector));
    const row = this.#rows.add(unit, group);
    this.#rows.setScale(row, Math.fround(quantise(vector, this.#rows.coarseOf(row), this.#rows.fineOf(row))));
  }

  /** Where the query is content with most of the nearest: the groups that have them, and what is not grouped yet. */
  #groupsFor({ vector, isApproximate }: ScanQuery): number[] | undefined {
    if (!isApproximate || this.#clusters === null) return undefined;
    return [UNGROUPED, ...this.#clusters.nearestOnes(vector, SEARCHED_CLUSTERS).map((cluster) => cluster + 1)];
  }

  #groupFor(clusters: Clusters, vector: Float64Array): number {
    return clusters.nearest(vector) + 1;
  }
}

function collect(
  { firstRow, units, scales }: RowChunk,
  { sums, factor }: { readonly sums: Int32Array; readonly factor: number },
  { kinds, among }: ScanQuery,
  candidates: Candidates,
): void {
  const margin = COARSE_MARGIN / factor;
  const isAnyKind = kinds.includes("chunk") && kinds.includes("memory");
  let threshold = candidates.floor / factor;
  for (let at = 0; at < sums.length; at++) {
    const scale = scales[at]!;
    if (scale * (sums[at]! + margin) < threshold) continue;
    const unit = units[at]!;
    if (!isAnyKind && !kinds.includes(kindOf(unit))) continue;
    if (among !== undefined && !among.has(unit)) continue;
    candidates.add(firstRow + at, sums[at]! * scale * factor, scale);
    threshold = candidates.floor / factor;
  }
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
