import { constants, deflateRawSync } from "node:zlib";

const PIECE_BYTES = 1_000_000;
const NOTHING = new Uint8Array();
const ADLER_PRIME = 65_521n;

/** A deflate stream that unpacks to many repetitions of a piece, created in the time of packing it once. */
export function packedRepeats(
  piece: Uint8Array<ArrayBuffer>,
  times: number,
  { start = NOTHING, end = NOTHING }: Partial<Record<"start" | "end", Uint8Array<ArrayBuffer>>> = {},
): Buffer {
  const once = flushed(piece);
  return Buffer.concat([flushed(start), ...Array.from({ length: times }, () => once), deflateRawSync(end)]);
}

function flushed(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
}

/** A zlib stream that unpacks to this many identical bytes. */
export function packedBytes(length: number, byte: number): Buffer {
  const filled = (bytes: number) => new Uint8Array(bytes).fill(byte);
  const end = filled(length % PIECE_BYTES);
  const packed = packedRepeats(filled(PIECE_BYTES), Math.floor(length / PIECE_BYTES), { end });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(adlerOf(BigInt(length), BigInt(byte)));
  return Buffer.concat([Buffer.from("789c", "hex"), packed, checksum]);
}

/** The checksum of zlib: the sum of the bytes plus 1, and the sum of these sums. */
function adlerOf(length: bigint, byte: bigint): number {
  const sum = (1n + byte * length) % ADLER_PRIME;
  const sumOfSums = (length + (byte * length * (length + 1n)) / 2n) % ADLER_PRIME;
  return Number((sumOfSums << 16n) | sum);
}
