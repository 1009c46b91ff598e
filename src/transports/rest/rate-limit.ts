import { AppError } from "../../core/errors.js";
import type { Actor } from "../../core/types.js";
import { type AttemptCounter, createRateLimiter, type Rate } from "../../lib/rate-limit.js";

/**
 * Counts a request, or further messages found in one already counted.
 * @throws AppError `rate_limited` with the seconds until they are allowed, `invalid` for more than are ever allowed
 */
export type LimitRequests = (
  actor: Actor,
  setHeader: (name: string, value: string) => void,
  further?: number,
) => Promise<void>;

/**
 * Limits each key, and everybody without a key together, to a rate; a key's own rate takes precedence. Without any rate nobody
 * is limited.
 * @param shared counts across services; where it returns none, this process counts its own
 */
export function limitRequests(
  usual: Rate | undefined,
  shared: () => AttemptCounter | null = () => null,
): LimitRequests {
  const own = createRateLimiter();
  return async (actor, setHeader, further) => {
    const rate = actor.rate ?? usual;
    if (rate === undefined) return;
    if (further !== undefined && further >= rate.requests) throw tooManyAtOnce(rate);
    const counted = (shared() ?? own).take(`requests of ${actor.name}`, rate, further ?? 1);
    const { allowed, remaining, waitMs, fullMs } = await counted;
    setHeader("x-ratelimit-limit", String(rate.requests));
    setHeader("x-ratelimit-remaining", String(remaining));
    setHeader("x-ratelimit-reset", String(seconds(fullMs)));
    if (!allowed) throw refusal(rate, seconds(waitMs), actor.rate !== undefined);
  };
}

/** Waiting would not help. */
function tooManyAtOnce({ requests }: Rate): AppError {
  return new AppError(
    "invalid",
    `These are more messages than may be sent together: at most ${requests} are allowed. Send them in parts.`,
  );
}

function refusal({ requests, windowMs }: Rate, retryAfter: number, isOfKey: boolean): AppError {
  const who = isOfKey ? "for this key" : "(RECOLLECT_RATE_LIMIT, RECOLLECT_RATE_WINDOW_SECONDS)";
  return new AppError(
    "rate_limited",
    `Rate limit exceeded: ${requests} requests in ${windowMs / 1_000} seconds are allowed ${who}. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
