import { setting, wholeNumber } from "./setting.js";

/** The settings for how long a search waits for other services. */
export const PATIENCE_SETTINGS = {
  RECOLLECT_SEARCH_PATIENCE_MS: setting({
    schema: wholeNumber(50, 600_000),
    fallback: "1500",
    description:
      "Maximum time that a search waits for the embedding and rerank services together, in milliseconds. After that, it answers without them and says so in `degraded`. After three failures in a row, the service is tried with a neutral text; if that fails too, searches stop waiting for it and it is retried in the background, first after half a minute. A service that rejects one search's input has not failed in this sense. The limit applies only to searches.",
  }),
  RECOLLECT_SEARCH_MODEL_PATIENCE_MS: setting({
    schema: wholeNumber(50, 600_000),
    fallback: "6000",
    description:
      "The same limit for each answer of the language model, in searches that use it: with `rewriteQuery`, with `aggregate`, and with `rerank` if `RECOLLECT_RERANK` is `llm`.",
  }),
};

/** How long a search waits, in milliseconds. */
export interface PatienceConfig {
  /** For an embedding or reranking service. */
  readonly serviceMs: number;
  /** For the language model. */
  readonly modelMs: number;
}
