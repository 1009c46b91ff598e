import type { HeldRole, SharedRole } from "../../../core/ports.js";
import { sleep } from "../../../lib/time.js";
import { endLock, FEEDER_LOCK, tryLock } from "./advisory-lock.js";

export interface VectorFeederTuning {
  /** Milliseconds between two attempts. Default 5,000. */
  readonly triesEveryMs?: number;
  /** Milliseconds between two heartbeats. Default 5,000. */
  readonly beatsEveryMs?: number;
  /** Milliseconds without a heartbeat after which this process stops. Default 25,000. */
  readonly stopsAfterMs?: number;
  /**
   * Milliseconds without a heartbeat after which another process may begin. Default 60,000: by then Chroma has answered whatever
   * this process asked just before it stopped.
   */
  readonly passesAfterMs?: number;
}

/**
 * Lets one node of a database feed Chroma, with a lock on a connection. The role passes to another node when that connection
 * ends, or when its holder hangs for a minute, which the holder itself notices first.
 */
export function createVectorFeeder(url: string, tuning: VectorFeederTuning = {}): SharedRole {
  const { triesEveryMs = 5_000, passesAfterMs = 60_000 } = tuning;
  return {
    async take(signal) {
      for (;;) {
        signal.throwIfAborted();
        const lost = new AbortController();
        const options = { isShared: false, onEnd: () => lost.abort(), silentMs: passesAfterMs };
        // A database that is down is reported elsewhere; until it is back, nobody feeds anything.
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
  // Checking only when the others do would be too late: a process that hung sees here first for how long.
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
