import { AppError, forOthers } from "../../core/errors.js";
import type { Embedder } from "../../core/ports.js";
import { type CircuitBreaker, createCircuitBreaker } from "../../lib/circuit-breaker.js";

export interface WatchOptions {
  /** How long to wait for a query's vector, in milliseconds. */
  readonly patienceMs: number;
  /** How long queries leave the service alone before it is tried again, in milliseconds. Default 30,000. */
  readonly restMs?: number;
}

const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** Tests whether the service answers, without anybody's data. */
const TRIAL = "green tea";

/**
 * The same embedder for people who wait: a query whose vector does not arrive in time fails; after three such failures in a row
 * and a failed trial, queries fail at once until the service has again given a vector in time, which is tried in the background.
 * Requests already sent continue meanwhile: some services load their model then, and start over when nobody waits. `problem`
 * says what fails now: a failure that is not retried by anyone is tried in the background.
 */
export function watchEmbedder(embedder: Embedder, options: WatchOptions): Embedder {
  const watch = new EmbedderWatch(embedder, options);
  return {
    ...embedder,
    problem: () => watch.problem(),
    // Nobody waits for queries that are sent together.
    embed: (texts, purpose, signal) =>
      purpose === "query" && texts.length === 1
        ? watch.embedInTime(texts, purpose, signal)
        : watch.embedMany(texts, purpose, signal),
  };
}

type EmbedCall = Parameters<Embedder["embed"]>;

class EmbedderWatch {
  readonly #embedder: Embedder;
  readonly #restMs: number;
  readonly #breaker: CircuitBreaker;
  #failed: AppError | undefined;
  #isLooking = false;

  constructor(embedder: Embedder, { patienceMs, restMs = REST_MS }: WatchOptions) {
    this.#embedder = embedder;
    this.#restMs = restMs;
    this.#breaker = createCircuitBreaker({
      patienceMs,
      restMs,
      isFailure: isOutage,
      forOthers,
      trial: () => this.#embed([TRIAL], "query"),
      late: () => tooLate(embedder.name, patienceMs),
    });
  }

  problem(): string | null {
    return (this.#breaker.failure() ?? this.#failed)?.message ?? null;
  }

  embedInTime(...call: EmbedCall): Promise<Float32Array[]> {
    return this.#breaker.ask(() => this.#embed(...call));
  }

  async embedMany(...call: EmbedCall): Promise<Float32Array[]> {
    try {
      return await this.#embed(...call).catch((error: unknown) => this.#embedUnlessRefused(error, call));
    } catch (error) {
      if (isOutage(error)) {
        this.#failed = error;
        this.#lookLater(this.#restMs);
      }
      throw error;
    }
  }

  /** A service may refuse everything for a while: a text is at fault only if it is refused again while another is accepted. */
  async #embedUnlessRefused(error: unknown, call: EmbedCall): Promise<Float32Array[]> {
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    await this.#embed([TRIAL], "query", call[2]).catch(() => {
      const { message, quote } = error;
      throw new AppError("unavailable", message, { cause: error, quote, retryAfter: this.#restMs / 1_000 });
    });
    return this.#embed(...call);
  }

  /** Any vector shows that the service is back. */
  async #embed(...call: EmbedCall): Promise<Float32Array[]> {
    const vectors = await this.#embedder.embed(...call);
    this.#failed = undefined;
    return vectors;
  }

  /** After a failure that nothing else retries, tries again in the background, less and less often. */
  #lookLater(ms: number): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => {
      this.#isLooking = false;
      if (!this.#failed) return;
      void this.#embed([TRIAL], "query").catch(() => this.#lookLater(Math.min(2 * ms, LONGEST_REST_MS)));
    }, ms).unref();
  }
}

function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "unavailable";
}

function tooLate(name: string, patienceMs: number): AppError {
  return new AppError(
    "unavailable",
    `The embedder ${name} returned no vector for a query within ${patienceMs / 1_000} s. Check whether it is overloaded.`,
  );
}
