import type { OpenAI } from "openai";
import { AppError } from "../../core/errors.js";
import type { Embedder, Log } from "../../core/ports.js";
import { createOpenAiClient } from "../../lib/openai-client.js";
import { retry } from "../../lib/retry.js";
import { NEURAL_CALIBRATION } from "./calibration.js";
import { describeFailure, isBatchTooLarge, pauseBeforeRetry } from "./openai-errors.js";
import { readVectors } from "./openai-answer.js";
import { loadOnce } from "../../lib/load-once.js";

export interface OpenAiEmbedderOptions {
  /** Any service with OpenAI's embeddings API, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** Size to request from the service; undefined leaves it to the model. */
  readonly dimensions: number | undefined;
  readonly log: Log;
  /** Time limits of one request, in milliseconds. A person waits for a query, nobody for a document. */
  readonly timeoutMs?: Readonly<Record<"document" | "query", number>>;
  /** First wait between two attempts, in milliseconds. Default 500. */
  readonly pauseMs?: number;
  /** Most texts per request. Default 64, which even services with small limits accept. */
  readonly batch?: number;
}

/** How patient a call is before it passes the problem on to its caller, who can wait longer. */
const PATIENCE = {
  document: { attempts: 4, longestWaitMs: 20_000 },
  query: { attempts: 2, longestWaitMs: 2_000 },
} as const;
const TIMEOUTS = { document: 120_000, query: 15_000 } as const;
/** 64 vectors of 8,192 numbers, each written in 25 characters, and room for the JSON around them. */
const LARGEST_ANSWER = 32 * 1024 * 1024;

type Purpose = "document" | "query";

/** Vectors from any service with OpenAI's embeddings API. Nothing is loaded or sent before the first call. */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, dimensions, batch = 64 } = options;
  const embeddings = new Embeddings(options);
  return {
    name: `openai ${model}`,
    fingerprint: `openai/1 model=${JSON.stringify(model)} dimensions=${dimensions ?? "own"}`,
    maxBatch: batch,
    calibration: NEURAL_CALIBRATION,

    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += batch)
        vectors.push(...(await embeddings.request(texts.slice(start, start + batch), purpose, signal)));
      return vectors;
    },
  };
}

class Embeddings {
  readonly #options: OpenAiEmbedderOptions;
  readonly #clients: Readonly<Record<Purpose, () => Promise<OpenAI>>>;
  #knownSize: number | undefined;

  constructor(options: OpenAiEmbedderOptions) {
    const { baseUrl, apiKey, dimensions, timeoutMs = TIMEOUTS } = options;
    const connectFor = (purpose: Purpose): (() => Promise<OpenAI>) =>
      loadOnce(() =>
        createOpenAiClient({ baseUrl, apiKey, timeoutMs: timeoutMs[purpose], maximumBytes: LARGEST_ANSWER }),
      );
    this.#options = options;
    this.#clients = { query: connectFor("query"), document: connectFor("document") };
    this.#knownSize = dimensions;
  }

  /**
   * Vectors of at most one batch of texts. Some services limit the texts or tokens of a request without stating the limit;
   * halving finds it.
   */
  async request(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]> {
    try {
      return await this.#requestPatiently(texts, purpose, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (texts.length === 1 || !(error instanceof AppError) || !isBatchTooLarge(error.cause)) throw error;
      const middle = Math.ceil(texts.length / 2);
      this.#options.log.debug("a batch of texts is halved for the embedding service", {
        model: this.#options.model,
        texts: texts.length,
      });
      const first = await this.request(texts.slice(0, middle), purpose, signal);
      return [...first, ...(await this.request(texts.slice(middle), purpose, signal))];
    }
  }

  #requestPatiently(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]> {
    const { model, log, pauseMs: baseMs = 500 } = this.#options;
    const { attempts, longestWaitMs } = PATIENCE[purpose];
    return retry(() => this.#requestOrExplain(texts, purpose, signal), {
      attempts,
      baseMs,
      maximumMs: longestWaitMs,
      signal,
      judge: (error) => {
        if (!(error instanceof AppError) || error.kind !== "unavailable") return false;
        log.warn("the embedding service failed", { model, texts: texts.length, reason: error.message });
        const pauseMs = pauseBeforeRetry(error);
        return pauseMs !== undefined && pauseMs <= longestWaitMs && pauseMs;
      },
    });
  }

  async #requestOrExplain(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]> {
    try {
      return await this.#requestOnce(texts, purpose, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw describeFailure(error, this.#options);
    }
  }

  async #requestOnce(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]> {
    const { baseUrl, model, dimensions } = this.#options;
    const client = await this.#clients[purpose]();
    const answer: unknown = await client.embeddings.create(
      {
        model,
        input: texts.map(acceptable),
        encoding_format: "float",
        ...(dimensions === undefined ? {} : { dimensions }),
      },
      signal ? { signal } : {},
    );
    const vectors = readVectors(answer, texts.length, {
      expectedSize: this.#knownSize,
      wasRequested: dimensions !== undefined,
      baseUrl,
    });
    this.#knownSize ??= vectors[0]?.length;
    return vectors;
  }
}

/** Services refuse empty texts, and most do not accept lone surrogates in JSON. */
function acceptable(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return wellFormed.trim() === "" ? "." : wellFormed;
}
