/** How the cosines of one vector space are to be read, so that similarity means the same in every space. */
export interface Calibration {
  /**
   * Maps cosine to similarity by the vector alone, as points of an ascending piecewise-linear curve: unrelated text lies near
   * 0.2, related above 0.45 (words make it 0.5), near-identical above 0.9. The last point is [1, 1].
   */
  readonly points: readonly (readonly [cosine: number, similarity: number])[];
  /** Weight of common words relative to the vector: from 1 up to 1.5, the less the vectors tell. */
  readonly wordWeight: number;
  /** The share of common words that is ignored where the vector says unrelated: 0 to 0.2, more the better it separates. */
  readonly doubt: number;
  /** Weight of the vector in ranking; if omitted, that of the built-in embedder. */
  readonly vectorWeight?: number;
  /** True for vectors that say no more than the words they are made of. */
  readonly ofWords?: boolean;
}

/** Converts texts to vectors of one space. */
export interface Embedder {
  /** Short name for people, e.g. `builtin` or `openai text-embedding-3-small`. */
  readonly name: string;
  /** Everything that determines what a vector means (embedder, version, model, requested dimensions), as one line. */
  readonly fingerprint: string;
  /** The most texts one `embed` call takes. */
  readonly maxBatch: number;
  /**
   * Maps cosine to similarity, see `Calibration.points`. Unless `isCalibrated`, only an estimate until the space has been
   * measured.
   */
  readonly calibration: Calibration["points"];
  /** True when `calibration` was measured on many labelled texts, so that no space has to be measured. */
  readonly isCalibrated?: boolean;
  /** See `Calibration.ofWords`. */
  readonly isOfWords?: boolean;
  /**
   * One vector of length 1 per text, in order. Never fewer, never of another size.
   * @throws AppError `unavailable` (with `retryAfter` when the provider named one) when the provider cannot be
   *   reached, is overloaded, or wants another key or model, `invalid` when it refuses these texts for good
   */
  embed(texts: readonly string[], purpose: "document" | "query", signal?: AbortSignal): Promise<Float32Array[]>;
  /** Why it is not answering now, for people; null while it answers. */
  readonly problem?: () => string | null;
}
