import { AppError } from "../../core/errors.js";
import { AnswerTooLargeError, parseRetryAfter } from "../../lib/http-fetch.js";

/** What the texts of errors may name. The key is only here to be blotted out. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/** When a service says "too many requests" without saying until when, in seconds. */
const RATE_LIMIT_PAUSE = 30;
/** An account without money is not asked again and again, in seconds. */
const QUOTA_PAUSE = 3_600;

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection. Start it, or check RECOLLECT_EMBEDDING_BASE_URL.",
  ENOTFOUND: "has a host name that cannot be found. Check RECOLLECT_EMBEDDING_BASE_URL and the network.",
  EAI_AGAIN: "has a host name that cannot be found right now. Check the network.",
  ECONNRESET: "closed the connection before it answered.",
  UND_ERR_SOCKET: "closed the connection before its answer was complete.",
};

/** The shape of the errors of the `openai` package that counts; checked instead of their classes, which load lazily. */
interface ApiFailure {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string | undefined;
  readonly retryAfter: number | undefined;
}

/** Turns whatever a call threw into an AppError that says what to do. */
export function describeFailure(error: unknown, endpoint: Endpoint): AppError {
  if (error instanceof AppError) return error;
  const failure = readApiFailure(error);
  if (failure) return describeStatus(failure, endpoint, error);
  const what = `The embedding service at ${endpoint.baseUrl}`;
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof AnswerTooLargeError))
    return new AppError("unavailable", `${what} answered with far more data than vectors need. Check its address.`, {
      cause: error,
    });
  if (chain.some((cause) => cause instanceof SyntaxError))
    return new AppError("unavailable", `${what} answered with something that is not JSON. Check its address.`, {
      cause: error,
    });
  if (chain.some(isTimeout))
    return new AppError("unavailable", `${what} did not answer in time. Check whether it is overloaded.`, {
      cause: error,
    });
  const code = chain.map(codeOf).find((found) => found !== undefined && found in CODES);
  const reason = code === undefined ? "cannot be reached. Check its address and the network." : CODES[code];
  return new AppError("unavailable", `${what} ${reason}`, { cause: error });
}

/**
 * Milliseconds that the service wants to be left alone before the next attempt, 0 when it named none; undefined when
 * another attempt makes no sense.
 */
export function pauseBeforeRetry(error: AppError): number | undefined {
  const failure = readApiFailure(error.cause);
  if (error.kind !== "unavailable" || failure?.code === "insufficient_quota") return undefined;
  return (failure?.retryAfter ?? 0) * 1000;
}

/** True when a smaller batch may succeed where this one failed. */
export function isBatchTooLarge(error: unknown): boolean {
  const failure = readApiFailure(error);
  if (!failure) return false;
  if (failure.status === 413) return true;
  return (
    (failure.status === 400 || failure.status === 422) &&
    /batch|too (many|large|long)|maximum|max_|token|length/i.test(failure.text ?? "")
  );
}

function describeStatus(failure: ApiFailure, endpoint: Endpoint, cause: unknown): AppError {
  const what = `The embedding service at ${endpoint.baseUrl}`;
  const { status, retryAfter } = failure;
  const said = quote(failure.text, endpoint.apiKey);
  if (status === 401 || status === 403)
    return new AppError("invalid", `${what} refused the key (${status}). Check RECOLLECT_EMBEDDING_API_KEY.`, {
      cause,
    });
  if (status === 404)
    return new AppError(
      "invalid",
      `${what} knows no model "${endpoint.model}", or has no embeddings at this address (404).${said} Check RECOLLECT_EMBEDDING_MODEL and RECOLLECT_EMBEDDING_BASE_URL.`,
      { cause },
    );
  if (status === 429 && failure.code === "insufficient_quota")
    return new AppError("unavailable", `${what} says that the account's quota is used up (429). Check its billing.`, {
      cause,
      retryAfter: retryAfter ?? QUOTA_PAUSE,
    });
  if (status === 429)
    return new AppError("unavailable", `${what} limits the rate of requests (429).`, {
      cause,
      retryAfter: retryAfter ?? RATE_LIMIT_PAUSE,
    });
  if (status >= 500 || status === 408 || status === 409)
    return new AppError("unavailable", `${what} failed (${status}).${said}`, {
      cause,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  return new AppError("invalid", `${what} refused the request (${status}).${said}`, { cause });
}

function quote(text: string | undefined, apiKey: string | undefined): string {
  if (!text) return "";
  const safe = apiKey ? text.replaceAll(apiKey, "***") : text;
  const line = safe.replace(/\s+/g, " ").trim();
  return ` It says: ${line.length > 200 ? `${line.slice(0, 200)}…` : line}`;
}

function readApiFailure(error: unknown): ApiFailure | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const body: unknown = "error" in error ? error.error : undefined;
  const headers = "headers" in error && error.headers instanceof Headers ? error.headers : undefined;
  return {
    status: error.status,
    code: textAt(body, "code") ?? textAt(body, "type"),
    text: textAt(body, "message"),
    retryAfter: parseRetryAfter(headers?.get("retry-after")),
  };
}

function textAt(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
}

/** The error and what caused it, outermost first; errors of several attempts to connect included. */
function causesOf(error: unknown, depth = 6): unknown[] {
  if (!(error instanceof Error) || depth === 0) return [error];
  const several: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...several, ...(error.cause === undefined ? [] : causesOf(error.cause, depth - 1))];
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The `openai` package hides the cause of a time-out and only keeps the words. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || /timed? ?out/i.test(error.message));
}
