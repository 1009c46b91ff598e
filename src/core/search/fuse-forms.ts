import { readUnit } from "./evidence.js";
import type { RankedUnit } from "./rank.js";
import { dropRepetitions } from "./repetition.js";

/** What a rewritten form of a question counts for, beside the question itself. */
const REWRITTEN = 0.5;

/**
 * One order of what several forms of a question found: by the score in each answer, as a share of that answer's best, the
 * question's own words first. A unit's similarity is that to the form which it is nearest to.
 * @param answers of each form, best first; the first is the question as it was asked
 */
export function fuseForms(answers: readonly (readonly RankedUnit[])[]): RankedUnit[] {
  const byUnit = new Map<number, RankedUnit>();
  for (const [form, ranked] of answers.entries()) {
    const best = Math.max(ranked[0]?.score ?? 0, Number.EPSILON);
    for (const each of ranked) {
      const share = ((form === 0 ? 1 : REWRITTEN) * each.score) / best;
      const known = byUnit.get(each.unit);
      const similarity = Math.max(each.similarity, known?.similarity ?? 0);
      const isHit = each.isHit || known?.isHit === true;
      byUnit.set(each.unit, { ...each, isHit, similarity, score: share + (known?.score ?? 0) });
    }
  }
  const fused = [...byUnit.values()].toSorted((one, other) => other.score - one.score || one.unit - other.unit);
  const listed = fused.map((ranked) => ({ ...ranked, words: readUnit(ranked.detail) }));
  return dropRepetitions(listed).map(({ words: _words, ...ranked }) => ranked);
}
