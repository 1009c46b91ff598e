import { setting, wholeNumber } from "./setting.js";

/** The settings for how long a search waits for other services. */
export const PATIENCE_SETTINGS = {
  RECOLLECT_SEARCH_PATIENCE_MS: setting({
    schema: wholeNumber(50, 600_000),
    fallback: "1500",
    description:
      "Milliseconds that a search waits for the embedding service and for the rerank service, both together. After that it answers without them and says so in `degraded`. After three failures in a row the service is tried with a neutral text; where that fails as well, no search waits, and it is tried again in the background, after half a minute at first. That it refuses what one search sends is no such failure. Nothing but searches is bound by it.",
  }),
  RECOLLECT_SEARCH_MODEL_PATIENCE_MS: setting({
    schema: wholeNumber(50, 600_000),
    fallback: "6000",
    description:
      "The same for each answer of the language model, in searches that ask it: with `rewriteQuery`, with `aggregate`, and with `rerank` where `RECOLLECT_RERANK` is `llm`.",
  }),
};

/** How long a search waits, in milliseconds. */
export interface PatienceConfig {
  /** For an embedding or reranking service. */
  readonly serviceMs: number;
  /** For the language model. */
  readonly modelMs: number;
}
