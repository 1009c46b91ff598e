import { sleep } from "./time.js";

export interface BackoffOptions {
  /** Maximum wait after the first failure, in milliseconds. */
  readonly baseMs: number;
  /** Maximum wait, in milliseconds. */
  readonly maximumMs: number;
  /** From 0 up to but not including 1; tests pass their own. */
  readonly random?: () => number;
}

/**
 * Milliseconds to wait after failure number `attempt` (1 is the first): doubles each time, with jitter over the upper
 * half, so that many clients that failed together do not return together.
 */
export function backoff(attempt: number, options: BackoffOptions): number {
  const random = options.random ?? Math.random;
  const exponent = Math.min(Math.max(attempt, 1) - 1, 52);
  const ceiling = Math.min(options.maximumMs, options.baseMs * 2 ** exponent);
  return Math.round(ceiling * (0.5 + random() / 2));
}

export interface RetryOptions extends BackoffOptions {
  /** Calls in total, including the first; at least 1. */
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * What to do about an error: `false` gives up, a number waits at least that many milliseconds, `true` backs off.
   */
  readonly judge: (error: unknown) => boolean | number;
}

/**
 * Calls `work` until it succeeds.
 * @throws the last error when it gives up, the signal's reason when it aborts during a wait
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      const verdict = attempt >= options.attempts || options.signal?.aborted ? false : options.judge(error);
      if (verdict === false) throw error;
      const wait = Math.max(backoff(attempt, options), verdict === true ? 0 : verdict);
      await sleep(wait, options.signal ? { signal: options.signal } : {});
    }
  }
}
