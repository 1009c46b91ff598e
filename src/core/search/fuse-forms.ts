import { readUnit } from "./evidence.js";
import { meaningKey } from "../memories/near-duplicates.js";
import type { RankedUnit } from "./rank.js";
import { SameTexts } from "./same-texts.js";

/** What one form of a question found. */
export interface FormAnswer {
  /** Its weight, above 0. */
  readonly weight: number;
  /** Best first, without units that only repeat a better one. */
  readonly ranked: readonly RankedUnit[];
}

/**
 * Merges what several forms of a question found into one order: by the score in each answer, as a share of that answer's best.
 * A unit's similarity is that to the form closest to it. Everything the first form found stays; what only other forms found is
 * left out if it says the same.
 */
export function fuseForms(answers: readonly FormAnswer[]): RankedUnit[] {
  const byUnit = new Map<number, RankedUnit>();
  const sameTexts = new SameTexts<number>();
  for (const [form, { weight, ranked }] of answers.entries()) {
    const best = Math.max(ranked[0]?.score ?? 0, Number.EPSILON);
    for (const each of ranked) {
      const known = byUnit.get(each.unit);
      if (!known && isRepeated(each, sameTexts) && form > 0) continue;
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

/** True when an earlier unit says the same. */
function isRepeated({ unit, detail }: RankedUnit, sameTexts: SameTexts<number>): boolean {
  const { signature } = readUnit(detail);
  return sameTexts.getOrMake({ signature, meaning: () => meaningKey(detail.text) }, () => unit) !== unit;
}
