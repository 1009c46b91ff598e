import * as z from "zod";
import { AppError, forOthers, ServiceRefusal } from "../../core/errors.js";
import type { Log, Reranker, RerankRequest, RerankVerdict } from "../../core/ports.js";
import { describeBreak, quoteService } from "../../lib/api-failure.js";
import { type CircuitBreaker, createCircuitBreaker } from "../../lib/circuit-breaker.js";
import { inTime } from "../../lib/in-time.js";
import { createFetch, parseRetryAfter } from "../../lib/http-fetch.js";

export interface RerankServiceOptions {
  /** The URL that has `/rerank`, e.g. `https://api.cohere.com/v2`. */
  readonly baseUrl: string;
  /** Undefined for a service with a single model. */
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly log: Log;
  /** How long to wait for one answer, in milliseconds. */
  readonly patienceMs: number;
  /** How long a failed service is left alone before it is tried again, in milliseconds. Default 30,000. */
  readonly restMs?: number;
}

/** Enough for scores and the texts that some services send back. */
const LARGEST_ANSWER = 4 * 1024 * 1024;
const MOST_TEXTS = 50;
/** Models read about 512 tokens of a text; what answers a query is near its beginning. */
const LONGEST_TEXT = 4_000;
const LONGEST_QUERY = 2_000;
/** Longest pause, in seconds, that a service may ask for. */
const LONGEST_REST = 600;
const ADDRESS = "RECOLLECT_RERANK_BASE_URL";
/** Tests whether the service answers, without anybody's data. */
const TRIAL: RerankRequest = {
  query: "green tea",
  texts: ["Tea is made of leaves.", "A boat floats."].map((text) => ({ text, date: null })),
};

/** Milliseconds already waited that do not count: any embedder takes as long. */
const WORTH_COUNTING_MS = 50;
/** No service answers faster, so with less time left it need not be called. */
const LEAST_LEFT_MS = 20;

/** `results` as in Cohere, Jina, vLLM and LiteLLM, `data` as in Voyage, or the bare list as in TEI. */
const rankingSchema = z.array(
  z
    .object({ index: z.int().min(0), relevance_score: z.number().optional(), score: z.number().optional() })
    .transform(({ index, relevance_score, score }) => ({ index, score: relevance_score ?? score }))
    .refine(({ score }) => score !== undefined),
);
const answerSchema = z.union([
  rankingSchema,
  z.object({ results: rankingSchema }).transform(({ results }) => results),
  z.object({ data: rankingSchema }).transform(({ data }) => data),
]);

/**
 * A reranker behind `POST {baseUrl}/rerank`. It tries once, and leaves the service alone after three failures in a row and a
 * failed trial, or when the service asks for that; refusing what a single search sends is no such failure. It requests no number
 * of results: services call that `top_n` or `top_k`, refuse the other name, and return all without it.
 */
export function createRerankService(options: RerankServiceOptions): Reranker {
  return new RerankService(options);
}

class RerankService implements Reranker {
  readonly name: string;
  readonly most = MOST_TEXTS;
  readonly #options: RerankServiceOptions;
  readonly #who: string;
  readonly #fetch: typeof fetch;
  readonly #breaker: CircuitBreaker;
  /** The service's name for the texts. */
  #field: "documents" | "texts" = "documents";

  constructor(options: RerankServiceOptions) {
    const { baseUrl, model, patienceMs, restMs } = options;
    this.name = `${model ?? "rerank"} at ${new URL(baseUrl).host}`;
    this.#options = options;
    this.#who = `The rerank service at ${baseUrl}`;
    // The circuit breaker gives up first, and aborts what it gave up on.
    this.#fetch = createFetch({ timeoutMs: 2 * patienceMs, maximumBytes: LARGEST_ANSWER });
    this.#breaker = createCircuitBreaker({
      patienceMs,
      ...(restMs !== undefined && { restMs }),
      isFailure: isOutage,
      forOthers,
      trial: (signal) => this.#judge(TRIAL, signal),
      restAfter: ({ retryAfter }) => (retryAfter === undefined ? undefined : retryAfter * 1_000),
      late: () => this.#noteFailure(this.#tooLate()),
    });
  }

  problem(): string | null {
    return this.#breaker.failure()?.message ?? null;
  }

  async rerank({ waitedMs = 0, ...request }: RerankRequest): Promise<RerankVerdict> {
    const left = this.#options.patienceMs - waitedMs;
    if (left <= LEAST_LEFT_MS) throw this.#outOfTime();
    const judged = this.#breaker.ask((signal) => this.#judge(request, signal));
    // The service has its full time to prove that it works; the caller does not.
    const hasAllTime = waitedMs < WORTH_COUNTING_MS;
    return { scores: await (hasAllTime ? judged : inTime(judged, left, () => this.#outOfTime())) };
  }

  async #judge(request: RerankRequest, signal: AbortSignal): Promise<(number | null)[]> {
    try {
      return readScores(await this.#ask(request, signal), request.texts.length, this.#who);
    } catch (error) {
      // Nobody waits any more, and that was reported.
      signal.throwIfAborted();
      throw this.#noteFailure(this.#describe(error));
    }
  }

  async #ask(request: RerankRequest, signal: AbortSignal): Promise<unknown> {
    let response = await this.#post(request, signal);
    let text = await response.text();
    // Text Embeddings Inference calls documents `texts`, and says that they are missing.
    if (this.#field === "documents" && [400, 422].includes(response.status) && /\btexts\b/.test(text)) {
      this.#field = "texts";
      response = await this.#post(request, signal);
      text = await response.text();
    }
    if (!response.ok) throw this.#refusal(response, text);
    return JSON.parse(text);
  }

  async #post({ query, texts }: RerankRequest, signal: AbortSignal): Promise<Response> {
    const { baseUrl, model, apiKey } = this.#options;
    const body = {
      ...(model !== undefined && { model }),
      query: cut(query, LONGEST_QUERY),
      [this.#field]: texts.map(({ text }) => cut(text, LONGEST_TEXT)),
    };
    return this.#fetch(`${baseUrl}/rerank`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
  }

  #refusal(response: Response, text: string): AppError {
    const quote = quoteService(text, this.#options.apiKey);
    const { status } = response;
    if (status === 401 || status === 403)
      return new ServiceRefusal("invalid", `${this.#who} refused the key. Check RECOLLECT_RERANK_API_KEY.`, { quote });
    if (status === 429 || status >= 500) {
      const wanted = parseRetryAfter(response.headers.get("retry-after"));
      return new AppError("unavailable", `${this.#who} is overloaded or failing (HTTP ${status}).`, {
        quote,
        ...(wanted !== undefined && { retryAfter: Math.min(wanted, LONGEST_REST) }),
      });
    }
    return new (status === 404 ? ServiceRefusal : AppError)(
      "invalid",
      `${this.#who} refused the request (HTTP ${status}). Check ${ADDRESS} and RECOLLECT_RERANK_MODEL.`,
      { quote },
    );
  }

  #describe(error: unknown): AppError {
    if (error instanceof AppError) return error;
    const reason = describeBreak(error, { expected: "scores", addressSetting: ADDRESS });
    return new AppError("unavailable", `${this.#who} ${reason}`, { cause: error });
  }

  #tooLate(): AppError {
    const seconds = this.#options.patienceMs / 1_000;
    return new AppError(
      "unavailable",
      `${this.#who} did not answer within ${seconds} s. Check whether it is overloaded.`,
    );
  }

  #outOfTime(): AppError {
    return new AppError(
      "unavailable",
      `${this.#who} was not awaited, because the search had already waited for the embedding service.`,
    );
  }

  #noteFailure(failure: AppError): AppError {
    this.#options.log.warn("the rerank service failed", { reason: failure.message });
    return failure;
  }
}

/** True where any request would fail: a refusal of one request says nothing about others. */
function isOutage(error: unknown): error is AppError {
  return error instanceof ServiceRefusal || (error instanceof AppError && error.kind === "unavailable");
}

/** No service could read a lone surrogate. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

function readScores(answer: unknown, count: number, who: string): (number | null)[] {
  const ranking = answerSchema.safeParse(answer);
  const scores: (number | null)[] = Array.from({ length: count }, () => null);
  for (const { index, score } of ranking.data ?? []) {
    if (index >= count || scores[index] !== null || score === undefined)
      throw new AppError("unavailable", `${who} judged a text that was not sent, or the same one twice.`);
    scores[index] = score;
  }
  if (scores.every((score) => score === null))
    throw new AppError("unavailable", `${who} answered with something that is not a ranking. Check ${ADDRESS}.`);
  return scores;
}
