import { type ConcurrencyLimit, createConcurrencyLimit } from "./concurrency-limit.js";

/** Bodies up to this length are read at any time. */
const LARGE_BYTES = 4 * 1024 * 1024;
/** As long as the server waits for a whole request. */
const PATIENCE_MS = 300_000;

/** Runs the work of a sender's request when its turn has come. `work` receives the request with its whole body. */
export type InTurn = <T>(sender: string, request: Request, work: (request: Request) => Promise<T>) => Promise<T>;

interface Line {
  readonly limit: ConcurrencyLimit;
  /** Requests that are waiting or running. */
  requests: number;
}

/** Lets each sender have one large request at a time: each takes several times its length in memory while it is processed. */
export function createLargeRequests(): InTurn {
  const lines = new Map<string, Line>();
  return async (sender, sent, work) => {
    const { request, isLarge } = await measure(sent);
    if (!isLarge) return work(request);
    const limit = (): ConcurrencyLimit => createConcurrencyLimit({ most: 1, patienceMs: PATIENCE_MS });
    const line = lines.get(sender) ?? { limit: limit(), requests: 0 };
    lines.set(sender, line);
    line.requests += 1;
    const leave = await line.limit.enter();
    try {
      return await work(request);
    } finally {
      leave();
      line.requests -= 1;
      if (line.requests === 0) lines.delete(sender);
    }
  };
}

interface Measured {
  readonly request: Request;
  readonly isLarge: boolean;
}

/** Without an announced length a body may be of any size, so it is read until it ends or turns out to be large. */
async function measure(request: Request): Promise<Measured> {
  const { headers } = request;
  // The body stream is created on access, which takes as long as the rest of a small request.
  const reader = headers.has("transfer-encoding") ? request.body?.getReader() : undefined;
  if (!reader) return { request, isLarge: Number(headers.get("content-length")) > LARGE_BYTES };
  const beginning: Uint8Array[] = [];
  let length = 0;
  let isLarge = false;
  while (!isLarge) {
    // Errors here occur again for whoever reads the body.
    const { value } = await reader.read().catch(() => ({ value: undefined }));
    if (!value) break;
    beginning.push(value);
    length += value.length;
    isLarge = length > LARGE_BYTES;
  }
  const { url, method, signal } = request;
  // The server's own requests cannot be copied as a whole, only part by part.
  const whole = new Request(url, { method, headers, signal, body: streamOf(beginning, reader), duplex: "half" });
  return { request: whole, isLarge };
}

function streamOf(
  beginning: Uint8Array[],
  rest: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const value = beginning.shift() ?? (await rest.read()).value;
      if (value) controller.enqueue(new Uint8Array(value));
      else controller.close();
    },
    cancel: (reason) => rest.cancel(reason),
  });
}
