import { AppError } from "../../core/errors.js";
import { type ApiFailure, describeBreak, quoteService, readApiFailure } from "../../lib/api-failure.js";

/** What error messages may contain. The key is here only to be redacted. */
export interface EmbedderEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/** Seconds to pause when a service says "too many requests" without saying for how long. */
const RATE_LIMIT_PAUSE = 30;
/** Seconds after which a service that is down or failing is tried again, then less and less often. */
const AWAY_PAUSE = 30;
/** What a person has to fix takes longer; in seconds. */
export const REFUSED_PAUSE = 60;
/** An account without credit is not tried again and again; in seconds. */
const QUOTA_PAUSE = 3_600;
/** No other text can help with these: the key, the account, the model or the address is wrong. */
const REFUSALS: readonly number[] = [401, 402, 403, 404];
const EXCHANGE = { expected: "vectors", addressSetting: "RECOLLECT_EMBEDDING_BASE_URL" };

/**
 * Turns whatever a call threw into an AppError that says what to do; `unavailable` always with `retryAfter`, so that nothing is
 * given up because of the service's problems.
 */
export function describeFailure(error: unknown, endpoint: EmbedderEndpoint): AppError {
  if (error instanceof AppError) return error;
  const failure = readApiFailure(error);
  if (failure) return describeStatus(failure, endpoint, error);
  const why = describeBreak(error, EXCHANGE);
  return new AppError("unavailable", `The embedding service at ${endpoint.baseUrl} ${why}`, {
    cause: error,
    retryAfter: AWAY_PAUSE,
  });
}

/**
 * Milliseconds that the service asks to wait before the next attempt, 0 when it named none; undefined when another attempt makes
 * no sense.
 */
export function pauseBeforeRetry(error: AppError): number | undefined {
  const failure = readApiFailure(error.cause);
  if (error.kind !== "unavailable" || failure?.code === "insufficient_quota") return undefined;
  if (failure && REFUSALS.includes(failure.status)) return undefined;
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

function describeStatus(failure: ApiFailure, endpoint: EmbedderEndpoint, cause: unknown): AppError {
  const what = `The embedding service at ${endpoint.baseUrl}`;
  const { status, retryAfter, wish } = failure;
  const quote = quoteService(failure.text, endpoint.apiKey);
  if (status === 401 || status === 403)
    return new AppError("unavailable", `${what} refused the key (${status}). Check RECOLLECT_EMBEDDING_API_KEY.`, {
      cause,
      retryAfter: retryAfter ?? REFUSED_PAUSE,
    });
  if (status === 404)
    return new AppError(
      "unavailable",
      `${what} knows no model "${endpoint.model}", or has no embeddings at this address (404). Check RECOLLECT_EMBEDDING_MODEL and RECOLLECT_EMBEDDING_BASE_URL.`,
      { cause, quote, retryAfter: retryAfter ?? REFUSED_PAUSE },
    );
  if (status === 402 || (status === 429 && failure.code === "insufficient_quota"))
    return new AppError(
      "unavailable",
      `${what} says that the account's quota is used up (${status}). Check its billing.`,
      {
        cause,
        retryAfter: retryAfter ?? QUOTA_PAUSE,
      },
    );
  if (status === 429)
    return new AppError("unavailable", `${what} limits the rate of requests (429).${wish}`, {
      cause,
      retryAfter: retryAfter ?? RATE_LIMIT_PAUSE,
    });
  if (status >= 500 || status === 408 || status === 409)
    return new AppError("unavailable", `${what} failed (${status}).${wish}`, {
      cause,
      quote,
      retryAfter: retryAfter ?? AWAY_PAUSE,
    });
  return new AppError("invalid", `${what} refused the request (${status}).`, { cause, quote });
}
