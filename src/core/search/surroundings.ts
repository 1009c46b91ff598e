import type { UnitWords } from "./evidence.js";
import type { CandidatesByPosition } from "./order.js";
import type { RankRecipe } from "./ranking-weights.js";

/**
 * A conversation stays on its subject for a while: chunks close to one of the best gain a share of its score, less with
 * distance, and only once. Modifies `scores`.
 */
export function liftSurroundings(
  units: readonly UnitWords[],
  scores: Float64Array,
  places: CandidatesByPosition,
  { surroundings }: RankRecipe,
): void {
  const gains = new Float64Array(units.length);
  for (const best of bestChunks(units, scores, surroundings.ofBest)) {
    const chunk = units[best]?.detail.chunk;
    const inDocument = chunk && places.get(chunk.documentId);
    if (!inDocument) continue;
    for (let distance = 1; distance <= surroundings.distance; distance++) {
      const gain = (surroundings.share * (scores[best] ?? 0)) / distance;
      for (const place of [chunk.position - distance, chunk.position + distance]) {
        const index = inDocument.get(place);
        if (index !== undefined && gain > (gains[index] ?? 0)) gains[index] = gain;
      }
    }
  }
  for (let index = 0; index < gains.length; index++) scores[index]! += gains[index]!;
}

/** The indexes of the best chunks, in no order. */
function bestChunks(units: readonly UnitWords[], scores: Float64Array, count: number): number[] {
  const best: number[] = [];
  for (let index = 0; index < units.length; index++) {
    if (!units[index]!.detail.chunk) continue;
    best.push(index);
    if (best.length <= count) continue;
    best.splice(worstOf(best, units, scores), 1);
  }
  return best;
}

/** The one with the lowest score; among equals the last unit, so that the order of candidates does not matter. */
function worstOf(indexes: readonly number[], units: readonly UnitWords[], scores: Float64Array): number {
  let worst = 0;
  for (let at = 1; at < indexes.length; at++) {
    const [one, other] = [indexes[at] ?? 0, indexes[worst] ?? 0];
    const difference = (scores[one] ?? 0) - (scores[other] ?? 0);
    if (difference < 0 || (difference === 0 && (units[one]?.detail.unit ?? 0) > (units[other]?.detail.unit ?? 0)))
      worst = at;
  }
  return worst;
}
