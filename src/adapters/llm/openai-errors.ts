import { AppError, ServiceRefusal, UnclearFailure, UnclearRefusal } from "../../core/errors.js";
import { type ApiFailure, describeBreak, quoteService, readApiFailure } from "../../lib/api-failure.js";

/** What error messages may contain. The key is here only to be redacted. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Names of the settings that a person would have to change. */
  readonly settings: { readonly baseUrl: string; readonly apiKey: string; readonly model: string };
}

/** Seconds to pause when a busy service does not say for how long. */
const BUSY_PAUSE = 30;
/** An account without credit is not tried again and again; in seconds. */
const CREDIT_PAUSE = 3_600;
const OUT_OF_CREDIT = /insufficient[ _](?:quota|credit|balance|funds)|billing|credit balance|out of credit|payment/i;
const TOO_LONG =
  /context[ _](?:length|window)|maximum context|too many tokens|prompt is too long|input.{0,20}too long/i;
/** Some refuse a single text with 403, and say so; that means nothing for other requests. */
const OF_THE_TEXT = /moderation|flagged|content[ _-]?(?:policy|filter|management)|safety/i;

/** Turns whatever a call threw into an AppError that says what to do; `unavailable` always with `retryAfter`. */
export function describeFailure(error: unknown, endpoint: ModelEndpoint, model: string): AppError {
  if (error instanceof AppError) return error;
  const failure = readApiFailure(error);
  if (failure) return describeStatus(failure, endpoint, model, error);
  const why = describeBreak(error, { expected: "an answer", addressSetting: endpoint.settings.baseUrl });
  return new UnclearFailure("unavailable", `The language model at ${endpoint.baseUrl} ${why}`, {
    cause: error,
    retryAfter: BUSY_PAUSE,
  });
}

/** Statuses of services that accept no pictures for a model, or not this one. */
const OF_PICTURES: ReadonlySet<number> = new Set([400, 404, 415, 422, 501]);
/** Some servers fail where a model has no vision, and say so. */
const NO_EYES = /\b(?:images?|vision|multi-?modal|mmproj)\b/i;

/**
 * The refusal of a request because of its picture, as `unsupported`: nothing in it suggests that requests without one are
 * refused too. Undefined for all other failures.
 */
export function describePictureRefusal(error: unknown, endpoint: ModelEndpoint): AppError | undefined {
  const failure = readApiFailure(error);
  if (!failure || isOutOfCredit(failure)) return undefined;
  const { status, code, text } = failure;
  const isRefusal = OF_PICTURES.has(status)
    ? !TOO_LONG.test(`${code} ${text}`)
    : status === 500 && NO_EYES.test(`${text}`);
  if (!isRefusal) return undefined;
  const quote = quoteService(text, endpoint.apiKey);
  const what = `The language model at ${endpoint.baseUrl} refused the picture (${status}).`;
  return new AppError("unsupported", what, { cause: error, quote });
}

/**
 * Milliseconds that the service asks to wait before the next attempt, 0 when it named none; undefined when another attempt makes
 * no sense now.
 */
export function pauseBeforeRetry(error: AppError): number | undefined {
  if (error.kind !== "unavailable") return undefined;
  const failure = readApiFailure(error.cause);
  if (failure && (failure.status === 402 || isOutOfCredit(failure))) return undefined;
  if (failure?.status === 429) return (failure.retryAfter ?? BUSY_PAUSE) * 1000;
  return (failure?.retryAfter ?? 0) * 1000;
}

function describeStatus(failure: ApiFailure, endpoint: ModelEndpoint, model: string, cause: unknown): AppError {
  const what = `The language model at ${endpoint.baseUrl}`;
  const { status, retryAfter, wish } = failure;
  const { settings } = endpoint;
  const quote = quoteService(failure.text, endpoint.apiKey);
  if (status === 402 || isOutOfCredit(failure))
    return new AppError(
      "unavailable",
      `${what} says that the account has no credit left (${status}). Check its billing.`,
      {
        cause,
        retryAfter: retryAfter ?? CREDIT_PAUSE,
      },
    );
  if (status === 403 && OF_THE_TEXT.test(`${failure.code ?? ""} ${failure.text ?? ""}`))
    return new AppError("invalid", `${what} refused the text (403).`, { cause, quote });
  if (status === 401 || status === 403)
    return new (status === 403 ? UnclearRefusal : ServiceRefusal)(
      "invalid",
      `${what} refused the key (${status}). Check ${settings.apiKey}.`,
      {
        cause,
        quote,
      },
    );
  if (status === 404)
    return new ServiceRefusal(
      "invalid",
      `${what} knows no model "${model}", or has no chat completions at this address (404). Check ${settings.model} and ${settings.baseUrl}.`,
      { cause, quote },
    );
  if (status === 429)
    return new AppError("unavailable", `${what} limits the rate of requests (429).${wish}`, {
      cause,
      retryAfter: retryAfter ?? BUSY_PAUSE,
    });
  if (status >= 500 || status === 408 || status === 409)
    return new (retryAfter === undefined ? UnclearFailure : AppError)(
      "unavailable",
      `${what} failed (${status}).${wish}`,
      { cause, quote, retryAfter: retryAfter ?? BUSY_PAUSE },
    );
  if (status === 413 || TOO_LONG.test(`${failure.code ?? ""} ${failure.text ?? ""}`))
    return new AppError("too_large", `${what} does not accept texts of this length (${status}).`, { cause, quote });
  return new AppError("invalid", `${what} refused the request (${status}).`, { cause, quote });
}

/** Some say so with 400 or 403, most with 429. */
function isOutOfCredit({ status, code, text }: ApiFailure): boolean {
  if (code === "insufficient_quota") return true;
  return [400, 403, 429].includes(status) && OUT_OF_CREDIT.test(`${code ?? ""} ${text ?? ""}`);
}
