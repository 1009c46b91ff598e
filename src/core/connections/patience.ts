import { inTime } from "../../lib/in-time.js";
import { AppError } from "../errors.js";

const PATIENCE_MS = 60_000;

/**
 * Runs a request to a source that somebody is waiting for, for at most a minute; sources that ignore the signal are then
 * abandoned.
 * @param whose the name of the source, such as “GitHub”
 * @throws AppError `unavailable` when the time is up; what the work throws
 */
export function withPatience<T>(
  whose: string,
  work: (signal: AbortSignal) => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const waiting = new AbortController();
  return inTime(work(waiting.signal), patienceMs, () => {
    const late = new AppError(
      "unavailable",
      `${whose} did not answer within ${patienceMs / 1_000} seconds. Try again later.`,
    );
    waiting.abort(late);
    return late;
  });
}
