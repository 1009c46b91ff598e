import { AppError } from "../errors.js";
import type { Calibration, Clock, Embedder, Log, Store } from "../ports.js";
import type { VectorSpace } from "../types.js";
import { calibrationFrom, dot, measureSpace, type Measurement, medianOf, readMeasurement } from "./calibration.js";

/** Knows how the cosines of each vector space are to be read. */
export interface SpaceCalibrations {
  /**
   * The calibration of an embedder's space. A space that was never measured is measured in the background; until then the
   * embedder's own estimate applies, so no search waits for a provider.
   * @throws what the store throws
   */
  of(embedder: Embedder): Promise<Calibration>;
  /**
   * Measures an embedder's space unless that was done, with fewer than 200 short texts in a few calls, and stores the result in
   * the record. After a failure, the provider is asked again at the first call after some minutes.
   * @throws the signal's reason and nothing else; failures are logged
   */
  measure(embedder: Embedder, signal?: AbortSignal): Promise<void>;
  /**
   * Samples a few hundred stored vectors, if there are enough: texts of an unusual kind lie closer together than everyday ones.
   * Measures the space first if necessary.
   * @throws the signal's reason, and what the store throws
   */
  learn(embedder: Embedder, signal?: AbortSignal): Promise<void>;
  /** Stops background work. */
  close(): Promise<void>;
}

export interface SpaceCalibrationOptions {
  readonly store: Pick<Store, "findSpace" | "spaceCalibration" | "setSpaceCalibration" | "sampleVectors" | "vectors">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a provider that failed is left alone, in milliseconds. */
const PAUSE_MS = 10 * 60_000;
/** Time limit for measuring, in milliseconds; documents wait for it once. */
const LIMIT_MS = 60_000;
/** The sample used to learn: the most containers, larger ones preferred, and the most vectors of each. */
const CONTAINERS = 8;
const VECTORS = 40;
/** A container with fewer vectors says nothing about its kind of text. */
const FEWEST_VECTORS = 100;
/** Smaller changes of the median are chance. */
const CHANGE = 0.02;

/** Calibrations of the spaces of one store. */
export function createSpaceCalibrations(options: SpaceCalibrationOptions): SpaceCalibrations {
  return new Calibrations(options);
}

class Calibrations implements SpaceCalibrations {
  readonly #store: SpaceCalibrationOptions["store"];
  readonly #clock: Clock;
  readonly #log: Log;
  /** These three are keyed by the embedder's fingerprint. */
  readonly #known = new Map<string, Calibration>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #notBefore = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor({ store, clock, log }: SpaceCalibrationOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  async of(embedder: Embedder): Promise<Calibration> {
    if (embedder.isCalibrated) return priorOf(embedder);
    const found = await this.#find(embedder);
    if (found) return found;
    void this.#measureOnce(embedder);
    return priorOf(embedder);
  }

  async measure(embedder: Embedder, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#measureOnce(embedder);
    signal?.throwIfAborted();
  }

  async learn(embedder: Embedder, signal?: AbortSignal): Promise<void> {
    if (embedder.isCalibrated) return;
    await this.#measureOnce(embedder);
    signal?.throwIfAborted();
    const space = await this.#store.findSpace(embedder.fingerprint);
    const measurement = space && (await this.#measurementOf(space));
    if (!measurement) return;
    const cosines = await sampleCosines(this.#store, space);
    if (cosines.length === 0) return;
    const stored = medianOf(cosines);
    if (measurement.stored !== undefined && Math.abs(stored - measurement.stored) < CHANGE) return;
    signal?.throwIfAborted();
    await this.#keep(embedder, space, { ...measurement, stored });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  async #find({ fingerprint }: Embedder): Promise<Calibration | null> {
    const remembered = this.#known.get(fingerprint);
    if (remembered) return remembered;
    const space = await this.#store.findSpace(fingerprint);
    const measurement = space && (await this.#measurementOf(space));
    if (!measurement) return null;
    const calibration = calibrationFrom(measurement);
    this.#known.set(fingerprint, calibration);
    return calibration;
  }

  /** One measurement per space at a time, whoever asks for it; it continues even if one of the callers stops waiting. */
  #measureOnce(embedder: Embedder): Promise<void> {
    const { fingerprint } = embedder;
    const isPaused = this.#clock.now().getTime() < (this.#notBefore.get(fingerprint) ?? 0);
    const isKnown = embedder.isCalibrated || this.#known.has(fingerprint);
    if (isKnown || isPaused || this.#closing.signal.aborted) return Promise.resolve();
    const other = this.#running.get(fingerprint);
    if (other) return other;
    const work = this.#measureNow(embedder).finally(() => this.#running.delete(fingerprint));
    this.#running.set(fingerprint, work);
    return work;
  }

  async #measureNow(embedder: Embedder): Promise<void> {
    const { name, fingerprint } = embedder;
    const closing = this.#closing.signal;
    try {
      const space = await this.#store.findSpace(fingerprint);
      if (!space || (await this.#find(embedder))) return;
      const measurement = await measureSpace(embedder, AbortSignal.any([closing, AbortSignal.timeout(LIMIT_MS)]));
      await this.#keep(embedder, space, measurement);
      this.#log.info("a vector space was measured", { embedder: name });
    } catch (error) {
      if (closing.aborted) return;
      this.#notBefore.set(fingerprint, this.#clock.now().getTime() + PAUSE_MS);
      const reason = error instanceof Error ? error.message : String(error);
      const level = error instanceof AppError ? "warn" : "error";
      this.#log[level]("a vector space could not be measured yet", { embedder: name, reason });
    }
  }

  async #measurementOf({ id }: VectorSpace): Promise<Measurement | null> {
    return readMeasurement(await this.#store.spaceCalibration(id));
  }

  async #keep({ fingerprint }: Embedder, { id }: VectorSpace, measurement: Measurement): Promise<void> {
    await this.#store.setSpaceCalibration(id, JSON.stringify(measurement));
    this.#known.set(fingerprint, calibrationFrom(measurement));
  }
}

/** Cosines between vectors of the same container, from a random sample of containers. */
async function sampleCosines(store: SpaceCalibrationOptions["store"], space: VectorSpace): Promise<number[]> {
  const counts = [...(await store.vectors.counts(space.id))].filter(([, count]) => count >= FEWEST_VECTORS);
  const cosines: number[] = [];
  for (const containerId of drawContainers(counts)) {
    const sample = await store.sampleVectors(space, containerId, VECTORS);
    for (const [at, one] of sample.entries()) for (const other of sample.slice(0, at)) cosines.push(dot(one, other));
  }
  return cosines;
}

function drawContainers(counts: readonly (readonly [id: number, count: number])[]): ReadonlySet<number> {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const drawn = new Set<number>();
  for (let draw = 0; draw < CONTAINERS; draw++) {
    let left = Math.random() * total;
    const found = counts.find(([, count]) => (left -= count) < 0);
    if (found) drawn.add(found[0]);
  }
  return drawn;
}

/** The embedder's own estimate, used before its space is measured. */
function priorOf({ calibration, isOfWords = false }: Embedder): Calibration {
  return { points: calibration, wordWeight: 1, doubt: 0, ofWords: isOfWords };
}
