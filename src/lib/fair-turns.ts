/** Does one piece of work after the other, and takes turns between those whose work waits. */
export interface FairTurns {
  /** Waits for the turn of `queue`, within which work goes on in the order in which it came. @returns what the work does */
  take<T>(queue: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits any more. */
  ended(): Promise<void>;
}

/** However much work one queue has, another one waits for a single piece of each queue before it. */
export function createFairTurns(): FairTurns {
  /** The queue that is next comes first; the one whose work runs stays in its place until that is over. */
  const queues = new Map<string, (() => Promise<void>)[]>();
  let going: Promise<void> | null = null;

  async function goOn(): Promise<void> {
    for (let [next] = queues; next; [next] = queues) {
      const [queue, waiting] = next;
      await waiting.shift()?.();
      queues.delete(queue);
      if (waiting.length > 0) queues.set(queue, waiting);
    }
    going = null;
  }

  return {
    take(queue, work) {
      return new Promise((resolve, reject) => {
        const waiting = queues.get(queue) ?? [];
        queues.set(queue, waiting);
        // Work that throws before it waits for anything must not end the turns of the others.
        waiting.push(() => Promise.resolve().then(work).then(resolve, reject));
        going ??= goOn();
      });
    },
    async ended() {
      await going;
    },
  };
}
