import type { Embedder } from "../../core/ports.js";

export interface QueryCacheOptions {
  /** Queries kept at most, most recently used first; 1 or more. */
  readonly entries: number;
}

/**
 * The same embedder with a query cache: people and agents ask the same again, and a model takes time. Equal queries at the same
 * moment share one call. Documents are passed through; failures are not cached.
 */
export function cacheQueries(embedder: Embedder, { entries }: QueryCacheOptions): Embedder {
  const cache = new Map<string, Promise<Float32Array>>();

  function remember(text: string, vector: Promise<Float32Array>): void {
    cache.set(text, vector);
    vector.catch(() => {
      if (cache.get(text) === vector) cache.delete(text);
    });
    const oldest = cache.size > entries ? cache.keys().next() : undefined;
    if (oldest && !oldest.done) cache.delete(oldest.value);
  }

  function recall(text: string): Promise<Float32Array> | undefined {
    const vector = cache.get(text);
    if (!vector) return undefined;
    cache.delete(text);
    cache.set(text, vector);
    return vector;
  }

  async function embedQueries(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors = new Map<string, Promise<Float32Array>>();
    const missing: string[] = [];
    for (const text of new Set(texts)) {
      const known = recall(text);
      if (known) vectors.set(text, known);
      else missing.push(text);
    }
    if (missing.length > 0) {
      // Without the caller's signal: others may be waiting for the same answer, and later queries can use it.
      const answer = embedder.embed(missing, "query");
      for (const [position, text] of missing.entries()) {
        const vector = answer.then((all) => vectorAt(all, position));
        vectors.set(text, vector);
        remember(text, vector);
      }
    }
    // A copy, so that a caller who changes its vector does not affect the next one.
    return Promise.all(texts.map(async (text) => ((await vectors.get(text)) ?? new Float32Array()).slice()));
  }

  return {
    name: embedder.name,
    fingerprint: embedder.fingerprint,
    maxBatch: embedder.maxBatch,
    calibration: embedder.calibration,
    ...(embedder.isCalibrated !== undefined && { isCalibrated: embedder.isCalibrated }),
    ...(embedder.isOfWords !== undefined && { isOfWords: embedder.isOfWords }),
    ...(embedder.problem && { problem: embedder.problem }),
    async embed(texts, purpose, signal) {
      if (purpose === "document") return embedder.embed(texts, purpose, signal);
      signal?.throwIfAborted();
      return signal ? untilAborted(embedQueries(texts), signal) : embedQueries(texts);
    },
  };
}

function vectorAt(vectors: readonly Float32Array[], position: number): Float32Array {
  const vector = vectors[position];
  if (!vector) throw new Error("An embedder answered with fewer vectors than texts.");
  return vector;
}

/** The result, or the signal's reason if that comes first; the work itself goes on. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
