/** Lets a few pieces of work run at once; the others wait. */
export interface ConcurrencyLimit {
  /**
   * Waits for a turn: the caller with the least work running goes first, and the work of each caller in order of
   * arrival; but none is passed over again and again. Without names, all count as one caller; work with several names counts
   * for each of them.
   * @returns a function to be called once when the work is over, however it ended
   */
  enter(callers?: string | readonly string[]): Promise<() => void>;
}

/** How often others may go before the work that has waited longest. */
const MOST_PASSED_OVER = 20;

interface Waiting {
  readonly callers: readonly string[];
  passedOver: number;
  readonly start: () => void;
}

/**
 * @param most concurrent pieces of work
 * @param patienceMs limits how long hanging work can block others: after this time, a caller with nothing running waits no
 *   longer, and all others go one by one if nothing started or ended in that time
 */
export function createConcurrencyLimit({ most, patienceMs }: { most: number; patienceMs: number }): ConcurrencyLimit {
  const line = new Set<Waiting>();
  const runningOf = new Map<string, number>();
  let running = 0;
  let moved = 0;

  function change(callers: readonly string[], by: 1 | -1): void {
    for (const caller of new Set(callers)) {
      const left = (runningOf.get(caller) ?? 0) + by;
      if (left > 0) runningOf.set(caller, left);
      else runningOf.delete(caller);
    }
    running += by;
    moved = performance.now();
  }

  function loadOf(callers: readonly string[]): number {
    return callers.reduce((most, caller) => Math.max(most, runningOf.get(caller) ?? 0), 0);
  }

  function turn(callers: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        line.delete(waiting);
        change(callers, 1);
        resolve();
      };
      const lookAgain = (): void => {
        const left = moved + patienceMs - performance.now();
        if (loadOf(callers) === 0 || left <= 0) start();
        else timer = setTimeout(lookAgain, Math.ceil(left)).unref();
      };
      const waiting: Waiting = { callers, passedOver: 0, start };
      let timer = setTimeout(lookAgain, patienceMs).unref();
      line.add(waiting);
    });
  }

  function startNext(): void {
    const [longest] = line;
    if (!longest) return;
    const next = longest.passedOver < MOST_PASSED_OVER ? leastLoaded(longest) : longest;
    if (next !== longest) longest.passedOver += 1;
    next.start();
  }

  function leastLoaded(first: Waiting): Waiting {
    let next = first;
    let least = loadOf(first.callers);
    for (const waiting of line) {
      if (least === 0) break;
      const load = loadOf(waiting.callers);
      if (load < least) [next, least] = [waiting, load];
    }
    return next;
  }

  return {
    async enter(names = "") {
      const callers = typeof names === "string" ? [names] : names;
      if (running >= most) await turn(callers);
      else change(callers, 1);
      return () => {
        change(callers, -1);
        if (running < most) startNext();
      };
    },
  };
}
