import { inTime } from "./in-time.js";

/** How long a service is waited for, and when it is left alone. */
export interface BreakerOptions<F extends Error> {
  /** Milliseconds that one call is waited for. */
  readonly patienceMs: number;
  /** Asks the service for something that is nobody's, to learn whether it answers. */
  readonly trial: Work<unknown>;
  /** Failures in a row after which it is tried, and left alone if that fails as well. Default 3. */
  readonly failures?: number;
  /** Milliseconds until it is tried again then; each further rest is twice as long. Default 30,000. */
  readonly restMs?: number;
  /** No rest is longer, unless the service asked for it. Default ten minutes. */
  readonly longestRestMs?: number;
  /** What a call fails with that took too long. */
  readonly late: () => F;
  /** True for errors that count. `late()` must be one; others say nothing of the service. */
  readonly isFailure: (error: unknown) => error is F;
  /** Milliseconds for which the service asks to be left alone at once, by such an error; undefined or 0 where it does not. */
  readonly restAfter?: (failure: F) => number | undefined;
  /** A failure as it is told to those whose call it was not. */
  readonly forOthers: (failure: F) => F;
}

/** The signal is aborted when nobody waits any more; what goes on all the same has no effect here. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

export interface CircuitBreaker {
  /**
   * Does the work, within the patience. Once the service is left alone it fails at once, with the last failure.
   * @throws what the work throws, or `late()`
   */
  ask<T>(work: Work<T>): Promise<T>;
  /**
   * The last failure, as it is told to others; null once a call or a trial succeeded after it. Whoever asks wants to know
   * whether it is over, so a service that is left alone is tried for it as for a call.
   */
  failure(): Error | null;
}

const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** A rest that has begun. */
interface Rest {
  readonly ms: number;
  readonly failure: Error;
  isWanted: boolean;
  isOver: boolean;
}

/**
 * Lets callers wait for a service that answers, and not for one that does not. What some callers ask may fail alone, so it is
 * tried with what is nobody's before it is left alone; they go on meanwhile. One that is left alone is tried in the background,
 * while nobody waits: after the first rest in any case, later only where somebody wanted it meanwhile. A failure that no call
 * follows is looked into after as long a time, so that it is not told of for hours.
 */
export function createCircuitBreaker<F extends Error>(options: BreakerOptions<F>): CircuitBreaker {
  const { failures: most = 3, restMs = REST_MS, longestRestMs = LONGEST_REST_MS, isFailure, forOthers } = options;
  let failures = 0;
  let last: Error | null = null;
  let resting: Rest | undefined;
  let isInDoubt = false;
  let isToLook = false;

  function succeed(): void {
    failures = 0;
    last = null;
    resting = undefined;
  }

  function fail(failure: F): void {
    failures += 1;
    last = forOthers(failure);
    const ms = options.restAfter?.(failure);
    if (ms) rest(ms, failure, true);
    else if (failures < most) lookLater();
    else if (!isInDoubt) void verify();
  }

  function lookLater(): void {
    if (isToLook) return;
    isToLook = true;
    setTimeout(() => {
      isToLook = false;
      if (failures > 0 && !resting && !isInDoubt) void verify();
    }, restMs).unref();
  }

  function rest(ms: number, failure: F, isWanted: boolean): void {
    const next: Rest = { ms, failure: forOthers(failure), isWanted, isOver: false };
    resting = next;
    last = next.failure;
    // A process that ends waits for no rest.
    setTimeout(() => {
      if (resting !== next) return;
      next.isOver = true;
      if (next.isWanted) void tryAgain(next);
    }, ms).unref();
  }

  /** What the service fails a trial with; undefined when it answers. */
  async function tryOnce(): Promise<F | undefined> {
    try {
      await withPatience(options.trial, options);
      return undefined;
    } catch (error) {
      return isFailure(error) ? error : undefined;
    }
  }

  async function verify(): Promise<void> {
    isInDoubt = true;
    const failure = await tryOnce();
    isInDoubt = false;
    if (resting) return;
    if (!failure) succeed();
    else if (failures >= most) rest(options.restAfter?.(failure) || restMs, failure, true);
    else fail(failure);
  }

  async function tryAgain(after: Rest): Promise<void> {
    after.isOver = false;
    after.isWanted = false;
    const failure = await tryOnce();
    if (resting !== after) return;
    if (!failure) succeed();
    else rest(options.restAfter?.(failure) || Math.min(after.ms * 2, longestRestMs), failure, after.isWanted);
  }

  function turnAway(from: Rest): void {
    if (from.isOver) void tryAgain(from);
    else from.isWanted = true;
  }

  return {
    failure() {
      if (resting) turnAway(resting);
      return last;
    },
    async ask(work) {
      if (resting) {
        turnAway(resting);
        throw resting.failure;
      }
      try {
        const value = await withPatience(work, options);
        succeed();
        return value;
      } catch (error) {
        if (isFailure(error) && !resting) fail(error);
        throw error;
      }
    },
  };
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
