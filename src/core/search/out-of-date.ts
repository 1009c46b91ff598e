import { readUnit, type GatherEvidence, type UnitWords } from "./evidence.js";
import type { Query } from "./query.js";

/**
 * Passages that are out of date for a question: what they say on it does not hold any more, and the rest of them says
 * less on it. Names do not decide: nearly all that is said of somebody has their name.
 */
export function findOutOfDate(
  units: readonly UnitWords[],
  { terms }: Query,
  gather: GatherEvidence,
): ReadonlySet<UnitWords> {
  const outOfDate = new Set<UnitWords>();
  for (const words of units) {
    const { passage } = words.detail;
    if (!passage) continue;
    const { presences } = gather([withText(words, passage.past), withText(words, passage.current)]);
    const said = (place: number): number =>
      terms.reduce((sum, { isName, weight }, term) => sum + (isName ? 0 : weight * presences[place + term]!), 0);
    if (passage.current === "" || said(0) > said(terms.length)) outOfDate.add(words);
  }
  return outOfDate;
}

/** Evidence in which a passage keeps the names that only what it said before has: `He` is still who was named there. */
export function withNamesOfPast({ terms }: Query, gather: GatherEvidence): GatherEvidence {
  return (units) => {
    const evidence = gather(units);
    for (let index = 0; index < units.length; index++) {
      const words = units[index]!;
      const { passage } = words.detail;
      if (!passage) continue;
      const past = gather([withText(words, passage.past)]);
      for (let term = 0; term < terms.length; term++) {
        if (!terms[term]!.isName) continue;
        const place = index * terms.length + term;
        evidence.presences[place] = Math.max(evidence.presences[place]!, past.presences[term]!);
        evidence.strengths[place] = Math.max(evidence.strengths[place]!, past.strengths[term]!);
      }
    }
    return evidence;
  };
}

function withText({ detail }: UnitWords, text: string): UnitWords {
  return readUnit({
    unit: detail.unit,
    id: detail.id,
    containerId: detail.containerId,
    text,
    chunk: detail.chunk,
    memory: null,
    documentIds: detail.documentIds,
  });
}
