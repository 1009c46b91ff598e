import { AppError } from "../../core/errors.js";
import type { Embedder } from "../../core/ports.js";

export interface WatchOptions {
  /** How long the vector of one query is waited for, in milliseconds. Default 3,000. */
  readonly deadlineMs?: number;
  /** How long the service is left alone with queries after it failed, in milliseconds. Default 30,000. */
  readonly restMs?: number;
}

/**
 * The same embedder for people who wait: a query whose vector does not come in time fails, and for a while the queries after
 * it fail at once; then one of them tries again. What was asked goes on meanwhile, but an answer that comes late ends no rest:
 * the next ones would wait in vain, too. `problem` tells what fails now.
 */
export function watchEmbedder(embedder: Embedder, options: WatchOptions = {}): Embedder {
  const { deadlineMs = 3_000, restMs = 30_000 } = options;
  let resting: { readonly failure: AppError; readonly until: number } | undefined;
  let failed: AppError | undefined;

  const rest = (failure: AppError): void => {
    resting = { failure, until: performance.now() + restMs };
  };

  async function embedOne(...call: Parameters<Embedder["embed"]>): Promise<Float32Array[]> {
    if (resting && performance.now() < resting.until) throw resting.failure;
    // Until it is known whether this one succeeds, others need not wait for the same.
    if (resting) rest(resting.failure);
    try {
      const vectors = await inTime(embedder.embed(...call), deadlineMs, embedder.name);
      resting = undefined;
      return vectors;
    } catch (error) {
      if (isOutage(error)) rest(error);
      throw error;
    }
  }

  async function embedMany(...call: Parameters<Embedder["embed"]>): Promise<Float32Array[]> {
    try {
      const vectors = await embedder.embed(...call);
      failed = undefined;
      return vectors;
    } catch (error) {
      if (isOutage(error)) failed = error;
      throw error;
    }
  }

  return {
    ...embedder,
    problem: () => (resting?.failure ?? failed)?.message ?? null,
    // Nobody waits for the queries that are sent together.
    embed: (texts, purpose, signal) =>
      purpose === "query" && texts.length === 1 ? embedOne(texts, purpose, signal) : embedMany(texts, purpose, signal),
  };
}

function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "unavailable";
}

/** What comes later is not waited for. */
async function inTime<T>(work: Promise<T>, deadlineMs: number, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(name, deadlineMs)), deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(name: string, deadlineMs: number): AppError {
  return new AppError(
    "unavailable",
    `The embedder ${name} gave no vector of a query within ${deadlineMs / 1_000} s. Check whether it is overloaded.`,
  );
}
