import { dotKernel, type Kernel } from "./dot-kernel.js";
import { dotWhole, quantiseQuery } from "./quantise.js";

const PAGE_BYTES = 65_536;
/** Alignment of the kernel's input and output, in bytes. */
const ALIGNMENT = 64;
const QUERY_AT = 0;
/** The kernel scores this many rows together. */
const ROWS_TOGETHER = 4;

/** Dot products of one query with 8-bit rows: by SIMD where available, otherwise by plain code with identical results. */
export class RowScores {
  readonly #kernel: Kernel | null;
  readonly #query: Int16Array;
  /** Together with the scale of its row, turns a dot product into the cosine. */
  readonly factor: number;

  /**
   * @param stride numbers per row, a multiple of 16, at least the length of the query
   * @param kernel null for the plain code; tests compare the two
   */
  constructor(query: Float64Array, stride: number, kernel: Kernel | null = dotKernel()) {
    this.#kernel = kernel;
    this.#query = new Int16Array(stride);
    this.factor = quantiseQuery(query, this.#query);
  }

  /** The dot products of the first `count` rows, valid until the next call on any object of this class. */
  ofAll(rows: Int8Array, count: number): Int32Array {
    if (count === 0) return new Int32Array(0);
    return this.#kernel === null ? this.#plainly(rows, count) : this.#bySimd(this.#kernel, rows, count);
  }

  /** The dot product of the row that begins at `offset`. */
  ofOne(rows: Int8Array, offset: number): number {
    return dotWhole(rows, offset, this.#query, this.#query.length);
  }

  #plainly(rows: Int8Array, count: number): Int32Array {
    return Int32Array.from({ length: count }, (_, row) => this.ofOne(rows, row * this.#query.length));
  }

  /** Copies the rows into the kernel's memory, which takes as long as scoring them but avoids storing them there. */
  #bySimd({ memory, score }: Kernel, rows: Int8Array, count: number): Int32Array {
    const stride = this.#query.length;
    const sumsAt = QUERY_AT + aligned(stride * 2);
    const rowsAt = sumsAt + aligned(count * 4);
    const scored = Math.ceil(count / ROWS_TOGETHER) * ROWS_TOGETHER;
    const missing = rowsAt + scored * stride - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    const { buffer } = memory;
    new Int16Array(buffer, QUERY_AT, stride).set(this.#query);
    new Int8Array(buffer, rowsAt, count * stride).set(rows.subarray(0, count * stride));
    // The results of the padding rows are ignored.
    score(rowsAt, scored, stride, QUERY_AT, sumsAt);
    return new Int32Array(buffer, sumsAt, count);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
