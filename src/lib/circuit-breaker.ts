import { inTime } from "./in-time.js";

/** How long to wait for a service, and when to leave it alone. */
export interface BreakerOptions<F extends Error> {
  /** Time limit for one call, in milliseconds. */
  readonly patienceMs: number;
  /** Sends the service a request without user data, to learn whether it answers. */
  readonly trial: Work<unknown>;
  /** Consecutive failures after which it is tried, and left alone if that fails as well. Default 3. */
  readonly failures?: number;
  /** Milliseconds until the next trial; each further rest is twice as long. Default 30,000. */
  readonly restMs?: number;
  /** Maximum rest, unless the service asked for more. Default ten minutes. */
  readonly longestRestMs?: number;
  /** The error of a call that took too long. */
  readonly late: () => F;
  /** True for errors that count. `late()` must be one; others say nothing about the service. */
  readonly isFailure: (error: unknown) => error is F;
  /** Milliseconds for which such an error asks to be left alone at once; undefined or 0 if it does not. */
  readonly restAfter?: (failure: F) => number | undefined;
  /** A failure as reported to callers other than its own. */
  readonly forOthers: (failure: F) => F;
}

/** The signal is aborted when nobody waits any more; work that continues anyway has no effect here. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

export interface CircuitBreaker {
  /**
   * Does the work, within the time limit. While the service is left alone it fails at once, with the last failure.
   * @throws what the work throws, or `late()`
   */
  ask<T>(work: Work<T>): Promise<T>;
  /**
   * The last failure, as reported to others; null once a later call or trial succeeded. Asking counts as interest, so a
   * service that is left alone is tried for it as for a call.
   */
  failure(): Error | null;
}

const MOST_FAILURES = 3;
const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** A rest that has started. */
interface Rest {
  readonly ms: number;
  readonly failure: Error;
  isWanted: boolean;
  hasElapsed: boolean;
}

/**
 * Lets callers wait for a service that answers, but not for one that does not. Some calls may fail on their own
 * account, so the service is tried with a neutral request before it is left alone; callers continue meanwhile. A
 * service that is left alone is tried in the background, while nobody waits: always after the first rest, later only if
 * somebody wanted it meanwhile. A failure that no call follows is checked after the same time, so that it is not
 * reported for hours.
 */
export function createCircuitBreaker<F extends Error>(options: BreakerOptions<F>): CircuitBreaker {
  return new Breaker(options);
}

class Breaker<F extends Error> implements CircuitBreaker {
  readonly #options: BreakerOptions<F>;
  readonly #most: number;
  readonly #restMs: number;
  #failures = 0;
  #last: Error | null = null;
  #resting: Rest | undefined;
  #isInDoubt = false;
  #isToLook = false;

  constructor(options: BreakerOptions<F>) {
    this.#options = options;
    this.#most = options.failures ?? MOST_FAILURES;
    this.#restMs = options.restMs ?? REST_MS;
  }

  failure(): Error | null {
    if (this.#resting) this.#turnAway(this.#resting);
    return this.#last;
  }

  async ask<T>(work: Work<T>): Promise<T> {
    if (this.#resting) {
      this.#turnAway(this.#resting);
      throw this.#resting.failure;
    }
    try {
      const value = await withPatience(work, this.#options);
      this.#succeed();
      return value;
    } catch (error) {
      if (this.#options.isFailure(error) && !this.#resting) this.#fail(error);
      throw error;
    }
  }

  #succeed(): void {
    this.#failures = 0;
    this.#last = null;
    this.#resting = undefined;
  }

  #fail(failure: F): void {
    this.#failures += 1;
    this.#last = this.#options.forOthers(failure);
    const ms = this.#wantedRest(failure);
    if (ms) this.#rest(ms, failure, true);
    else if (this.#failures < this.#most) this.#lookLater();
    else if (!this.#isInDoubt) void this.#verify();
  }

  #lookLater(): void {
    if (this.#isToLook) return;
    this.#isToLook = true;
    setTimeout(() => {
      this.#isToLook = false;
      if (this.#failures > 0 && !this.#resting && !this.#isInDoubt) void this.#verify();
    }, this.#restMs).unref();
  }

  async #verify(): Promise<void> {
    this.#isInDoubt = true;
    const failure = await this.#tryOnce();
    this.#isInDoubt = false;
    if (this.#resting) return;
    if (!failure) this.#succeed();
    else if (this.#failures >= this.#most) this.#rest(this.#wantedRest(failure) || this.#restMs, failure, true);
    else this.#fail(failure);
  }

  #rest(ms: number, failure: F, isWanted: boolean): void {
    const next: Rest = { ms, failure: this.#options.forOthers(failure), isWanted, hasElapsed: false };
    this.#resting = next;
    this.#last = next.failure;
    // A rest does not keep the process alive.
    setTimeout(() => {
      if (this.#resting !== next) return;
      next.hasElapsed = true;
      if (next.isWanted) void this.#tryAgain(next);
    }, ms).unref();
  }

  #turnAway(from: Rest): void {
    if (from.hasElapsed) void this.#tryAgain(from);
    else from.isWanted = true;
  }

  async #tryAgain(after: Rest): Promise<void> {
    after.hasElapsed = false;
    after.isWanted = false;
    const failure = await this.#tryOnce();
    if (this.#resting !== after) return;
    const longestMs = this.#options.longestRestMs ?? LONGEST_REST_MS;
    if (!failure) this.#succeed();
    else this.#rest(this.#wantedRest(failure) || Math.min(after.ms * 2, longestMs), failure, after.isWanted);
  }

  /** The failure of a trial; undefined when the service answers. */
  async #tryOnce(): Promise<F | undefined> {
    try {
      await withPatience(this.#options.trial, this.#options);
      return undefined;
    } catch (error) {
      return this.#options.isFailure(error) ? error : undefined;
    }
  }

  #wantedRest(failure: F): number | undefined {
    return this.#options.restAfter?.(failure);
  }
}

/** The signal tells the work that nobody waits any more. */
async function withPatience<T>(
  work: Work<T>,
  { patienceMs, late }: Pick<BreakerOptions<Error>, "patienceMs" | "late">,
): Promise<T> {
  const controller = new AbortController();
  try {
    return await inTime(work(controller.signal), patienceMs, late);
  } finally {
    controller.abort();
  }
}
