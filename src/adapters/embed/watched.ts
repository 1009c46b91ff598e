import { AppError, forOthers } from "../../core/errors.js";
import type { Embedder } from "../../core/ports.js";
import { type CircuitBreaker, createCircuitBreaker } from "../../lib/circuit-breaker.js";

export interface WatchOptions {
  /** How long the vector of one query is waited for, in milliseconds. */
  readonly patienceMs: number;
  /** How long the service is left alone with queries before it is tried again, in milliseconds. Default 30,000. */
  readonly restMs?: number;
}

const REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

/** Asks whether the service answers, with nothing of anybody. */
const TRIAL = "green tea";

/**
 * The same embedder for people who wait: a query whose vector does not come in time fails, and after three such failures in
 * a row and one of a trial queries fail at once, until the service gave a vector in time again; it is tried in the
 * background. What was asked goes on meanwhile: some services load their model then, and begin anew when nobody waits.
 * `problem` tells what fails now: what failed once and was not asked for again is tried in the background.
 */
export function watchEmbedder(embedder: Embedder, options: WatchOptions): Embedder {
  const watch = new EmbedderWatch(embedder, options);
  return {
    ...embedder,
    problem: () => watch.problem(),
    // Nobody waits for the queries that are sent together.
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

  /** A service may refuse whatever it is asked for a while: only what it refuses again beside a text that it takes is at fault. */
  async #embedUnlessRefused(error: unknown, call: EmbedCall): Promise<Float32Array[]> {
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    await this.#embed([TRIAL], "query", call[2]).catch(() => {
      const { message, quote } = error;
      throw new AppError("unavailable", message, { cause: error, quote, retryAfter: this.#restMs / 1_000 });
    });
    return this.#embed(...call);
  }

  /** Whatever it gives a vector of shows that it is there again. */
  async #embed(...call: EmbedCall): Promise<Float32Array[]> {
    const vectors = await this.#embedder.embed(...call);
    this.#failed = undefined;
    return vectors;
  }

  /** What nothing else is asked of after it failed is tried in the background, less and less often. */
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
    `The embedder ${name} gave no vector of a query within ${patienceMs / 1_000} s. Check whether it is overloaded.`,
  );
}
