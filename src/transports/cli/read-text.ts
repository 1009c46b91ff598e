import type { Readable } from "node:stream";
import { AppError } from "../../core/errors.js";
import { utf16Of } from "../../lib/text-bytes.js";

/** Far above the core's own limits, which have their own errors; keeps an endless stream from filling memory. */
const MOST_BYTES = 256 * 1024 * 1024;

const NOT_READ = "It is neither UTF-8 text nor a supported kind of file.";

/**
 * The whole text of a UTF-8 stream.
 * @param advice what to say about binary data
 * @throws AppError `unsupported_type` for binary data and other encodings, naming the source, and `too_large` beyond 256 MB
 */
export async function readTextFrom(stream: Readable, name: string, advice = NOT_READ): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const part = typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array);
      if (bytes === 0) refuseOtherEncodings(part, name);
      if (part.includes(0)) throw binary(name, bytes + part.indexOf(0), advice);
      bytes += part.length;
      if (bytes > MOST_BYTES)
        throw new AppError("too_large", `${name} is larger than ${MOST_BYTES / 1024 / 1024} MB. Add it in parts.`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof AppError ? error : readFailure(name, error as NodeJS.ErrnoException);
  }
  return decode(Buffer.concat(parts), name);
}

function refuseOtherEncodings(start: Buffer, name: string): void {
  if (utf16Of(start) !== null)
    throw new AppError("unsupported_type", `${name} is in UTF-16. Save it as UTF-8 and add it again.`);
}

function binary(name: string, position: number, advice: string): AppError {
  return new AppError(
    "unsupported_type",
    `${name} is not text: it contains a NUL byte at position ${position}. ${advice}`,
  );
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError(
      "unsupported_type",
      `${name} is not valid UTF-8. Convert it (for example: iconv -f latin1 -t utf-8) and add it again.`,
      { cause: error },
    );
  }
}

/** Why a file or pipe could not be read. */
export function readFailure(name: string, error: NodeJS.ErrnoException): AppError {
  if (error.code === "ENOENT") return new AppError("not_found", `There is no file ${name}.`);
  const reason = error.code === "EACCES" ? "permission denied" : error.message;
  return new AppError("unavailable", `${name} cannot be read: ${reason}.`, { cause: error });
}
