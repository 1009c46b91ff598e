import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../core/errors.js";
import { decodeNumbers } from "./numbers.js";
import { BYTES_OF, readExactly, type Tensor } from "./safetensors.js";

/** Rows of numbers that stay on disk except for those in use. */
export interface VectorTable {
  readonly rows: number;
  readonly columns: number;
  /**
   * These rows, by row number. Do not change them.
   * @throws AppError `unavailable` when the file can no longer be read
   */
  read(wanted: Iterable<number>): Promise<ReadonlyMap<number, Float32Array>>;
}

/** Memory for rows in use, in bytes: in any language, some thousand tokens make up nearly all text. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Rows this close to each other are read in one go, including the gap. */
const NEAR_BYTES = 8 * 1024;
const LONGEST_READ = 256 * 1024;
const SLAB_BYTES = 128 * 1024;
/** Milliseconds; a read that takes longer came from the disk, while the system's cache takes microseconds. */
const QUICK_READ = 1;
/** Milliseconds after such a read in which reads no longer block on the disk. */
const COLD = 100;

/** The rows of a two-dimensional tensor, inside a file that stays open. */
export function openTable(handle: FileHandle, tensor: Tensor, keptBytes = KEPT_BYTES): VectorTable {
  return new TensorTable(handle, tensor, keptBytes);
}

class TensorTable implements VectorTable {
  readonly rows: number;
  readonly columns: number;
  readonly #handle: FileHandle;
  readonly #tensor: Tensor;
  readonly #rowBytes: number;
  readonly #kept: KeptRows;
  #coldUntil = 0;

  constructor(handle: FileHandle, tensor: Tensor, keptBytes: number) {
    const [rows = 0, columns = 0] = tensor.shape;
    this.rows = rows;
    this.columns = columns;
    this.#handle = handle;
    this.#tensor = tensor;
    this.#rowBytes = columns * BYTES_OF[tensor.type];
    this.#kept = new KeptRows(columns, keptBytes);
  }

  async read(wanted: Iterable<number>): Promise<ReadonlyMap<number, Float32Array>> {
    const found = new Map<number, Float32Array>();
    const missing: number[] = [];
    for (const row of new Set(wanted)) {
      const numbers = this.#kept.recall(row);
      if (numbers) found.set(row, numbers);
      else missing.push(row);
    }
    if (missing.length === 0) return found;
    try {
      for (const run of runsOf(missing, this.#rowBytes)) await this.#readRun(run, found);
    } catch (cause) {
      throw new AppError("unavailable", "The table of the embedding model can no longer be read. Start again.", {
        cause,
      });
    }
    return found;
  }

  async #readRun(run: readonly number[], found: Map<number, Float32Array>): Promise<void> {
    const rowBytes = this.#rowBytes;
    const first = run[0] ?? 0;
    const length = ((run.at(-1) ?? first) - first + 1) * rowBytes;
    const bytes = await this.#readBytes(this.#tensor.start + first * rowBytes, length);
    for (const row of run) {
      const start = (row - first) * rowBytes;
      found.set(row, this.#kept.keep(row, decodeNumbers(bytes.subarray(start, start + rowBytes), this.#tensor.type)));
    }
  }

  /** Synchronous while the file is cached, where a promise would take ten times as long as the read. */
  async #readBytes(start: number, length: number): Promise<Buffer> {
    const before = performance.now();
    if (before < this.#coldUntil) return readExactly(this.#handle, start, length);
    const bytes = Buffer.allocUnsafe(length);
    const count = readSync(this.#handle.fd, bytes, 0, length, start);
    const after = performance.now();
    if (after - before > QUICK_READ) this.#coldUntil = after + COLD;
    return count === length ? bytes : readExactly(this.#handle, start, length);
  }
}

/**
 * Recently used rows, in two halves: rows that are used move to the newer half, and when that is full the older one is dropped.
 */
class KeptRows {
  readonly #columns: number;
  readonly #half: number;
  readonly #slabRows: number;
  #newer = new Map<number, Float32Array>();
  #older = new Map<number, Float32Array>();
  #slab = new Float32Array(0);

  constructor(columns: number, keptBytes: number) {
    this.#columns = columns;
    this.#half = Math.max(1, Math.floor(keptBytes / (columns * BYTES_OF.F32) / 2));
    this.#slabRows = Math.max(1, Math.floor(SLAB_BYTES / (columns * BYTES_OF.F32)));
  }

  recall(row: number): Float32Array | undefined {
    const numbers = this.#newer.get(row);
    if (numbers !== undefined) return numbers;
    const old = this.#older.get(row);
    return old === undefined ? undefined : this.keep(row, old);
  }

  /** Copies into memory that many rows share, because separate allocations would keep the garbage collector busy. */
  keep(row: number, numbers: Float32Array): Float32Array {
    if (this.#newer.size >= this.#half) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#slab = new Float32Array(0);
    }
    if (this.#slab.length < this.#columns) this.#slab = new Float32Array(this.#slabRows * this.#columns);
    const kept = this.#slab.subarray(0, this.#columns);
    this.#slab = this.#slab.subarray(this.#columns);
    kept.set(numbers);
    this.#newer.set(row, kept);
    return kept;
  }
}

/** Groups neighbours, so that a cold disk is read less often. */
function runsOf(missing: readonly number[], rowBytes: number): number[][] {
  const runs: number[][] = [];
  const gap = Math.max(1, Math.floor(NEAR_BYTES / rowBytes));
  const longest = Math.max(1, Math.floor(LONGEST_READ / rowBytes));
  for (const row of [...missing].sort((one, other) => one - other)) {
    const run = runs.at(-1);
    const isNear = run !== undefined && row - (run.at(-1) ?? 0) <= gap && row - (run[0] ?? 0) < longest;
    if (isNear) run.push(row);
    else runs.push([row]);
  }
  return runs;
}
