import { isSameFact } from "../memories/near-duplicates.js";
import { readUnit } from "./evidence.js";
import type { RankedUnit } from "./rank.js";

/** What one form of a question found. */
export interface FormAnswer {
  /** What it counts for, above 0. */
  readonly weight: number;
  /** Best first, without those that only repeat a better one. */
  readonly ranked: readonly RankedUnit[];
}

/**
 * One order of what several forms of a question found: by the score in each answer, as a share of that answer's best. A
 * unit's similarity is that to the form which it is nearest to. What the first form found stays; what only others found is
 * left out where it says the same.
 */
export function fuseForms(answers: readonly FormAnswer[]): RankedUnit[] {
  const byUnit = new Map<number, RankedUnit>();
  const textsBySignature = new Map<number, string[]>();
  for (const [form, { weight, ranked }] of answers.entries()) {
    const best = Math.max(ranked[0]?.score ?? 0, Number.EPSILON);
    for (const each of ranked) {
      const known = byUnit.get(each.unit);
      if (!known && !noteText(each, textsBySignature) && form > 0) continue;
      byUnit.set(each.unit, {
        ...each,
        isHit: each.isHit || (known?.isHit ?? false),
        similarity: Math.max(each.similarity, known?.similarity ?? 0),
        score: (weight * each.score) / best + (known?.score ?? 0),
      });
    }
  }
  return [...byUnit.values()].toSorted((one, other) => other.score - one.score || one.unit - other.unit);
}

/** @returns false when a text that says the same was noted before */
function noteText({ detail }: RankedUnit, textsBySignature: Map<number, string[]>): boolean {
  const { signature } = readUnit(detail);
  const alike = textsBySignature.get(signature) ?? [];
  if (alike.some((text) => isSameFact(text, detail.text))) return false;
  textsBySignature.set(signature, [...alike, detail.text]);
  return true;
}
