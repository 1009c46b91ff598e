import { BYTES_OF, type NumberType } from "./safetensors.js";

/** Every half-precision number, computed when the first one is read. */
let halves: Float32Array | undefined;

/** A copy of little-endian numbers of a safetensors type; integers beyond 2^24 lose precision. */
export function decodeNumbers(bytes: Uint8Array, type: NumberType): Float32Array {
  const numbers = new Float32Array(bytes.length / BYTES_OF[type]);
  if (type === "F32") {
    new Uint8Array(numbers.buffer).set(bytes);
    return numbers;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = readerOf(view, type);
  for (let index = 0; index < numbers.length; index++) numbers[index] = read(index);
  return numbers;
}

function readerOf(view: DataView, type: NumberType): (index: number) => number {
  switch (type) {
    case "F64":
      return (index) => view.getFloat64(index * 8, true);
    case "F32":
      return (index) => view.getFloat32(index * 4, true);
    case "F16": {
      const values = (halves ??= Float32Array.from({ length: 65_536 }, (_, bits) => halfToNumber(bits)));
      return (index) => values[view.getUint16(index * 2, true)] ?? 0;
    }
    case "BF16": {
      const bits = new Uint32Array(1);
      const value = new Float32Array(bits.buffer);
      return (index) => {
        bits[0] = view.getUint16(index * 2, true) << 16;
        return value[0] ?? 0;
      };
    }
    case "I64":
      return (index) => Number(view.getBigInt64(index * 8, true));
    case "I32":
      return (index) => view.getInt32(index * 4, true);
    case "I16":
      return (index) => view.getInt16(index * 2, true);
    case "I8":
      return (index) => view.getInt8(index);
    case "U8":
    case "BOOL":
      return (index) => view.getUint8(index);
  }
}

/** One sign bit, five exponent bits, ten fraction bits (IEEE 754 binary16). */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * Position of the first number that no vector can hold (infinite, NaN, or beyond single precision); -1 for none.
 * @param bytes complete numbers of the type; at the start of their buffer, otherwise copied there
 */
export function findUnusable(bytes: Uint8Array, type: NumberType): number {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
  const length = bytes.length / BYTES_OF[type];
  switch (type) {
    case "F32":
      return findFull(new Uint32Array(aligned.buffer, aligned.byteOffset, length), 0x7f800000);
    case "F16":
      return findFull(new Uint16Array(aligned.buffer, aligned.byteOffset, length), 0x7c00);
    case "BF16":
      return findFull(new Uint16Array(aligned.buffer, aligned.byteOffset, length), 0x7f80);
    case "F64":
      return new Float64Array(aligned.buffer, aligned.byteOffset, length).findIndex(
        (value) => !Number.isFinite(Math.fround(value)),
      );
    default:
      return -1;
  }
}

/** Numbers with all exponent bits set are infinite or NaN. */
function findFull(bits: Uint32Array | Uint16Array, exponent: number): number {
  for (let index = 0; index < bits.length; index++) if (((bits[index] ?? 0) & exponent) === exponent) return index;
  return -1;
}
