/** Runs one piece of work after another, taking turns between queues. */
export interface FairTurns {
  /** Waits for the turn of `queue`, whose work runs in order of arrival. @returns the result of the work */
  take<T>(queue: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is running or waiting. */
  ended(): Promise<void>;
}

/** However much work one queue has, another waits for only one piece of each queue before it. */
export function createFairTurns(): FairTurns {
  /** The next queue comes first; the one whose work is running keeps its place until that ends. */
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
        // Work that throws synchronously must not end the turns of the others.
        waiting.push(() => Promise.resolve().then(work).then(resolve, reject));
        going ??= goOn();
      });
    },
    async ended() {
      await going;
    },
  };
}
