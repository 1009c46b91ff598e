import { createKernel, type DotKernel, type KernelMemory } from "./dot-kernel.js";
import { dotWhole, quantiseQuery } from "./quantise.js";
import type { ScanThread } from "./scan-thread.js";

/** Rows that are taken and given back together. */
export const BLOCK_ROWS = 8;

const PAGE_BYTES = 65_536;
/** Memory is asked for in steps of so many pages, or an eighth of what there is. */
const LEAST_GROWTH_PAGES = 16;
/** So much is scored by one call; takes about a millisecond. */
const MOST_BYTES_A_CALL = 16 * 1024 * 1024;
const MOST_ROWS_A_CALL = 32_768;
/** What addresses of 32 bits reach, with room for one more step of growth. */
export const MOST_ARENA_BYTES = 3.5 * 1024 * 1024 * 1024;

/** A part of what two threads score together; takes a quarter of a millisecond. */
const BYTES_OF_A_PART = 2 * 1024 * 1024;
/** Room for how much of a score is taken; what lies behind it stays where it is best. */
const TAKEN_BYTES = 64;

/** One score that is under way in a thread, and one that waits for it to end; more would only wait longer. */
const MOST_SCRATCHES = 2;

/** Place in the memory for what a thread is given and gives. */
interface Scratch {
  readonly address: number;
  /** Blocks that it has room for. */
  readonly blocks: number;
}

/** Sums that a thread computed. */
export interface SumsBeside {
  /** In the order of the blocks; they hold until `done` is called, once. */
  readonly sums: Int32Array;
  /** See `ask`. */
  readonly factor: number;
  done(): void;
}

/** Where the rows of one space lie, and the arithmetic on them. */
interface Engine {
  readonly memory: KernelMemory;
  readonly score: DotKernel;
}

/**
 * Rows of 8-bit numbers of one size, in blocks at addresses of one memory, which grows and never shrinks. Scored by
 * SIMD where there is any, else by plain code with the same results.
 */
export class VectorArena {
  readonly dimensions: number;
  /** Bytes from one row of a block to the next. The bytes behind the dimensions are 0. */
  readonly stride: number;
  readonly #engine: Engine | null;
  #values: Int8Array;
  /** Everything above was never handed out. */
  #end: number;
  /** Addresses that were given back. */
  readonly #free: number[] = [];
  #isSorted = true;
  /** Places of the list of addresses, the query and the sums, in this order from 0 on. */
  readonly #queryAt: number;
  readonly #sumsAt: number;
  readonly #rowsPerCall: number;
  readonly #query: Int16Array;
  readonly #plainSums: Int32Array;
  readonly #scratches: Scratch[] = [];
  #scratchCount = 0;
  readonly #wantScratch: (() => void)[] = [];

  /** @param kernel null for the plain code; tests compare the two */
  constructor(dimensions: number, kernel: Engine | null = createKernel()) {
    this.dimensions = dimensions;
    this.stride = Math.max(16, Math.ceil(dimensions / 16) * 16);
    const rows = Math.floor(MOST_BYTES_A_CALL / this.stride / BLOCK_ROWS) * BLOCK_ROWS;
    this.#rowsPerCall = Math.min(MOST_ROWS_A_CALL, Math.max(BLOCK_ROWS, rows));
    this.#query = new Int16Array(this.stride);
    this.#engine = kernel;
    this.#plainSums = new Int32Array(kernel === null ? this.#rowsPerCall : 0);
    this.#queryAt = kernel === null ? 0 : this.#rowsPerCall * 4;
    this.#sumsAt = kernel === null ? 0 : this.#queryAt + this.stride * 2;
    this.#end = kernel === null ? 0 : this.#sumsAt + this.#rowsPerCall * 4;
    this.#values = new Int8Array(kernel?.memory.buffer ?? new ArrayBuffer(0));
    this.#reserve(this.#end);
  }

  /** Whether rows are scored by SIMD. */
  get isFast(): boolean {
    return this.#engine !== null;
  }

  get blockBytes(): number {
    return this.stride * BLOCK_ROWS;
  }

  /** Numbers by address; another array after each `take`. */
  get values(): Int8Array {
    return this.#values;
  }

  /** The most addresses of blocks that `score` takes. */
  get blocksPerCall(): number {
    return this.#rowsPerCall / BLOCK_ROWS;
  }

  /**
   * The lowest addresses are taken first: scanning blocks that follow each other takes half as long.
   * @returns the address of a block for `BLOCK_ROWS` rows, whose content is whatever lay there before
   * @throws RangeError when there is no memory left
   */
  take(): number {
    if (!this.#isSorted) this.#free.sort((left, right) => right - left);
    this.#isSorted = true;
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const address = this.#end;
    this.#reserve(address + this.blockBytes);
    this.#end = address + this.blockBytes;
    return address;
  }

  give(address: number): void {
    this.#isSorted &&= this.#free.length === 0 || address < this.#free.at(-1)!;
    this.#free.push(address);
  }

  /** Sets the query of the following calls of `score`. @returns what a sum is multiplied with; see `quantiseQuery` */
  ask(query: Float64Array): number {
    const factor = quantiseQuery(query, this.#query);
    if (this.#engine !== null) new Int16Array(this.#engine.memory.buffer, this.#queryAt).set(this.#query);
    return factor;
  }

  /**
   * Sums of products of the query with `rows` rows at each of some addresses, in order. They hold until the next call.
   * @param addresses at most `blocksPerCall × BLOCK_ROWS / rows`
   */
  score(addresses: Int32Array, rows: 1 | typeof BLOCK_ROWS): Int32Array {
    const count = addresses.length * rows;
    if (this.#engine === null) return this.#scorePlainly(addresses, rows);
    const { buffer } = this.#engine.memory;
    if (count === 0) return new Int32Array(0);
    new Int32Array(buffer, 0, addresses.length).set(addresses);
    this.#engine.score(0, addresses.length, rows, this.stride, this.#queryAt, this.#sumsAt);
    return new Int32Array(buffer, this.#sumsAt, count);
  }

  /**
   * The same of whole blocks in a thread, while other work has its turn.
   * @returns null when the thread ended before, or there is no memory left
   */
  async scoreBeside(thread: ScanThread, blocks: Int32Array, query: Float64Array): Promise<SumsBeside | null> {
    const engine = this.#engine;
    if (engine === null) return null;
    const scratch = await this.#takeScratch(blocks.length);
    if (scratch === null) return null;
    const listAt = scratch.address + TAKEN_BYTES;
    const queryAt = listAt + scratch.blocks * 4;
    const sumsAt = queryAt + this.stride * 2;
    const quantised = new Int16Array(this.stride);
    const factor = quantiseQuery(query, quantised);
    const { buffer } = engine.memory;
    new Int32Array(buffer, scratch.address, 1)[0] = 0;
    new Int32Array(buffer, listAt, blocks.length).set(blocks);
    new Int16Array(buffer, queryAt, this.stride).set(quantised);
    const isDone = await thread.score(engine, {
      parameters: [listAt, blocks.length, BLOCK_ROWS, this.stride, queryAt, sumsAt],
      takenAt: scratch.address,
      part: Math.ceil(BYTES_OF_A_PART / this.blockBytes),
    });
    const done = (): void => this.#giveScratch(scratch);
    if (isDone) return { sums: new Int32Array(engine.memory.buffer, sumsAt, blocks.length * BLOCK_ROWS), factor, done };
    done();
    return null;
  }

  /** To be called when nothing of it is used any more. */
  leave(thread: ScanThread): void {
    if (this.#engine !== null) thread.forget(this.#engine.memory);
  }

  /**
   * A larger one replaces one that is too small: there are few, and containers grow.
   * @returns null when there is no memory left
   */
  async #takeScratch(blocks: number): Promise<Scratch | null> {
    while (this.#scratches.length === 0 && this.#scratchCount >= MOST_SCRATCHES)
      await new Promise<void>((resolve) => this.#wantScratch.push(resolve));
    const free = this.#scratches.pop();
    if (free !== undefined && free.blocks >= blocks) return free;
    try {
      const scratch = this.#allot(Math.ceil((blocks * 1.5) / 16) * 16);
      if (free === undefined) this.#scratchCount += 1;
      return scratch;
    } catch (error) {
      if (free !== undefined) this.#giveScratch(free);
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  #allot(blocks: number): Scratch {
    const address = this.#end;
    const end = address + TAKEN_BYTES + blocks * 4 * (1 + BLOCK_ROWS) + this.stride * 2;
    this.#reserve(end);
    this.#end = end;
    return { address, blocks };
  }

  #giveScratch(scratch: Scratch): void {
    this.#scratches.push(scratch);
    this.#wantScratch.shift()?.();
  }

  #scorePlainly(addresses: Int32Array, rows: number): Int32Array {
    let at = 0;
    for (const address of addresses) {
      for (let row = 0; row < rows; row++) {
        const offset = (address >>> 0) + row * this.stride;
        this.#plainSums[at++] = dotWhole(this.#values, offset, this.#query, this.stride);
      }
    }
    return this.#plainSums.subarray(0, at);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#values.length) return;
    const missing = Math.ceil((bytes - this.#values.length) / PAGE_BYTES);
    const pages = Math.max(missing, LEAST_GROWTH_PAGES, Math.ceil(this.#values.length / PAGE_BYTES / 8));
    if (this.#engine !== null) {
      this.#engine.memory.grow(pages);
      this.#values = new Int8Array(this.#engine.memory.buffer);
      return;
    }
    const values = new Int8Array(this.#values.length + pages * PAGE_BYTES);
    values.set(this.#values);
    this.#values = values;
  }
}
