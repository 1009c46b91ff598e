import { createJsonMeter, JsonLimitError, parseLimitedJson } from "./limited-json.js";
import { yieldTurn } from "./time.js";

/** Why a request body could not be read. */
export type BodyProblem = "too_large" | "not_utf8" | "interrupted";

/** An invalid body; the message says which rule it breaks. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly problem: BodyProblem;

  constructor(problem: BodyProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** Shorter bodies are read and counted in one go. */
const SHORT_BYTES = 256 * 1024;

/**
 * Reads a whole JSON body. Depth and number of values are counted as it arrives, so that excess is never held in
 * memory, and a long body blocks nobody; the rest of it is still received, since the sender would otherwise not see the
 * answer.
 * @returns undefined for an empty body
 * @throws BodyError, JsonLimitError, or SyntaxError as `JSON.parse`
 */
export async function readLimitedJson(request: Request, maxBytes: number): Promise<unknown> {
  if (announcedBytes(request) <= SHORT_BYTES) {
    const text = await readBodyText(request, maxBytes);
    return isBlank(text) ? undefined : parseLimitedJson(text);
  }
  const decoder = createDecoder();
  const meter = createJsonMeter();
  let pieces: string[] = [];
  let refusal: JsonLimitError | undefined;
  const take = (piece: string): void => {
    try {
      if (refusal === undefined) meter.count(piece);
      if (refusal === undefined) pieces.push(piece);
    } catch (error) {
      if (!(error instanceof JsonLimitError)) throw error;
      refusal = error;
      pieces = [];
    }
  };
  await readStream(request, maxBytes, (chunk) => take(decoder.decode(chunk, { stream: true })));
  take(decoder.decode());
  if (refusal !== undefined) throw refusal;
  const text = pieces.join("");
  pieces = [];
  await yieldTurn();
  const value: unknown = isBlank(text) ? undefined : JSON.parse(text);
  await yieldTurn();
  return value;
}

/**
 * Reads a whole request body as text. Stops as soon as it exceeds the limit, and does not start when the request
 * announces a longer one. Bytes that are not UTF-8 are refused: replacing them would change what somebody meant to
 * store.
 * @throws BodyError
 */
export async function readBodyText(request: Request, maxBytes: number): Promise<string> {
  return createDecoder().decode(await readBodyBytes(request, maxBytes));
}

/**
 * Reads a whole request body, under the same limit.
 * @param signal ends the wait for a sender that has stalled
 * @throws BodyError
 */
export async function readBodyBytes(request: Request, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  const announced = announcedBytes(request);
  if (announced <= SHORT_BYTES && signal === undefined) {
    refuseTooLong(announced, maxBytes);
    return request.arrayBuffer().then(
      (bytes) => new Uint8Array(bytes),
      (error: unknown) => Promise.reject(interrupted(error)),
    );
  }
  // Into one buffer if the size is known: a long body is not held twice.
  const whole = announced === Infinity ? undefined : Buffer.allocUnsafeSlow(Math.min(announced, maxBytes));
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array): void => {
    if (whole === undefined) chunks.push(chunk);
    else whole.set(chunk, size);
    size += chunk.byteLength;
  };
  await readStream(request, maxBytes, take, signal);
  return whole === undefined ? Buffer.concat(chunks, size) : whole.subarray(0, size);
}

/** Infinity if the length is unknown, or not given in digits. */
function announcedBytes({ headers }: Request): number {
  const announced = headers.get("content-length");
  return announced !== null && /^\d+$/.test(announced) ? Number(announced) : Infinity;
}

async function readStream(
  request: Request,
  maxBytes: number,
  take: (chunk: Uint8Array) => void,
  signal?: AbortSignal,
): Promise<void> {
  for await (const chunk of streamBody(request, maxBytes, signal)) take(chunk);
}

/**
 * Yields a request body piece by piece as it arrives, under the same limit. If the caller stops early, the rest is
 * refused.
 * @param signal ends the wait for a sender that has stalled
 * @throws BodyError
 */
export async function* streamBody(
  request: Request,
  maxBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  refuseTooLong(announcedBytes(request), maxBytes);
  let size = 0;
  const { body } = request;
  if (!body) return;
  const reader = body.getReader();
  const stop = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", stop, { once: true });
  const read = (): ReturnType<typeof reader.read> =>
    reader.read().catch((error: unknown) => Promise.reject(interrupted(error)));
  let isWhole = false;
  try {
    for (let next = await read(); !next.done; next = await read()) {
      size += next.value.byteLength;
      if (size > maxBytes) throw tooLarge("is too long", maxBytes);
      yield next.value;
    }
    if (signal?.aborted) throw interrupted(signal.reason);
    isWhole = true;
  } finally {
    if (!isWhole) stop();
    signal?.removeEventListener("abort", stop);
  }
}

function interrupted(error: unknown): BodyError {
  return new BodyError("interrupted", "the body ended before it was complete", { cause: error });
}

interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

function createDecoder(): Decoder {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return {
    decode(bytes, options) {
      try {
        return decoder.decode(bytes, options);
      } catch (error) {
        throw new BodyError("not_utf8", "the body is not valid UTF-8", { cause: error });
      }
    },
  };
}

function refuseTooLong(announced: number, maxBytes: number): void {
  if (announced !== Infinity && announced > maxBytes) throw tooLarge(`has ${announced} bytes`, maxBytes);
}

function tooLarge(what: string, maxBytes: number): BodyError {
  return new BodyError("too_large", `the body ${what}, at most ${maxBytes} bytes are accepted`);
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
