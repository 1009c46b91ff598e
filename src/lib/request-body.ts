/** Why a request body could not be read. */
export type BodyProblem = "too_large" | "not_utf8" | "interrupted";

/** A body that is not what it has to be; the message says which rule it breaks. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly problem: BodyProblem;

  constructor(problem: BodyProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/**
 * Reads a whole request body as text. Stops as soon as it grows beyond the limit, and does not begin when the request
 * announces a longer one. Bytes that are not UTF-8 are refused: replacing them would change what somebody meant to keep.
 * @throws BodyError
 */
export async function readBodyText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBodyBytes(request, maxBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new BodyError("not_utf8", "the body is not valid UTF-8", { cause: error });
  }
}

/** Reads a whole request body, under the same limit. @throws BodyError */
export async function readBodyBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(`has ${announced} bytes`, maxBytes);
  try {
    if (announced !== null) return new Uint8Array(await request.arrayBuffer());
    return await readStream(request.body, maxBytes);
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError("interrupted", "the body ended before it was complete", { cause: error });
  }
}

async function readStream(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge("is too long", maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(what: string, maxBytes: number): BodyError {
  return new BodyError("too_large", `the body ${what}, at most ${maxBytes} bytes are accepted`);
}
