import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../core/errors.js";
import { numbersOf } from "./numbers.js";
import { BYTES_OF, readExactly, type Tensor } from "./safetensors.js";

/** Rows of numbers that stay on disk but for those in use. */
export interface Table {
  readonly rows: number;
  readonly columns: number;
  /**
   * These rows, by their number. Nothing in it may be changed.
   * @throws AppError `unavailable` when the file can no longer be read
   */
  read(wanted: Iterable<number>): Promise<ReadonlyMap<number, Float32Array>>;
}

/** Memory for rows that were used, in bytes: in a language some thousand tokens make up nearly every text. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Rows that lie so near to each other are read in one go, gap included. */
const NEAR_BYTES = 8 * 1024;
const LONGEST_READ = 256 * 1024;
const SLAB_BYTES = 128 * 1024;
/** A read that takes longer, in milliseconds, went to the disk; what the system holds in memory takes microseconds. */
const QUICK_READ = 1;
/** For how long nobody waits for the disk after such a read, in milliseconds. */
const COLD = 100;

/** The rows of a tensor with two dimensions, inside a file that stays open. */
export function openTable(handle: FileHandle, tensor: Tensor, keptBytes = KEPT_BYTES): Table {
  const [rows = 0, columns = 0] = tensor.shape;
  const rowBytes = columns * BYTES_OF[tensor.type];
  // Two halves: what is asked for moves to the newer one, and when that is full the older one is let go.
  const half = Math.max(1, Math.floor(keptBytes / (columns * BYTES_OF.F32) / 2));
  let newer = new Map<number, Float32Array>();
  let older = new Map<number, Float32Array>();

  const slabRows = Math.max(1, Math.floor(SLAB_BYTES / (columns * BYTES_OF.F32)));
  let slab = new Float32Array(0);

  /** A copy in memory that many rows share, as one piece of memory for each would keep the collector of garbage busy. */
  function keep(row: number, numbers: Float32Array): Float32Array {
    if (newer.size >= half) {
      older = newer;
      newer = new Map();
      slab = new Float32Array(0);
    }
    if (slab.length < columns) slab = new Float32Array(slabRows * columns);
    const kept = slab.subarray(0, columns);
    slab = slab.subarray(columns);
    kept.set(numbers);
    newer.set(row, kept);
    return kept;
  }

  function recall(row: number): Float32Array | undefined {
    const numbers = newer.get(row);
    if (numbers !== undefined) return numbers;
    const old = older.get(row);
    return old === undefined ? undefined : keep(row, old);
  }

  let coldUntil = 0;

  /** At once while the file lies in memory, where a promise would take ten times as long as the reading. */
  async function readBytes(start: number, length: number): Promise<Buffer> {
    const before = performance.now();
    if (before < coldUntil) return readExactly(handle, start, length);
    const bytes = Buffer.allocUnsafe(length);
    const count = readSync(handle.fd, bytes, 0, length, start);
    const after = performance.now();
    if (after - before > QUICK_READ) coldUntil = after + COLD;
    return count === length ? bytes : readExactly(handle, start, length);
  }

  async function readRun(run: readonly number[], found: Map<number, Float32Array>): Promise<void> {
    const first = run[0] ?? 0;
    const length = ((run.at(-1) ?? first) - first + 1) * rowBytes;
    const bytes = await readBytes(tensor.start + first * rowBytes, length);
    for (const row of run) {
      const start = (row - first) * rowBytes;
      found.set(row, keep(row, numbersOf(bytes.subarray(start, start + rowBytes), tensor.type)));
    }
  }

  /** Neighbours together, so that a cold disk is asked seldom. */
  function runsOf(missing: readonly number[]): number[][] {
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

  return {
    rows,
    columns,
    async read(wanted) {
      const found = new Map<number, Float32Array>();
      const missing: number[] = [];
      for (const row of new Set(wanted)) {
        const numbers = recall(row);
        if (numbers) found.set(row, numbers);
        else missing.push(row);
      }
      if (missing.length === 0) return found;
      try {
        for (const run of runsOf(missing)) await readRun(run, found);
      } catch (cause) {
        throw new AppError("unavailable", "The table of the embedding model can no longer be read. Start again.", {
          cause,
        });
      }
      return found;
    },
  };
}
