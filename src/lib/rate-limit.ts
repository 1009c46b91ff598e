/** How often something may be done. */
export interface Rate {
  /** Maximum number within the window, and at once. */
  readonly requests: number;
  readonly windowMs: number;
}

/** The outcome of one attempt. */
export interface Allowance {
  readonly allowed: boolean;
  /** Attempts that would be allowed right now. */
  readonly remaining: number;
  /** Milliseconds until the next attempt is allowed; 0 if it is now. */
  readonly waitMs: number;
  /** Milliseconds until the full number of attempts is allowed again. */
  readonly fullMs: number;
}

/** Counts attempts, in this process or shared with others. */
export interface AttemptCounter {
  /** Counts an attempt under this name, or several at once: all of them, or none if refused. */
  take(name: string, rate: Rate, attempts?: number): Allowance | Promise<Allowance>;
  /** Takes back an attempt that should not have been counted. */
  giveBack(name: string, rate: Rate): void | Promise<void>;
}

/** Counts the attempts of this process. */
export interface RateLimiter extends AttemptCounter {
  take(name: string, rate: Rate, attempts?: number): Allowance;
  giveBack(name: string, rate: Rate): void;
  /** Names currently remembered. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was computed. */
  at: number;
}

/**
 * Token buckets: each name may spend `requests` at once and regains them evenly over the window, so that after a
 * refusal it waits for one only. The rate is given with each attempt and may change between them.
 * @param maxNames beyond this number the name idle for longest is forgotten, and starts with a full bucket again
 * @param now milliseconds of a monotonic clock
 */
export function createRateLimiter({
  maxNames = 10_000,
  now = () => performance.now(),
}: { maxNames?: number; now?: () => number } = {}): RateLimiter {
  /** In the order of their last attempt. */
  const buckets = new Map<string, Bucket>();

  function refill(name: string, { requests, windowMs }: Rate): Bucket {
    const at = now();
    const known = buckets.get(name);
    if (known === undefined) return { tokens: requests, at };
    const earned = (Math.max(0, at - known.at) * requests) / windowMs;
    return { tokens: Math.min(requests, known.tokens + earned), at };
  }

  function remember(name: string, bucket: Bucket): void {
    buckets.delete(name);
    buckets.set(name, bucket);
    if (buckets.size <= maxNames) return;
    const oldest = buckets.keys().next();
    if (!oldest.done) buckets.delete(oldest.value);
  }

  return {
    take(name, rate, attempts = 1) {
      const { requests, windowMs } = rate;
      const bucket = refill(name, rate);
      const allowed = bucket.tokens >= attempts;
      if (allowed) bucket.tokens -= attempts;
      remember(name, bucket);
      const timeFor = (tokens: number) => Math.max(0, ((tokens - bucket.tokens) * windowMs) / requests);
      return {
        allowed,
        remaining: Math.floor(bucket.tokens),
        waitMs: allowed ? 0 : timeFor(Math.min(attempts, requests)),
        fullMs: timeFor(requests),
      };
    },
    giveBack(name, rate) {
      const bucket = refill(name, rate);
      bucket.tokens = Math.min(rate.requests, bucket.tokens + 1);
      remember(name, bucket);
    },
    get size() {
      return buckets.size;
    },
  };
}
