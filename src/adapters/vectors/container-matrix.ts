import { AppError } from "../../core/errors.js";
import type { VectorChange } from "../../core/ports.js";
import { kindOf, type Unit, type UnitKind, type UnitSet } from "../../core/types.js";
import { type Candidates, COARSE_MARGIN } from "./candidates.js";
import { CLUSTERS, type Clusters, learnClusters, SAMPLED_ROWS } from "./clusters.js";
import { CHUNK_ROWS, MatrixRows, mostSpareRows, type RowChunk } from "./matrix-rows.js";
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
/** The group of the rows that belong to no cluster yet. */
const UNGROUPED = 0;
/** Together they have 4 % of the rows, and 92 to 99 % of the ten vectors that are most like another one, depending on the texts. */
const SEARCHED_CLUSTERS = 8;
/** As few as keep a turn within a millisecond with thousands of dimensions. */
const MOVED_PER_TURN = 4;

/** Upper bound of the memory that the vectors of a container take, in bytes. */
export function matrixBytes(rows: number, dimensions: number): number {
  const bytesPerVector = strideOf(dimensions) * (rows <= FINE_ROWS ? 2 : 1);
  return rows * (bytesPerVector + ROW_OVERHEAD_BYTES) + spareRows(rows) * bytesPerVector;
}

/** The maximum number of vectors of one container that fits into this many bytes. */
export function mostRows(bytes: number, dimensions: number): number {
  const stride = strideOf(dimensions);
  const many = Math.floor(bytes / (stride + ROW_OVERHEAD_BYTES));
  const fitting = many - Math.ceil((spareRows(many) * stride) / (stride + ROW_OVERHEAD_BYTES));
  if (fitting > FINE_ROWS) return fitting;
  return Math.min(Math.floor(bytes / (stride * 2 + ROW_OVERHEAD_BYTES)), FINE_ROWS);
}

/** A matrix that is loaded has no spare room until its rows are grouped. */
function spareRows(rows: number): number {
  return rows < GROUPED_FROM ? 0 : mostSpareRows(rows, CLUSTERS);
}

/** The vectors of one container as 8-bit numbers, row by row. Where there are many, those that are alike are kept together. */
export class ContainerMatrix {
  readonly #dimensions: number;
  readonly #stride: number;
  readonly #groupedFrom: number;
  readonly #rows: MatrixRows;
  /** Null until there are enough rows. The group of the first cluster, and how many rows there were when they were learned. */
  #grouping: { readonly clusters: Clusters; readonly firstGroup: number; readonly learnedFrom: number } | null = null;
  /** Rows added since. */
  #added = 0;
  /** Groups whose rows belong to no cluster, or to one of the clusters that were learned before. */
  #former: number[] = [UNGROUPED];
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
    return this.#isLearned
      ? this.#former.every((group) => this.#rows.lastOf(group) === undefined)
      : this.size < this.#groupedFrom;
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
   * Moves rows that are alike next to each other once there are many, so that `scan` can leave out what is unlike the query, and
   * anew when as many were added as there were. Yields several times per millisecond; rows may change meanwhile.
   */
  *group(): Generator<void, void> {
    if (this.isGrouped) return;
    if (!this.#isLearned) yield* this.#learn();
    for (let moved = 1; ; moved++) {
      const unit = this.#nextToMove();
      if (unit === undefined) return;
      const numbers = new Float64Array(this.#rows.coarseOf(this.#rows.of(unit)!));
      this.#version += 1;
      this.#rows.move(unit, this.#groupFor(numbers));
      if (moved % MOVED_PER_TURN === 0) yield;
    }
  }

  /** Whether there are clusters, and what was added since has hardly changed them. */
  get #isLearned(): boolean {
    return this.#grouping !== null && this.#added < this.#grouping.learnedFrom;
  }

  *#learn(): Generator<void, void> {
    const learnedFrom = this.size;
    const clusters = yield* learnClusters(this.#rows.copyEvenly(SAMPLED_ROWS), this.#stride);
    const before = this.#grouping?.firstGroup;
    if (before !== undefined) this.#former.push(...Array.from({ length: CLUSTERS }, (_, cluster) => before + cluster));
    // Two ranges of numbers in turns: the one before the last is empty by now.
    const firstGroup = before === 1 ? 1 + CLUSTERS : 1;
    this.#grouping = { clusters, firstGroup, learnedFrom };
    this.#added = 0;
  }

  /** A unit of a former group; undefined once all of them are empty. */
  #nextToMove(): Unit | undefined {
    for (let group = this.#former.at(-1); group !== undefined; group = this.#former.at(-1)) {
      const unit = this.#rows.lastOf(group);
      if (unit !== undefined || group === UNGROUPED) return unit;
      this.#former.pop();
    }
    return undefined;
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
    const units = candidates.best((row) => this.#rows.unitOf(row));
    if (!this.#rows.keepsFine) return units;
    for (const unit of units) {
      const cosine = this.#fineCosine(this.#rows.of(unit)!, query.vector);
      if (cosine >= top.floor) top.offer(unit, cosine);
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
    const row = this.#rows.add(unit, this.#groupFor(new Float64Array(vector)));
    this.#rows.setScale(row, Math.fround(quantise(vector, this.#rows.coarseOf(row), this.#rows.fineOf(row))));
    this.#added += 1;
  }

  /** Where the query is content with most of the nearest: the groups that have them, and what is not grouped yet. */
  #groupsFor({ vector, isApproximate }: ScanQuery): number[] | undefined {
    if (!isApproximate || this.#grouping === null) return undefined;
    const { clusters, firstGroup } = this.#grouping;
    const hasRows = (cluster: number): boolean => this.#rows.lastOf(firstGroup + cluster) !== undefined;
    const nearest = clusters.nearestOnes(vector, SEARCHED_CLUSTERS, hasRows);
    return [...this.#former, ...nearest.map((cluster) => firstGroup + cluster)];
  }

  #groupFor(vector: Float64Array): number {
    if (this.#grouping === null) return UNGROUPED;
    return this.#grouping.firstGroup + this.#grouping.clusters.nearest(vector);
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
