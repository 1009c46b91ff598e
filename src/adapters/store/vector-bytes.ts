import type { Unit } from "../../core/types.js";

/** A vector as little-endian 32-bit floats; every platform Node runs on is little-endian. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The vector in some bytes, not copied if they are aligned. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(buffer, byteOffset, length / 4);
}

/** Reads vectors from hexadecimal digits, each overwriting the one before. */
export class VectorOfDigits {
  readonly #vector: Float32Array;
  readonly #bytes: Buffer;

  constructor(dimensions: number) {
    this.#vector = new Float32Array(dimensions);
    this.#bytes = Buffer.from(this.#vector.buffer);
  }

  /** The vector is valid until the next one is read; a different size allocates a new one. */
  read(digits: string): Float32Array {
    if (digits.length !== this.#bytes.length * 2) return vectorOf(new Uint8Array(Buffer.from(digits, "hex")));
    this.#bytes.write(digits, "hex");
    return this.#vector;
  }
}

/** Rows of vectors as one matrix. */
export function packVectors(
  rows: readonly { unit: Unit; vector: Uint8Array }[],
  dimensions: number,
): { units: Unit[]; matrix: Float32Array } {
  const matrix = new Float32Array(rows.length * dimensions);
  const bytes = new Uint8Array(matrix.buffer);
  for (const [index, row] of rows.entries()) bytes.set(row.vector, index * dimensions * 4);
  return { units: rows.map((row) => row.unit), matrix };
}
