import { sleep } from "../../lib/time.js";

const DEFAULTS = { everyMs: 5_000, misses: 3 };

export interface PulseOptions {
  /** True when the other side answers. Must end by itself. */
  readonly ping: () => Promise<boolean>;
  /** The error to abort calls with when it does not. */
  readonly silence: () => Error;
  /** Milliseconds between two pings. Default 5,000. */
  readonly everyMs?: number | undefined;
  /** How many unanswered pings in a row count as silence. Default 3. */
  readonly misses?: number | undefined;
}

/** Tells a slow call from one that will never be answered. */
export interface Pulse {
  /** Does the work; aborts its signal when the other side has fallen silent. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts everything that is running. */
  stop(reason: Error): void;
}

/**
 * Pings while calls are running, however many there are. Missed pings are counted rather than time: a machine that was suspended
 * must not blame the other side.
 */
export function createPulse({ ping, silence, ...options }: PulseOptions): Pulse {
  const { everyMs = DEFAULTS.everyMs, misses = DEFAULTS.misses } = options;
  const running = new Set<AbortController>();
  let isBeating = false;

  async function beat(): Promise<void> {
    for (let missed = 0; ;) {
      await sleep(everyMs, { unref: true });
      if (running.size === 0) return;
      missed = (await ping()) ? 0 : missed + 1;
      if (missed < misses) continue;
      stop(silence());
      missed = 0;
    }
  }

  function stop(reason: Error): void {
    for (const controller of running) controller.abort(reason);
  }

  return {
    async during(work) {
      const controller = new AbortController();
      running.add(controller);
      if (!isBeating) {
        isBeating = true;
        void beat().finally(() => (isBeating = false));
      }
      try {
        return await work(controller.signal);
      } finally {
        running.delete(controller);
      }
    },
    stop,
  };
}
