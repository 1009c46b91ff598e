import { z } from "zod";
import { choice, httpUrl, setting } from "./setting.js";

/** The settings for reranking. */
export const RERANK_SETTINGS = {
  RECOLLECT_RERANK: setting({
    schema: choice(["auto", "builtin", "llm"]),
    fallback: "auto",
    description:
      "What reranks a search with `rerank: true`: `auto` uses the rerank service set below, otherwise rules (`builtin`, milliseconds); `llm` uses the language model, which costs seconds and tokens on every such search.",
  }),
  RECOLLECT_RERANK_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of a service with `POST /rerank` in the style of Cohere, Jina, Voyage, vLLM, LiteLLM or Text Embeddings Inference, e.g. `https://api.cohere.com/v2`. It gets the query and the best results of each search with `rerank: true`.",
  }),
  RECOLLECT_RERANK_MODEL: setting({
    schema: z.string().max(200, "must have at most 200 characters"),
    description: "Model of the rerank service, e.g. `rerank-v3.5`; your own service may have only one.",
  }),
  RECOLLECT_RERANK_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key for the rerank service; your own service may not need one.",
  }),
};

/** What reranks a search with `rerank`. */
export type RerankConfig = { readonly kind: "builtin" } | { readonly kind: "llm" } | RerankServiceConfig;

/** A reranking service. */
export interface RerankServiceConfig {
  readonly kind: "service";
  readonly baseUrl: string;
  /** Undefined if the service has only one model. */
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
}

type RerankValues = {
  readonly [Name in keyof typeof RERANK_SETTINGS]: z.infer<(typeof RERANK_SETTINGS)[Name]["schema"]> | undefined;
};

/** The configured reranker: a service is used only if its URL is set. */
export function chooseRerank(values: RerankValues): RerankConfig {
  if (values.RECOLLECT_RERANK === "llm") return { kind: "llm" };
  const { RECOLLECT_RERANK_BASE_URL: baseUrl } = values;
  if (baseUrl === undefined || values.RECOLLECT_RERANK === "builtin") return { kind: "builtin" };
  return {
    kind: "service",
    baseUrl,
    model: values.RECOLLECT_RERANK_MODEL,
    apiKey: values.RECOLLECT_RERANK_API_KEY,
  };
}

/** Settings that contradict each other, as sentences that name them. */
export function findRerankProblems(values: RerankValues, hasModel: boolean): string[] {
  const { RECOLLECT_RERANK: kind, RECOLLECT_RERANK_BASE_URL: baseUrl } = values;
  const problems: string[] = [];
  if (baseUrl === undefined)
    for (const name of ["RECOLLECT_RERANK_MODEL", "RECOLLECT_RERANK_API_KEY"] as const)
      if (values[name] !== undefined)
        problems.push(
          `${name} is set, but RECOLLECT_RERANK_BASE_URL is not. Set RECOLLECT_RERANK_BASE_URL, or remove ${name}.`,
        );
  if (baseUrl !== undefined && (kind === "builtin" || kind === "llm"))
    problems.push(
      `RECOLLECT_RERANK_BASE_URL is set, but RECOLLECT_RERANK is "${kind}", which uses no service. Remove one of them.`,
    );
  if (kind === "llm" && !hasModel)
    problems.push(
      'RECOLLECT_RERANK is "llm", but no language model is configured. Set RECOLLECT_LLM_BASE_URL or a key, or set RECOLLECT_RERANK to auto.',
    );
  return problems;
}
