import { AppError } from "../errors.js";
import type { Embedder } from "../ports.js";

/** A text that any embedder accepts. */
const PLAIN = "How it answers is seen by asking it.";
/** Characters of a text that are sent when the whole text, or more of it, was refused. */
const LENGTHS = [Number.POSITIVE_INFINITY, 4_000, 1_000, 250];

/**
 * Wraps an embedder for texts that were cut for another one: a text that it refuses, such as one too long for its model, is
 * sent truncated, so that one text never blocks all others. Texts of which it accepts nothing are represented by a plain one:
 * they are found by their words.
 */
export function patientEmbedder(embedder: Embedder): Embedder {
  async function embedEach(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    // An embedder that refuses everything, perhaps because of a wrong key, does so here, and is not asked text by text.
    const [plain] = await embedder.embed([PLAIN], "document", signal);
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      const vector = (await embedBeginning(text, signal)) ?? plain;
      if (vector) vectors.push(vector);
    }
    return vectors;
  }

  async function embedBeginning(text: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    for (const length of LENGTHS)
      try {
        const [vector] = await embedder.embed([text.slice(0, length)], "document", signal);
        return vector;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    return undefined;
  }

  return {
    ...embedder,
    async embed(texts, purpose, signal) {
      try {
        return await embedder.embed(texts, purpose, signal);
      } catch (error) {
        if (purpose === "query" || !isRefusal(error)) throw error;
        return embedEach(texts, signal);
      }
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && (error.kind === "invalid" || error.kind === "too_large");
}
