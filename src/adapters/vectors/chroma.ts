import type { VectorHit, VectorIndex, VectorQuery, VectorStatus, VectorVerification } from "../../core/ports.js";
import { type ChromaFeederOptions, createChromaFeeder, POLL_MS } from "./chroma-feeder.js";
import { ChromaReader } from "./chroma-reader.js";
import { sleepUnlessAborted } from "./sleep-unless-aborted.js";

/** How long a purge waits for another process to rebuild the collections, which happens in any case. */
const REBUILT_WITHIN_MS = 30_000;

/**
 * A Chroma index that follows the record, fed by this process alone or by one of the processes that share the record. While the
 * collections are not known to be complete, `nearest` throws AppError `unavailable`.
 */
export function createChromaVectors(options: ChromaFeederOptions): VectorIndex {
  return options.role === null ? createChromaFeeder(options) : new SharedChroma(options);
}

/** Searches the collections whichever process feeds them, and takes its turn at feeding. */
class SharedChroma implements VectorIndex {
  readonly #options: ChromaFeederOptions;
  readonly #feeder: VectorIndex;
  readonly #reader: ChromaReader;
  readonly #closing = new AbortController();

  constructor(options: ChromaFeederOptions) {
    this.#options = options;
    this.#feeder = createChromaFeeder(options);
    this.#reader = new ChromaReader({ ...options, pollMs: options.pollMs ?? POLL_MS });
    this.#reader.start();
  }

  nearest(query: VectorQuery): Promise<VectorHit[]> {
    return this.#reader.nearest(query);
  }

  /** Only a process that has tried to feed knows why nothing has been published. */
  async status(): Promise<VectorStatus> {
    const status = await this.#reader.status();
    if (status.state !== "starting") return status;
    const feeding = await this.#feeder.status();
    return feeding.state === "degraded" ? feeding : status;
  }

  /** Only the process that feeds the collections compares them. */
  verify(signal?: AbortSignal): Promise<VectorVerification> {
    return this.#feeder.verify(signal);
  }

  async scrub(signal?: AbortSignal): Promise<void> {
    await this.#feeder.scrub(signal);
    const { signal: closing } = this.#closing;
    const ends = [closing, AbortSignal.timeout(REBUILT_WITHIN_MS), ...(signal ? [signal] : [])];
    await this.#untilPublished(AbortSignal.any(ends));
    signal?.throwIfAborted();
  }

  dropSpace(spaceId: number): Promise<void> {
    return this.#feeder.dropSpace(spaceId);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#feeder.close(), this.#reader.close()]);
  }

  async #untilPublished(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#reader.overview()).isPublished)
      await sleepUnlessAborted(this.#options.pollMs ?? POLL_MS, signal);
  }
}
