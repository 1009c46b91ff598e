import { contentRoot, rootOf } from "../lib/english/relations.js";
import { tokenise } from "../lib/words.js";
import type { UnitDetail } from "./ports.js";
import type { Query } from "./query.js";
import type { RankRecipe } from "./recipes.js";

/** A candidate's text, taken apart for ranking. */
export interface UnitWords {
  readonly detail: UnitDetail;
  /** Roots of the content words, with how often they occur. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of content words. */
  readonly length: number;
  /** Roots of the names of those who speak, or of what a memory starts with. */
  readonly speakers: ReadonlySet<string>;
  readonly isQuestion: boolean;
}

/** What a candidate has of each term of the query. */
export interface Evidence {
  /** By term: occurrences per length, related words counting less. For the order. */
  readonly strength: Float64Array;
  /** By term: 1 when the word is there, less for related words, 0 when there is none. For the threshold. */
  readonly presence: Float64Array;
}

export function readUnit(detail: UnitDetail): UnitWords {
  const counts = new Map<string, number>();
  let length = 0;
  let first: string | null = null;
  for (const word of tokenise(detail.text)) {
    const root = contentRoot(word);
    if (root === "") continue;
    first ??= root;
    counts.set(root, (counts.get(root) ?? 0) + 1);
    length += 1;
  }
  const speakers = new Set((detail.chunk?.metadata?.speakers ?? []).flatMap((name) => tokenise(name).map(rootOf)));
  if (detail.memory && first !== null) speakers.add(first);
  return { detail, counts, length, speakers, isQuestion: /\?[\s"')]*(?:\[[^\]]*\]\s*)?$/.test(detail.text) };
}

/** Looks for the terms of a query in a unit. */
export function gatherEvidence(unit: UnitWords, query: Query, recipe: RankRecipe): Evidence {
  const strength = new Float64Array(query.terms.length);
  const presence = new Float64Array(query.terms.length);
  for (const [root, count] of unit.counts) {
    for (const { term, relation } of query.matches.get(root) ?? []) {
      const found = relation === 1 ? count : recipe.relatedWeight * relation ** recipe.relatedPower;
      if (found > (strength[term] ?? 0)) strength[term] = found;
      if (relation > (presence[term] ?? 0)) presence[term] = relation;
    }
  }
  const scale = 1 - recipe.lengthShare + (recipe.lengthShare * unit.length) / recipe.typicalLength;
  for (let term = 0; term < strength.length; term++) strength[term] = (strength[term] ?? 0) / scale;
  return { strength, presence };
}
