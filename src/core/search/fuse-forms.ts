import { readUnit } from "./evidence.js";
import type { RankedUnit } from "./rank.js";
import { dropRepetitions } from "./repetition.js";

/** What one form of a question found. */
export interface FormAnswer {
  /** What it counts for, above 0. */
  readonly weight: number;
  /** Best first. */
  readonly ranked: readonly RankedUnit[];
}

/**
 * One order of what several forms of a question found: by the score in each answer, as a share of that answer's best. A
 * unit's similarity is that to the form which it is nearest to.
 */
export function fuseForms(answers: readonly FormAnswer[]): RankedUnit[] {
  const byUnit = new Map<number, RankedUnit>();
  for (const { weight, ranked } of answers) {
    const best = Math.max(ranked[0]?.score ?? 0, Number.EPSILON);
    for (const each of ranked) {
      const known = byUnit.get(each.unit);
      byUnit.set(each.unit, {
        ...each,
        isHit: each.isHit || (known?.isHit ?? false),
        similarity: Math.max(each.similarity, known?.similarity ?? 0),
        score: (weight * each.score) / best + (known?.score ?? 0),
      });
    }
  }
  const fused = [...byUnit.values()].toSorted((one, other) => other.score - one.score || one.unit - other.unit);
  const listed = fused.map((ranked) => ({ ...ranked, words: readUnit(ranked.detail) }));
  return dropRepetitions(listed).map(({ words: _words, ...ranked }) => ranked);
}
