import { codeOf } from "./error-code.js";
import { AnswerTooLargeError, parseRetryAfter, RedirectedError } from "./http-fetch.js";
import { truncate } from "./truncate.js";
import { singleSpaced } from "./single-spaced.js";

/** However long a service asks to be left alone, it is called again after this many seconds. */
const LONGEST_PAUSE = 15 * 60;

/** The error that an HTTP service returned. */
export interface ApiFailure {
  readonly status: number;
  /** The service's own error code, e.g. `insufficient_quota`. */
  readonly code: string | undefined;
  readonly text: string | undefined;
  /** Seconds, at most 15 minutes. */
  readonly retryAfter: number | undefined;
  /** A longer pause that it asked for, as a sentence; empty for none. */
  readonly wish: string;
}

/**
 * The failure behind an error of the `openai` package, undefined for any other error. Recognised by shape, since the
 * class is loaded lazily.
 */
export function readApiFailure(error: unknown): ApiFailure | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const body: unknown = "error" in error ? error.error : undefined;
  const headers = "headers" in error && error.headers instanceof Headers ? error.headers : undefined;
  const wished = parseRetryAfter(headers?.get("retry-after"));
  const isTooLong = wished !== undefined && wished > LONGEST_PAUSE;
  return {
    status: error.status,
    code: textAt(body, "code") ?? textAt(body, "type"),
    text: textAt(body, "message"),
    retryAfter: isTooLong ? LONGEST_PAUSE : wished,
    wish: isTooLong
      ? ` It asks for a pause of ${wished} s, but the next attempt follows after ${LONGEST_PAUSE} s.`
      : "",
  };
}

function textAt(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
}

/** What messages about a failed exchange need to know. */
export interface Exchange {
  /** What its answers should contain, e.g. `vectors`. */
  readonly expected: string;
  /** Name of the setting that holds the URL. */
  readonly addressSetting: string;
}

/** The end of a sentence that starts with the service: why it gave no answer, and what to do. */
export function describeBreak(error: unknown, { expected, addressSetting }: Exchange): string {
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof AnswerTooLargeError))
    return `answered with far more data than expected for ${expected}. Check ${addressSetting}.`;
  if (chain.some((cause) => cause instanceof RedirectedError))
    return `redirects to another address, to which nothing is sent. If that address is correct, set ${addressSetting} to it.`;
  if (chain.some((cause) => cause instanceof SyntaxError))
    return `answered with something that is not JSON. Check ${addressSetting}.`;
  if (chain.some(isTimeout)) return "did not answer in time. Check whether it is overloaded.";
  switch (chain.map(codeOf).find((code) => code !== undefined && CODES.has(code))) {
    case "ECONNREFUSED":
      return `refused the connection. Start it, or check ${addressSetting}.`;
    case "ENOTFOUND":
      return `has a host name that cannot be found. Check ${addressSetting} and the network.`;
    case "EAI_AGAIN":
      return "has a host name that cannot be found right now. Check the network.";
    case "ECONNRESET":
      return "closed the connection before it answered.";
    case "UND_ERR_SOCKET":
      return "closed the connection before its answer was complete.";
    default:
      return `cannot be reached. Check ${addressSetting} and the network.`;
  }
}

const CODES: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "UND_ERR_SOCKET"]);

/**
 * A service's message as a sentence of at most 200 characters on one line, without the key; empty for none. For the
 * `quote` of an error: it may repeat a user's question.
 */
export function quoteService(text: string | undefined, apiKey: string | undefined): string {
  if (!text) return "";
  const safe = apiKey ? text.replaceAll(apiKey, "***") : text;
  const line = singleSpaced(safe);
  return ` It says: ${line.length > 200 ? `${truncate(line, 200)}…` : line}`;
}

/** The error and its causes, outermost first, including the errors of several connection attempts. */
function causesOf(error: unknown, depth = 6): unknown[] {
  if (!(error instanceof Error) || depth === 0) return [error];
  const several: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...several, ...(error.cause === undefined ? [] : causesOf(error.cause, depth - 1))];
}

/** The `openai` package hides the cause of a timeout and keeps only the message. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || /timed? ?out/i.test(error.message));
}
