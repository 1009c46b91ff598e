import { AppError } from "../../core/errors.js";
import { parseRetryAfter } from "../../lib/http-fetch.js";

/** Seconds; a server that wants a longer pause is still asked again. */
const LONGEST_PAUSE = 15 * 60;

/** What a status other than 200 means for whoever gave the address. */
export function describeStatus(status: number, retryAfter: string | undefined, place: string): AppError {
  const seconds = parseRetryAfter(retryAfter);
  if (status === 429 || status === 503)
    return new AppError(
      "unavailable",
      `${place} was not fetched: the server asks for fewer requests, or is overloaded (status ${status}).`,
      seconds === undefined ? {} : { retryAfter: Math.min(seconds, LONGEST_PAUSE) },
    );
  if (status === 408 || status >= 500)
    return new AppError("unavailable", `${place} was not fetched: the server reported an error (status ${status}).`);
  if (status === 404 || status === 410)
    return new AppError("not_found", `${place} was not fetched: there is no such page (status ${status}).`);
  if (status === 401 || status === 403 || status === 407)
    return new AppError(
      "forbidden",
      `${place} was not fetched: the page is not public (status ${status}). Send its text, or the file.`,
    );
  return new AppError("invalid", `${place} was not fetched: the server answered with status ${status}.`);
}
