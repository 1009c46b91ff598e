import type { Clause } from "./clauses.js";
import { PETS, RELATIVES } from "./nouns.js";

const KEEPING = /^(?:have|get|adopt|buy|own|foster|rescue|raise|bring|find)$/;
const DETERMINER = /^(?:an?|one|another)$/;
const FARTHEST = 5;

/**
 * The one animal or person that the speaker has, according to a clause: `puppy` in "I got a new puppy"; null when there
 * is none, or more than one. A following "him", "her" or "its name" refers to it.
 */
export function ownedCreature({ subject, predicate }: Clause): string | null {
  const { verb, rest, isNegated } = predicate;
  if (subject.role !== "self" || isNegated || verb === null || !KEEPING.test(verb)) return null;
  if (!DETERMINER.test(rest[0]?.lower ?? "")) return null;
  const found = rest.slice(1, FARTHEST).find(({ lower }) => PETS.has(lower) || RELATIVES.has(lower));
  return found === undefined || /[^s]s$/.test(found.lower) ? null : found.lower;
}
