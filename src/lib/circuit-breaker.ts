/** How long a service is waited for, and when it is left alone. */
export interface BreakerOptions {
  /** Milliseconds that one call is waited for. */
  readonly patienceMs: number;
  /** Failures in a row after which the service is left alone. Default 3. */
  readonly failures?: number;
  /** Milliseconds until it is tried for the first time then; each further rest is twice as long. Default 30,000. */
  readonly restMs?: number;
  /** No rest is longer, unless the service asked for it. Default ten minutes. */
  readonly longestRestMs?: number;
  /** What a call fails with that took too long. */
  readonly late: () => Error;
  /** True for errors that count. `late()` must be one; others say nothing of the service. */
  readonly isFailure: (error: unknown) => error is Error;
  /** Milliseconds for which the service asks to be left alone at once, by such an error; undefined where it does not. */
  readonly restAfter?: (failure: Error) => number | undefined;
}

/** The signal is aborted when nobody waits any more; what goes on all the same has no effect here. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

export interface CircuitBreaker {
  /**
   * Does the work, within the patience. Once the service is left alone it fails at once, with the last failure.
   * @throws what the work throws, or `late()`
   */
  ask<T>(work: Work<T>): Promise<T>;
  /** The last failure; null once a call succeeded after it. */
  failure(): Error | null;
}

const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** A rest that has begun. */
interface Rest {
  readonly ms: number;
  readonly failure: Error;
  /** What somebody wanted meanwhile: the service is tried with the latest of it. */
  wanted: Work<unknown> | undefined;
  isOver: boolean;
}

/**
 * Lets callers wait for a service that answers, and not for one that does not. One that is left alone is tried in the
 * background, while nobody waits: after the first rest in any case, later only where somebody wanted it meanwhile.
 */
export function createCircuitBreaker(options: BreakerOptions): CircuitBreaker {
  const { failures: most = 3, restMs = REST_MS, longestRestMs = LONGEST_REST_MS, isFailure } = options;
  let failures = 0;
  let last: Error | null = null;
  let resting: Rest | undefined;

  function succeed(): void {
    failures = 0;
    last = null;
    resting = undefined;
  }

  function fail(failure: Error, work: Work<unknown>): void {
    failures += 1;
    last = failure;
    const ms = options.restAfter?.(failure) ?? (failures >= most ? restMs : undefined);
    if (ms !== undefined) rest({ ms, failure, wanted: work, isOver: false });
  }

  function rest(next: Rest): void {
    resting = next;
    last = next.failure;
    // A process that ends waits for no rest.
    setTimeout(() => {
      if (resting !== next) return;
      next.isOver = true;
      if (next.wanted) void tryAgain(next, next.wanted);
    }, next.ms).unref();
  }

  async function tryAgain(after: Rest, work: Work<unknown>): Promise<void> {
    after.isOver = false;
    after.wanted = undefined;
    try {
      await inTime(work, options);
      if (resting === after) succeed();
    } catch (error) {
      if (resting !== after) return;
      if (!isFailure(error)) return succeed();
      const ms = options.restAfter?.(error) ?? Math.min(after.ms * 2, longestRestMs);
      rest({ ms, failure: error, wanted: after.wanted, isOver: false });
    }
  }

  function turnAway(from: Rest, work: Work<unknown>): void {
    if (from.isOver) void tryAgain(from, work);
    else from.wanted = work;
  }

  return {
    failure: () => last,
    async ask(work) {
      if (resting) {
        turnAway(resting, work);
        throw resting.failure;
      }
      try {
        const value = await inTime(work, options);
        succeed();
        return value;
      } catch (error) {
        if (isFailure(error) && !resting) fail(error, work);
        throw error;
      }
    },
  };
}

async function inTime<T>(work: Work<T>, { patienceMs, late }: BreakerOptions): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
      controller.abort();
    }, patienceMs);
  });
  try {
    return await Promise.race([work(controller.signal), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
