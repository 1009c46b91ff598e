import { readUnit, type GatherEvidence, type UnitWords } from "./evidence.js";
import type { Query } from "./query.js";

/** The share of its score that a listed passage keeps when it is out of date: current passages come first. */
export const OUT_OF_DATE = 0.7;

/** `gone`: what it says on the question no longer holds; `over`: it was true, and is past. */
type OutOfDate = "gone" | "over";

/**
 * Tells how a candidate relates to a question; null if nothing it says on it is out of date, or if the rest of it says as much.
 * Names do not decide this: nearly everything said about somebody contains their name.
 */
export function standingFor({ terms }: Query, gather: GatherEvidence): (words: UnitWords) => OutOfDate | null {
  const said = (presences: Float64Array, text: number): number =>
    terms.reduce(
      (sum, { isName, weight }, term) => sum + (isName ? 0 : weight * presences[text * terms.length + term]!),
      0,
    );
  const saysMore = (words: UnitWords, one: string, other: string): boolean => {
    if (one === "" || other === "") return other === "";
    const { presences } = gather([withText(words, one), withText(words, other)]);
    return said(presences, 0) > said(presences, 1);
  };
  return (words) => {
    const { passage } = words.detail;
    if (!passage) return null;
    if (saysMore(words, passage.past, passage.current)) return "gone";
    return saysMore(words, passage.over, passage.lasting) ? "over" : null;
  };
}

/** Evidence in which a passage keeps names that only its outdated text contains: `He` still refers to the person named there. */
export function withNamesOfPast({ terms }: Query, gather: GatherEvidence): GatherEvidence {
  const names = terms.flatMap(({ isName }, term) => (isName ? term : []));
  if (names.length === 0) return gather;
  return (units) => {
    const evidence = gather(units);
    for (let index = 0; index < units.length; index++) {
      const words = units[index]!;
      const { passage } = words.detail;
      if (!passage?.past) continue;
      const first = index * terms.length;
      if (names.every((term) => evidence.presences[first + term] === 1)) continue;
      const past = gather([withText(words, passage.past)]);
      for (const term of names) {
        const place = first + term;
        evidence.presences[place] = Math.max(evidence.presences[place]!, past.presences[term]!);
        evidence.strengths[place] = Math.max(evidence.strengths[place]!, past.strengths[term]!);
      }
    }
    return evidence;
  };
}

function withText({ detail }: UnitWords, text: string): UnitWords {
  const { unit, id, containerId, chunk, memory, documentIds } = detail;
  return readUnit({ unit, id, containerId, text, chunk, memory, documentIds });
}
