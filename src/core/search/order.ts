import type { UnitWords } from "./evidence.js";
import type { Query } from "./query.js";
import type { RankRecipe } from "./recipes.js";

/** The candidates of one search with what each has of every term, so that neighbours and documents can be looked at together. */
export interface Candidates {
  readonly units: readonly UnitWords[];
  /** By candidate and term, see `Evidence.strength`. */
  readonly strengths: readonly Float64Array[];
  readonly places: Places;
}

/** By document: the candidate at each position. */
export type Places = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * How well the words of each candidate, of its neighbours and of its document answer the query. A term counts once, however
 * many of these have it; 1 would be all terms many times over. Comparable within one search only.
 */
export function scoreWords({ units, strengths, places }: Candidates, query: Query, recipe: RankRecipe): Float64Array {
  const documents = documentSums(units, strengths, query.terms.length);
  const around = new Float64Array(query.terms.length);
  const scores = new Float64Array(units.length);
  for (const [index, unit] of units.entries()) {
    sumAround(around, unit, places, units, strengths, recipe);
    const inDocument = documents.get(documentOf(unit) ?? "");
    scores[index] = scoreUnit(unit, strengths[index], around, inDocument, query, recipe);
  }
  return scores;
}

/** How well the words of a unit answer the query, whatever stands around it. */
export function scoreAlone(unit: UnitWords, own: Float64Array, query: Query, recipe: RankRecipe): number {
  let score = 0;
  let total = 0;
  let speaker = 0;
  for (const [term, { root, weight, isName }] of query.terms.entries()) {
    const scaled = weight * (isName ? recipe.name : 1);
    total += scaled;
    score += scaled * saturate(own[term] ?? 0, recipe.saturation);
    if (isName && unit.speakers.includes(root)) speaker = speakerScore(unit, recipe);
  }
  return total === 0 ? 0 : score / total + speaker;
}

function scoreUnit(
  unit: UnitWords,
  own: Float64Array | undefined,
  around: Float64Array,
  inDocument: Float64Array | undefined,
  query: Query,
  recipe: RankRecipe,
): number {
  let score = 0;
  let total = 0;
  let speaker = 0;
  for (const [term, { root, weight, isName, isAside }] of query.terms.entries()) {
    const found = own?.[term] ?? 0;
    // A name stands for whom the unit is about; that neighbours have it too says nothing.
    const wide = isName ? found : found + (around[term] ?? 0);
    const far = isName ? 0 : (inDocument?.[term] ?? 0);
    const scaled = weight * (isName ? recipe.name : 1);
    total += scaled;
    score +=
      scaled *
      (saturate(wide, recipe.saturation) +
        recipe.own * saturate(found, recipe.saturation) +
        recipe.document * saturate(far, recipe.documentSaturation));
    if (isName && unit.speakers.includes(root))
      speaker = Math.max(speaker, (isAside ? recipe.aside : 1) * speakerScore(unit, recipe));
  }
  return total === 0 ? 0 : score / total + speaker;
}

function speakerScore({ isFirstPerson }: UnitWords, recipe: RankRecipe): number {
  return recipe.speaker + (isFirstPerson ? recipe.firstPerson : 0);
}

function saturate(value: number, half: number): number {
  return value <= 0 ? 0 : value / (value + half);
}

/** Where each candidate stands in its document. */
export function placesOf(units: readonly UnitWords[]): Places {
  const places = new Map<string, Map<number, number>>();
  for (const [index, { detail }] of units.entries()) {
    if (!detail.chunk) continue;
    const { documentId, position } = detail.chunk;
    const known = places.get(documentId);
    if (known) known.set(position, index);
    else places.set(documentId, new Map([[position, index]]));
  }
  return places;
}

/** What the units before and after say about each term, weighted by distance. */
function sumAround(
  sums: Float64Array,
  unit: UnitWords,
  places: Places,
  units: readonly UnitWords[],
  strengths: readonly Float64Array[],
  recipe: RankRecipe,
): void {
  sums.fill(0);
  const { chunk } = unit.detail;
  const inDocument = chunk && places.get(chunk.documentId);
  if (!chunk || !inDocument) return;
  const addFrom = (offset: number, weight: number): void => {
    const index = inDocument.get(chunk.position + offset);
    if (index === undefined) return;
    const strength = strengths[index];
    const share = offset === -1 && units[index]?.isQuestion ? recipe.beforeQuestion : weight;
    for (let term = 0; term < sums.length; term++) sums[term] = (sums[term] ?? 0) + share * (strength?.[term] ?? 0);
  };
  for (const [step, weight] of recipe.before.entries()) addFrom(-1 - step, weight);
  for (const [step, weight] of recipe.after.entries()) addFrom(1 + step, weight);
}

/** By document: in how many of its candidates each term occurs. */
function documentSums(
  units: readonly UnitWords[],
  strengths: readonly Float64Array[],
  terms: number,
): Map<string, Float64Array> {
  const documents = new Map<string, Float64Array>();
  for (const [index, unit] of units.entries()) {
    const id = documentOf(unit);
    if (id === undefined) continue;
    let sums = documents.get(id);
    if (!sums) documents.set(id, (sums = new Float64Array(terms)));
    const strength = strengths[index];
    for (let term = 0; term < terms; term++) sums[term] = (sums[term] ?? 0) + Math.min(1, strength?.[term] ?? 0);
  }
  return documents;
}

function documentOf(unit: UnitWords): string | undefined {
  return unit.detail.chunk?.documentId ?? unit.detail.documentIds[0];
}
