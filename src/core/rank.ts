import { contentStems, queryWords } from "../lib/words.js";
import { stem } from "../lib/stem.js";
import { meaningKey } from "./near-duplicates.js";
import type { Embedder, TextHit, UnitDetail, VectorHit } from "./ports.js";
import type { Unit } from "./types.js";

/** What one search has found, before ranking. */
export interface RankInput {
  readonly query: string;
  /** Nearest vectors; may be empty when no embedder could answer. */
  readonly vectorHits: readonly VectorHit[];
  /** Full-text hits; may be empty. */
  readonly textHits: readonly TextHit[];
  /** Details of every hit that may be shown. Hits without details are left out. */
  readonly details: readonly UnitDetail[];
  /** In how many units of the searched containers each of `queryWords(query)` occurs; null when not counted. */
  readonly wordCounts: { readonly total: number; readonly counts: readonly number[] } | null;
  /** Of the embedder that made the vectors. */
  readonly calibration: Embedder["calibration"];
}

export interface RankedUnit {
  readonly unit: Unit;
  readonly detail: UnitDetail;
  /** 0 to 1, absolute: unrelated near 0.2, related above 0.5, near-identical above 0.9. For thresholds and for showing. */
  readonly similarity: number;
  /** Decides the order within one answer; means nothing beside another answer's. */
  readonly score: number;
}

/** Every candidate once, best first, without those that only repeat a better one. Pure; never throws. */
export function rankUnits(input: RankInput): RankedUnit[] {
  const words = queryWords(input.query).map(stem);
  const cosines = new Map(input.vectorHits.map((hit) => [hit.unit, hit.cosine]));
  const scored = input.details.map((detail) => {
    const own = new Set(contentStems(detail.text));
    const coverage = words.length === 0 ? 0 : words.filter((word) => own.has(word)).length / words.length;
    const near = calibrate(cosines.get(detail.unit) ?? 0, input.calibration);
    const similarity = Math.max(near, 0.2 + 0.6 * coverage);
    return { unit: detail.unit, detail, similarity, score: similarity };
  });
  scored.sort((first, second) => second.score - first.score || first.unit - second.unit);
  const seen = new Set<string>();
  return scored.filter(({ detail }) => {
    const key = meaningKey(detail.text);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The similarity of a cosine on a rising piecewise-linear curve; flat beyond its ends. */
export function calibrate(cosine: number, points: Embedder["calibration"]): number {
  let [previousX, previousY] = points[0] ?? [0, 0];
  if (cosine <= previousX) return previousY;
  for (const [x, y] of points) {
    if (cosine <= x)
      return x === previousX ? y : previousY + ((cosine - previousX) / (x - previousX)) * (y - previousY);
    [previousX, previousY] = [x, y];
  }
  return previousY;
}
