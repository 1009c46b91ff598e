/** Lets a few pieces of work go on at once; the others wait in the order in which they came. */
export interface ConcurrencyLimit {
  /** Waits for its turn. @returns what is to be called, once, when the work is over, however it ended */
  enter(): Promise<() => void>;
}

/**
 * @param most pieces of work at once
 * @param patienceMs nothing waits for longer: work that hangs must not hold up what has nothing to do with it
 */
export function createConcurrencyLimit({ most, patienceMs }: { most: number; patienceMs: number }): ConcurrencyLimit {
  const line = new Set<() => void>();
  let running = 0;

  function turn(): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        clearTimeout(timer);
        line.delete(start);
        running += 1;
        resolve();
      };
      const timer = setTimeout(start, patienceMs);
      timer.unref();
      line.add(start);
    });
  }

  function leave(): void {
    running -= 1;
    const [next] = line;
    if (running < most) next?.();
  }

  return {
    async enter() {
      if (running >= most) await turn();
      else running += 1;
      return leave;
    },
  };
}
