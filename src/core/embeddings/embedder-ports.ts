/** How the cosines of one vector space are to be read, so that similarity means the same in every space. */
export interface Calibration {
  /**
   * Cosine -> similarity by the vector alone, as points of a rising piecewise-linear curve: unrelated text lies near 0.2,
   * related above 0.45 (words make it 0.5), near-identical above 0.9. The last point is [1, 1].
   */
  readonly points: readonly (readonly [cosine: number, similarity: number])[];
  /** What common words count for beside the vector: 1, and up to 1.5 the less the vectors tell. */
  readonly wordWeight: number;
  /** Which share of common words counts for nothing where the vector says unrelated: 0 to 0.2, more the better it knows. */
  readonly doubt: number;
  /** Weight of the vector in the order of results; left out, that of the built-in embedder. */
  readonly vectorWeight?: number;
  /** True for vectors that say no more than the words that they are made of. */
  readonly ofWords?: boolean;
}

/** Turns texts into vectors of one space. */
export interface Embedder {
  /** Short name for people, e.g. `builtin` or `openai text-embedding-3-small`. */
  readonly name: string;
  /** Everything that decides what a vector means (embedder, version, model, requested dimensions), as one line. */
  readonly fingerprint: string;
  /** The most texts one `embed` call takes. */
  readonly maxBatch: number;
  /**
   * Cosine -> similarity, see `Calibration.points`. Unless `isCalibrated`, only a guess for as long as nothing was
   * measured in the space.
   */
  readonly calibration: Calibration["points"];
  /** True when `calibration` was measured with many labelled texts, so that no space has to be measured. */
  readonly isCalibrated?: boolean;
  /** See `Calibration.ofWords`. */
  readonly isOfWords?: boolean;
  /**
   * One vector of length 1 per text, in order. Never fewer, never of another size.
   * @throws AppError `unavailable` (with `retryAfter` when the provider named one) when the provider cannot be
   *   reached, is overloaded, or wants another key or model, `invalid` when it refuses these texts for good
   */
  embed(texts: readonly string[], purpose: "document" | "query", signal?: AbortSignal): Promise<Float32Array[]>;
  /** What keeps it from answering now, for people; null while it answers. */
  readonly problem?: () => string | null;
}
