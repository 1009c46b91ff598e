import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { Transform, Writable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AppError } from "../../core/errors.js";

export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

export interface ReadingBounds {
  /** Both as received and after decompression. */
  readonly maximumBytes: number;
  /** Whether that is less than for any file, because the content has no reason to be long. */
  readonly isOfPlace?: boolean;
  readonly signal: AbortSignal;
  /** The address as named in errors. */
  readonly place: string;
}

/**
 * The whole body, decompressed. Stops at the first byte beyond the limit, whatever length was announced.
 * @throws AppError `too_large`, or `invalid` for an unknown or broken compression
 */
export async function readAnswer(answer: IncomingMessage, bounds: ReadingBounds): Promise<Uint8Array> {
  const { maximumBytes, signal, place } = bounds;
  if (Number(answer.headers["content-length"]) > maximumBytes) {
    answer.destroy();
    throw tooLarge(bounds);
  }
  const pieces: Buffer[] = [];
  const unpack = decompressorOf(answer.headers["content-encoding"], place);
  const kept = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  const limits = unpack ? [limit(bounds), unpack, limit(bounds)] : [limit(bounds)];
  try {
    await pipeline([answer, ...limits, kept], { signal });
  } catch (error) {
    if (error instanceof Error && "code" in error && /^(Z_|ERR__?ERROR_FORMAT|ERR_BROTLI)/.test(String(error.code)))
      throw new AppError("invalid", `${place} was not fetched: what it sent cannot be decompressed.`, { cause: error });
    throw error;
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.byteLength > maximumBytes) throw tooLarge(bounds);
  return bytes;
}

function limit(bounds: ReadingBounds): Transform {
  let left = bounds.maximumBytes;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      left -= piece.byteLength;
      if (left < 0) done(tooLarge(bounds));
      else done(null, piece);
    },
  });
}

function decompressorOf(encoding: string | undefined, place: string): Transform | null {
  switch (encoding?.trim().toLowerCase() ?? "") {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new AppError("invalid", `${place} was not fetched: it uses a compression that was not requested.`);
  }
}

function tooLarge({ place, maximumBytes, isOfPlace }: ReadingBounds): AppError {
  const why = isOfPlace ? "which is more than such an answer needs" : "RECOLLECT_MAX_FILE_BYTES";
  return new AppError("too_large", `${place} was not fetched: it is larger than ${maximumBytes} bytes (${why}).`);
}
