/** A text that answers a question more or less well. */
export interface RerankText {
  readonly text: string;
  /** When it was said (ISO 8601); null where nobody knows. */
  readonly date: string | null;
}

/** A question, and texts that were found for it. */
export interface RerankRequest {
  readonly query: string;
  /** The likeliest first; at most `Reranker.most`. */
  readonly texts: readonly RerankText[];
  /** Milliseconds that whoever asks has waited for other services; default 0. */
  readonly waitedMs?: number;
}

/** What a reranker thinks of texts. */
export interface RerankVerdict {
  /** For each text in order: the higher, the better it answers, on any scale; null for one that was not judged. */
  readonly scores: readonly (number | null)[];
}

/** Puts texts in order that were found by simpler means, by reading each together with the question. */
export interface Reranker {
  /** Short name for people, e.g. `rerank-v3.5 at api.cohere.com`. */
  readonly name: string;
  /** The most texts of one request. */
  readonly most: number;
  /**
   * Judges at least one text, and each at most once. Somebody waits for it: it takes no longer than searches may wait,
   * for a service less what they have waited already.
   * @throws AppError `unavailable` or `invalid` when there is no answer in time that can be used
   */
  rerank(request: RerankRequest): Promise<RerankVerdict>;
  /** Why it does not answer now, for people; null while it answers. */
  problem(): string | null;
}
