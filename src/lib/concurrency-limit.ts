/** Lets a few pieces of work run at once; the others wait. */
export interface ConcurrencyLimit {
  /**
   * Waits for a turn: the caller with the least work running goes first, and the work of each caller in order of
   * arrival. Without names, all count as one caller.
   * @returns a function to be called once when the work is over, however it ended
   */
  enter(caller?: string): Promise<() => void>;
}

interface Caller {
  readonly line: Set<() => void>;
  running: number;
}

/**
 * @param most concurrent pieces of work
 * @param patienceMs limits how long hanging work can block others: after this time, a caller with nothing running waits no
 *   longer, and all others go one by one if nothing started or ended in that time
 */
export function createConcurrencyLimit({ most, patienceMs }: { most: number; patienceMs: number }): ConcurrencyLimit {
  const callers = new Map<string, Caller>();
  let running = 0;
  let moved = 0;

  function begin(caller: Caller): void {
    caller.running += 1;
    running += 1;
    moved = performance.now();
  }

  function turn(caller: Caller): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        caller.line.delete(start);
        begin(caller);
        resolve();
      };
      const lookAgain = (): void => {
        const left = moved + patienceMs - performance.now();
        if (caller.running === 0 || left <= 0) start();
        else timer = setTimeout(lookAgain, Math.ceil(left)).unref();
      };
      let timer = setTimeout(lookAgain, patienceMs).unref();
      caller.line.add(start);
    });
  }

  function leave(name: string, caller: Caller): void {
    caller.running -= 1;
    running -= 1;
    moved = performance.now();
    if (caller.running === 0 && caller.line.size === 0) callers.delete(name);
    if (running < most) startNext();
  }

  function startNext(): void {
    let next: Caller | undefined;
    for (const caller of callers.values())
      if (caller.line.size > 0 && (!next || caller.running < next.running)) next = caller;
    const [start] = next?.line ?? [];
    start?.();
  }

  return {
    async enter(name = "") {
      const caller = callers.get(name) ?? { line: new Set(), running: 0 };
      callers.set(name, caller);
      if (running >= most) await turn(caller);
      else begin(caller);
      return () => leave(name, caller);
    },
  };
}
