/** A text to be judged as an answer to a question. */
export interface RerankText {
  readonly text: string;
  /** When it was said (ISO 8601); null if unknown. */
  readonly date: string | null;
}

/** A question and the texts found for it. */
export interface RerankRequest {
  readonly query: string;
  /** The most likely first; at most `Reranker.most`. */
  readonly texts: readonly RerankText[];
  /** How long the caller has already waited for other services, in milliseconds; default 0. */
  readonly waitedMs?: number;
}

/** How a reranker judges texts. */
export interface RerankVerdict {
  /** One per text, in order: the higher, the better it answers, on any scale; null if it was not judged. */
  readonly scores: readonly (number | null)[];
}

/** Reorders texts found by simpler means, by reading each together with the question. */
export interface Reranker {
  /** Short name for people, e.g. `rerank-v3.5 at api.cohere.com`. */
  readonly name: string;
  /** The most texts per request. */
  readonly most: number;
  /**
   * Judges at least one text, and each at most once. A caller is waiting: it takes no longer than searches may wait, and a
   * service gets that less what they have already waited.
   * @throws AppError `unavailable` or `invalid` when there is no usable answer in time
   */
  rerank(request: RerankRequest): Promise<RerankVerdict>;
  /** Why it is not answering now, for people; null while it answers. */
  problem(): string | null;
}
