import { AppError } from "../../core/errors.js";
import type { ContainerVectors, VectorChange } from "../../core/ports.js";
import { kindOf, type Unit, type UnitKind } from "../../core/types.js";
import type { TopHits } from "./top-hits.js";

/** What a scan looks for. */
export interface ScanQuery {
  /** Length 1. Kept in double precision, which spares the inner loop a conversion per product. */
  readonly vector: Float64Array;
  readonly kinds: readonly UnitKind[];
  readonly among?: ReadonlySet<Unit> | undefined;
}

const FLOAT_BYTES = 4;
/** Bytes a row needs besides its vector: its unit, its kind and its place in the map. */
const ROW_OVERHEAD_BYTES = 60;

/** Bytes that the vectors of a container take in memory. */
export function matrixBytes(rows: number, dimensions: number): number {
  return rows * (dimensions * FLOAT_BYTES + ROW_OVERHEAD_BYTES);
}

/** The vectors of one container, row by row, with room to grow. */
export class ContainerMatrix {
  readonly #dimensions: number;
  readonly #rows = new Map<Unit, number>();
  #values: Float32Array;
  #units: Float64Array;
  #isMemory: Uint8Array;

  /**
   * Takes over `vectors.matrix`; the caller must not change it afterwards.
   * @throws AppError `corrupt` when the matrix does not hold one vector per unit
   */
  constructor(dimensions: number, vectors: Pick<ContainerVectors, "units" | "matrix">) {
    if (vectors.matrix.length !== vectors.units.length * dimensions) {
      throw damaged(`${vectors.matrix.length} numbers for ${vectors.units.length} vectors of ${dimensions}`);
    }
    this.#dimensions = dimensions;
    this.#values = vectors.matrix;
    this.#units = Float64Array.from(vectors.units);
    this.#isMemory = Uint8Array.from(vectors.units, kindBit);
    vectors.units.forEach((unit, row) => this.#rows.set(unit, row));
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Bytes held, spare room included. */
  get bytes(): number {
    return matrixBytes(this.#units.length, this.#dimensions);
  }

  has(unit: Unit): boolean {
    return this.#rows.has(unit);
  }

  /** @throws AppError `corrupt` when the vector has another size than the matrix */
  apply(change: Pick<VectorChange, "unit" | "vector">): void {
    if (change.vector === null) this.#remove(change.unit);
    else this.#upsert(change.unit, change.vector);
  }

  /** Offers every vector that the query admits. */
  scan(query: ScanQuery, top: TopHits): void {
    const wanted = wantedBits(query.kinds);
    if (query.among !== undefined && query.among.size < this.size / 2) {
      for (const unit of query.among) {
        const row = this.#rows.get(unit);
        if (row !== undefined && admits(wanted, this.#isMemory[row]!)) this.#offer(row, query.vector, top);
      }
      return;
    }
    for (let row = 0; row < this.size; row++) {
      if (!admits(wanted, this.#isMemory[row]!)) continue;
      if (query.among !== undefined && !query.among.has(this.#units[row]!)) continue;
      this.#offer(row, query.vector, top);
    }
  }

  /** The vector of a unit, or null. */
  vectorOf(unit: Unit): Float32Array | null {
    const row = this.#rows.get(unit);
    if (row === undefined) return null;
    return this.#values.slice(row * this.#dimensions, (row + 1) * this.#dimensions);
  }

  /** Some units chosen at random, at most `count`, each once. */
  sampleUnits(count: number): Unit[] {
    const sample = new Set<Unit>();
    for (let draw = 0; draw < count && this.size > 0; draw++) {
      sample.add(this.#units[Math.floor(Math.random() * this.size)]!);
    }
    return [...sample];
  }

  #offer(row: number, vector: Float64Array, top: TopHits): void {
    const cosine = dotProduct(this.#values, row * this.#dimensions, vector);
    if (cosine >= top.floor) top.offer(this.#units[row]!, cosine);
  }

  #upsert(unit: Unit, vector: Float32Array): void {
    if (vector.length !== this.#dimensions) {
      throw damaged(`unit ${unit} has ${vector.length} dimensions instead of ${this.#dimensions}`);
    }
    let row = this.#rows.get(unit);
    if (row === undefined) {
      row = this.size;
      if (row === this.#units.length) this.#grow();
      this.#rows.set(unit, row);
      this.#units[row] = unit;
      this.#isMemory[row] = kindBit(unit);
    }
    this.#values.set(vector, row * this.#dimensions);
  }

  /** The last row moves into the gap, so that the rows stay without holes. */
  #remove(unit: Unit): void {
    const row = this.#rows.get(unit);
    if (row === undefined) return;
    const last = this.size - 1;
    this.#rows.delete(unit);
    if (row === last) return;
    const moved = this.#units[last]!;
    this.#values.copyWithin(row * this.#dimensions, last * this.#dimensions, (last + 1) * this.#dimensions);
    this.#units[row] = moved;
    this.#isMemory[row] = this.#isMemory[last]!;
    this.#rows.set(moved, row);
  }

  #grow(): void {
    const capacity = Math.max(16, this.#units.length * 2);
    const values = new Float32Array(capacity * this.#dimensions);
    const units = new Float64Array(capacity);
    const isMemory = new Uint8Array(capacity);
    values.set(this.#values);
    units.set(this.#units);
    isMemory.set(this.#isMemory);
    this.#values = values;
    this.#units = units;
    this.#isMemory = isMemory;
  }
}

/** Sum of products of `vector` with the numbers of `values` from `offset` on. */
export function dotProduct(values: Float32Array, offset: number, vector: Float64Array): number {
  const length = vector.length;
  const whole = length - (length % 4);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let at = 0; at < whole; at += 4) {
    first += values[offset + at]! * vector[at]!;
    second += values[offset + at + 1]! * vector[at + 1]!;
    third += values[offset + at + 2]! * vector[at + 2]!;
    fourth += values[offset + at + 3]! * vector[at + 3]!;
  }
  for (let at = whole; at < length; at++) first += values[offset + at]! * vector[at]!;
  return first + second + third + fourth;
}

function kindBit(unit: Unit): number {
  return kindOf(unit) === "memory" ? 1 : 0;
}

function wantedBits(kinds: readonly UnitKind[]): number {
  return (kinds.includes("chunk") ? 1 : 0) | (kinds.includes("memory") ? 2 : 0);
}

function admits(wanted: number, bit: number): boolean {
  return (wanted & (1 << bit)) !== 0;
}

function damaged(detail: string): AppError {
  return new AppError(
    "corrupt",
    `The vectors in the record are damaged: ${detail}. Run "recollect doctor" to find out more.`,
  );
}
