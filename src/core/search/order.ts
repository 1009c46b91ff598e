import type { UnitWords } from "./evidence.js";
import type { Query } from "./query.js";
import type { RankRecipe } from "./ranking-weights.js";

/** The candidates of one search with how each matches every term, so that neighbours and documents can be considered together. */
export interface OrderedCandidates {
  readonly units: readonly UnitWords[];
  /** See `Evidence.strengths`. */
  readonly strengths: Float64Array;
  readonly places: CandidatesByPosition;
}

/** By document: the candidate at each chunk position. */
export type CandidatesByPosition = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * How well the words of each candidate, its neighbours and its document answer the query. A term counts once, however many of
 * these contain it; 1 would mean all terms, many times over. Comparable within one search only.
 */
export function scoreWords(candidates: OrderedCandidates, query: Query, recipe: RankRecipe): Float64Array {
  const { units, strengths } = candidates;
  const { terms } = query;
  const { weights, total } = weighTerms(query, recipe);
  const documents = documentSums(units, strengths, terms.length);
  const around = new Float64Array(terms.length);
  const scores = new Float64Array(units.length);
  if (total === 0) return scores;
  for (let index = 0; index < units.length; index++) {
    const unit = units[index]!;
    sumAround(around, unit, candidates, recipe);
    const inDocument = documents.get(documentOf(unit) ?? "");
    let score = 0;
    for (let term = 0; term < terms.length; term++) {
      const found = strengths[index * terms.length + term]!;
      // A name says who the unit is about; finding it in neighbours says nothing.
      const { isName } = terms[term]!;
      const wide = isName ? found : found + around[term]!;
      const far = isName || inDocument === undefined ? 0 : inDocument[term]!;
      score +=
        weights[term]! *
        (saturate(wide, recipe.saturation) +
          recipe.own * saturate(found, recipe.saturation) +
          recipe.document * saturate(far, recipe.documentSaturation));
    }
    scores[index] = score / total + speakerScore(unit, query, recipe);
  }
  return scores;
}

/** How well the words of each candidate answer the query, ignoring its surroundings. */
export function scoreAlone(
  { units, strengths }: Pick<OrderedCandidates, "units" | "strengths">,
  query: Query,
  recipe: RankRecipe,
): Float64Array {
  const { weights, total } = weighTerms(query, recipe);
  const scores = new Float64Array(units.length);
  if (total === 0) return scores;
  for (let index = 0; index < units.length; index++) {
    const unit = units[index]!;
    let score = 0;
    for (let term = 0; term < weights.length; term++)
      score += weights[term]! * saturate(strengths[index * weights.length + term]!, recipe.saturation);
    const isSpeaking = query.terms.some(({ root, isName }) => isName && unit.speakers.includes(root));
    scores[index] = score / total + (isSpeaking ? voiceScore(unit, recipe) : 0);
  }
  return scores;
}

/** The weight of each term, and the sum of the weights. */
function weighTerms({ terms }: Query, recipe: RankRecipe): { readonly weights: Float64Array; readonly total: number } {
  const weights = Float64Array.from(terms, ({ weight, isName }) => weight * (isName ? recipe.name : 1));
  return { weights, total: weights.reduce((sum, weight) => sum + weight, 0) };
}

/** The bonus for a speaker whom the query names. */
function speakerScore(unit: UnitWords, { terms }: Query, recipe: RankRecipe): number {
  let score = 0;
  for (let term = 0; term < terms.length; term++) {
    const { root, isName, isAside } = terms[term]!;
    if (isName && unit.speakers.includes(root))
      score = Math.max(score, (isAside ? recipe.aside : 1) * voiceScore(unit, recipe));
  }
  return score;
}

function voiceScore({ isFirstPerson }: UnitWords, recipe: RankRecipe): number {
  return recipe.speaker + (isFirstPerson ? recipe.firstPerson : 0);
}

function saturate(value: number, half: number): number {
  return value <= 0 ? 0 : value / (value + half);
}

/** The position of each candidate in its document. */
export function candidatesByPosition(units: readonly UnitWords[]): CandidatesByPosition {
  const places = new Map<string, Map<number, number>>();
  for (let index = 0; index < units.length; index++) {
    const { detail } = units[index]!;
    if (!detail.chunk) continue;
    const { documentId, position } = detail.chunk;
    const known = places.get(documentId);
    if (known) known.set(position, index);
    else places.set(documentId, new Map([[position, index]]));
  }
  return places;
}

/** The evidence of the units before and after for each term, weighted by distance. */
function sumAround(
  sums: Float64Array,
  unit: UnitWords,
  { units, strengths, places }: OrderedCandidates,
  recipe: RankRecipe,
): void {
  sums.fill(0);
  const { chunk } = unit.detail;
  const inDocument = chunk && places.get(chunk.documentId);
  if (!chunk || !inDocument) return;
  const addFrom = (offset: number, weight: number): void => {
    const index = inDocument.get(chunk.position + offset);
    if (index === undefined) return;
    const share = offset === -1 && units[index]?.isQuestion ? recipe.beforeQuestion : weight;
    const first = index * sums.length;
    for (let term = 0; term < sums.length; term++) sums[term]! += share * strengths[first + term]!;
  };
  for (let step = 0; step < recipe.before.length; step++) addFrom(-1 - step, recipe.before[step]!);
  for (let step = 0; step < recipe.after.length; step++) addFrom(1 + step, recipe.after[step]!);
}

/** By document: in how many of its candidates each term occurs. */
function documentSums(units: readonly UnitWords[], strengths: Float64Array, terms: number): Map<string, Float64Array> {
  const documents = new Map<string, Float64Array>();
  for (let index = 0; index < units.length; index++) {
    const id = documentOf(units[index]!);
    if (id === undefined) continue;
    let sums = documents.get(id);
    if (!sums) documents.set(id, (sums = new Float64Array(terms)));
    for (let term = 0; term < terms; term++) sums[term]! += Math.min(1, strengths[index * terms + term]!);
  }
  return documents;
}

function documentOf(unit: UnitWords): string | undefined {
  return unit.detail.chunk?.documentId ?? unit.detail.documentIds[0];
}
