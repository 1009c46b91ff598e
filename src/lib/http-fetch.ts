import { type SpanStart, traced } from "./traces.js";

/** An answer larger than the caller accepts. */
export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

/** A service that redirects to another address. */
export class RedirectedError extends Error {
  override readonly name = "RedirectedError";
}

export interface FetchLimits {
  /** For the whole exchange including the body, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body after decompression, in bytes. */
  readonly maximumBytes: number;
}

/**
 * A `fetch` that has read the whole body when it resolves, within limits of time and size. The time limit of most HTTP
 * clients ends with the headers, so that a server that stalls in the middle of its answer blocks them forever.
 * Redirects are not followed: what is sent goes to the chosen address and to no other.
 * @throws DOMException `TimeoutError`, AnswerTooLargeError, RedirectedError, the reason of the caller's signal, or what
 * `fetch` throws
 */
export function createFetch({ timeoutMs, maximumBytes }: FetchLimits): typeof fetch {
  const send: typeof fetch = async (input, init) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const response = await fetch(input, { ...init, signal, redirect: "manual" });
    if (response.status >= 300 && response.status < 400 && response.headers.has("location")) {
      await response.body?.cancel();
      throw new RedirectedError(`The answer redirects to another address (${response.status}).`);
    }
    const body = await readBody(response, maximumBytes);
    const headers = new Headers(response.headers);
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(body.length > 0 ? body : null, {
      status: response.status,
      statusText: response.statusText,
      headers,
    });
  };
  return async (input, init) =>
    traced(spanOf(input, init), async (span) => {
      const response = await send(input, init);
      span.note({ "http.response.status_code": response.status });
      if (response.status >= 400) span.fail(String(response.status));
      return response;
    });
}

/** Names the host only: paths and queries may reveal what somebody stores. */
function spanOf(...[input, init]: Parameters<typeof fetch>): SpanStart {
  const { hostname, port, protocol } = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  const facts = {
    "http.request.method": method,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
  };
  return { name: `${method} ${hostname}`, kind: "client", facts };
}

async function readBody(response: Response, maximumBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop with an error cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maximumBytes) throw new AnswerTooLargeError(`The answer is larger than ${maximumBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @returns seconds from `now`, 0 or more; undefined when the header is absent or invalid
 */
export function parseRetryAfter(header: string | null | undefined, now = new Date()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text);
  // A bare number that is too long would otherwise be read as a year.
  if (!/[a-z]{3}/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
