import { AppError } from "../errors.js";
import type { Calibration, Clock, Embedder, Log, Store } from "../ports.js";
import { calibrationFrom, measureSpace, readMeasurement } from "./calibration.js";

/** Knows how the cosines of each vector space are to be read. */
export interface SpaceCalibrations {
  /**
   * What is known about an embedder's space. One that was never measured is measured in the background, and until then
   * the embedder's own idea holds, so that no search waits for a provider.
   * @throws what the store throws
   */
  of(embedder: Embedder): Promise<Calibration>;
  /**
   * Measures an embedder's space unless that was done, with fewer than 200 short texts in a few calls, and keeps the
   * result in the record. A provider that fails is asked again at the first call after some minutes.
   * @throws the signal's reason and nothing else; failures are logged
   */
  measure(embedder: Embedder, signal?: AbortSignal): Promise<void>;
  /** Ends what runs in the background. */
  close(): Promise<void>;
}

export interface SpaceCalibrationOptions {
  readonly store: Pick<Store, "findSpace" | "spaceCalibration" | "setSpaceCalibration">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a provider that failed is left alone, in milliseconds. */
const PAUSE_MS = 10 * 60_000;
/** The longest that measuring takes; documents wait for it once. */
const LIMIT_MS = 60_000;

/** Calibrations of the spaces of one store. */
export function createSpaceCalibrations({ store, clock, log }: SpaceCalibrationOptions): SpaceCalibrations {
  const known = new Map<string, Calibration>();
  const running = new Map<string, Promise<void>>();
  const notBefore = new Map<string, number>();
  const closing = new AbortController();

  async function find({ fingerprint }: Embedder): Promise<Calibration | null> {
    const remembered = known.get(fingerprint);
    if (remembered) return remembered;
    const space = await store.findSpace(fingerprint);
    const measurement = space && readMeasurement(await store.spaceCalibration(space.id));
    if (!measurement) return null;
    const calibration = calibrationFrom(measurement);
    known.set(fingerprint, calibration);
    return calibration;
  }

  async function measureNow(embedder: Embedder): Promise<void> {
    const { name, fingerprint } = embedder;
    try {
      const space = await store.findSpace(fingerprint);
      if (!space || (await find(embedder))) return;
      const measurement = await measureSpace(
        embedder,
        AbortSignal.any([closing.signal, AbortSignal.timeout(LIMIT_MS)]),
      );
      await store.setSpaceCalibration(space.id, JSON.stringify(measurement));
      known.set(fingerprint, calibrationFrom(measurement));
      log.info("a vector space was measured", { embedder: name });
    } catch (error) {
      if (closing.signal.aborted) return;
      notBefore.set(fingerprint, clock.now().getTime() + PAUSE_MS);
      const reason = error instanceof Error ? error.message : String(error);
      const level = error instanceof AppError ? "warn" : "error";
      log[level]("a vector space could not be measured yet", { embedder: name, reason });
    }
  }

  /** One measurement of a space at a time, whoever asks for it; it ends although one of them no longer waits. */
  function measureOnce(embedder: Embedder): Promise<void> {
    const { fingerprint } = embedder;
    const isPaused = clock.now().getTime() < (notBefore.get(fingerprint) ?? 0);
    if (embedder.isCalibrated || known.has(fingerprint) || isPaused || closing.signal.aborted) return Promise.resolve();
    const other = running.get(fingerprint);
    if (other) return other;
    const work = measureNow(embedder).finally(() => running.delete(fingerprint));
    running.set(fingerprint, work);
    return work;
  }

  return {
    async of(embedder) {
      if (embedder.isCalibrated) return priorOf(embedder);
      const found = await find(embedder);
      if (found) return found;
      void measureOnce(embedder);
      return priorOf(embedder);
    },

    async measure(embedder, signal) {
      signal?.throwIfAborted();
      await measureOnce(embedder);
      signal?.throwIfAborted();
    },

    async close() {
      closing.abort();
      await Promise.all(running.values());
    },
  };
}

/** What an embedder says of itself, before its space was measured. */
function priorOf({ calibration }: Embedder): Calibration {
  return { points: calibration, wordWeight: 1, doubt: 0 };
}
