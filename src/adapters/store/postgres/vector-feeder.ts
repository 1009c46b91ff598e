import type { HeldRole, SharedRole } from "../../../core/ports.js";
import { sleep } from "../../../lib/time.js";
import { endLock, FEEDER_LOCK, tryLock } from "./advisory-lock.js";

export interface VectorFeederTuning {
  /** Milliseconds between two attempts. Default 5,000. */
  readonly triesEveryMs?: number;
  /** Milliseconds between two signs of life. Default 5,000. */
  readonly beatsEveryMs?: number;
  /** Milliseconds without a sign of life after which this process stops. Default 25,000. */
  readonly stopsAfterMs?: number;
  /**
   * Milliseconds without a sign of life after which another process may begin. Default 60,000: what was asked of Chroma just before
   * this process stopped has been answered by then.
   */
  readonly passesAfterMs?: number;
}

/**
 * Lets one of the nodes of a database feed Chroma, by a lock on a connection. It passes to another when that connection is over,
 * and when the node that has it is held up for a minute, which that node notices before.
 */
export function createVectorFeeder(url: string, tuning: VectorFeederTuning = {}): SharedRole {
  const { triesEveryMs = 5_000, passesAfterMs = 60_000 } = tuning;
  return {
    async take(signal) {
      for (;;) {
        signal.throwIfAborted();
        const lost = new AbortController();
        const options = { isShared: false, onEnd: () => lost.abort(), silentMs: passesAfterMs };
        // A database that is away says so elsewhere; until it is back, nobody feeds anything.
        const client = await tryLock(url, FEEDER_LOCK, options).catch(() => null);
        if (client !== null) return holdRole({ client, lost }, tuning);
        await sleep(triesEveryMs, { signal, unref: true });
      }
    },
  };
}

interface Lock {
  readonly client: NonNullable<Awaited<ReturnType<typeof tryLock>>>;
  readonly lost: AbortController;
}

function holdRole(
  { client, lost }: Lock,
  { beatsEveryMs = 5_000, stopsAfterMs = 25_000 }: VectorFeederTuning,
): HeldRole {
  let beatAt = performance.now();
  const end = (): Promise<void> => {
    lost.abort();
    clearInterval(beats);
    return endLock(client);
  };
  // One look later than the others would be too late: a process that was held up sees here first how long it was.
  const beats = setInterval(() => {
    if (performance.now() - beatAt > stopsAfterMs) return void end();
    const askedAt = performance.now();
    client.query("select 1").then(
      () => (beatAt = askedAt),
      () => end(),
    );
  }, beatsEveryMs);
  beats.unref();
  return { lost: lost.signal, release: end };
}
