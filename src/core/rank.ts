import { gatherEvidence, readUnit, type Evidence, type UnitWords } from "./evidence.js";
import { meaningKey } from "./near-duplicates.js";
import type { Embedder, TextHit, UnitDetail, VectorHit } from "./ports.js";
import { analyseQuery, type Query, type WordCounts } from "./query.js";
import { RANK, type RankRecipe } from "./recipes.js";
import type { Unit } from "./types.js";

/** What one search has found, before ranking. */
export interface RankInput {
  readonly query: string;
  /** Nearest vectors; may be empty when no embedder could answer. */
  readonly vectorHits: readonly VectorHit[];
  /** Full-text hits; may be empty. */
  readonly textHits: readonly TextHit[];
  /** Details of every hit that may be shown. Hits without details are left out. */
  readonly details: readonly UnitDetail[];
  /** In how many units of the searched containers each of `queryWords(query)` occurs; null when not counted. */
  readonly wordCounts: WordCounts | null;
  /** Of the embedder that made the vectors. */
  readonly calibration: Embedder["calibration"];
  readonly recipe?: RankRecipe;
}

export interface RankedUnit {
  readonly unit: Unit;
  readonly detail: UnitDetail;
  /** 0 to 1, absolute: unrelated near 0.2, related above 0.5, near-identical above 0.9. For thresholds and for showing. */
  readonly similarity: number;
  /** Decides the order within one answer; means nothing beside another answer's. */
  readonly score: number;
}

/** Every candidate once, best first, without those that only repeat a better one. Pure; never throws. */
export function rankUnits(input: RankInput): RankedUnit[] {
  const recipe = input.recipe ?? RANK;
  const units = input.details.map(readUnit);
  const query = analyseQuery(input.query, input.wordCounts, new Set(units.flatMap((unit) => [...unit.speakers])));
  const evidence = units.map((unit) => gatherEvidence(unit, query, recipe));
  const cosines = new Map(input.vectorHits.map((hit) => [hit.unit, hit.cosine]));
  const places = placesOf(units);
  const documents = documentEvidence(units, evidence, query);
  const scored = units.map((unit, index) => {
    const near = calibrate(cosines.get(unit.detail.unit) ?? 0, input.calibration);
    const own = evidence[index] ?? NO_EVIDENCE;
    const words = wordScore(unit, own, around(unit, places, units, evidence, recipe), documents, query, recipe);
    const score =
      (words + recipe.vector * near) * (unit.isQuestion ? recipe.question : 1) + dateBonus(unit, query, recipe);
    return { unit: unit.detail.unit, detail: unit.detail, similarity: similarityOf(own, near, query), score };
  });
  scored.sort((first, second) => second.score - first.score || first.unit - second.unit);
  return dropRepetitions(scored);
}
const NO_EVIDENCE: Evidence = { strength: new Float64Array(0), presence: new Float64Array(0) };

function placesOf(units: readonly UnitWords[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, { detail }] of units.entries())
    if (detail.chunk) places.set(`${detail.chunk.documentId} ${detail.chunk.position}`, index);
  return places;
}

/** What the units before and after say about each term, weighted by distance. */
function around(
  unit: UnitWords,
  places: ReadonlyMap<string, number>,
  units: readonly UnitWords[],
  evidence: readonly Evidence[],
  recipe: RankRecipe,
): Float64Array {
  const sum = new Float64Array(evidence[0]?.strength.length ?? 0);
  const { chunk } = unit.detail;
  if (!chunk) return sum;
  const addFrom = (offset: number, weight: number): void => {
    const index = places.get(`${chunk.documentId} ${chunk.position + offset}`);
    const strength = index === undefined ? undefined : evidence[index]?.strength;
    if (index === undefined || strength === undefined) return;
    const share = offset === -1 && units[index]?.isQuestion ? recipe.beforeQuestion : weight;
    for (let term = 0; term < sum.length; term++) sum[term] = (sum[term] ?? 0) + share * (strength[term] ?? 0);
  };
  for (const [step, weight] of recipe.before.entries()) addFrom(-1 - step, weight);
  for (const [step, weight] of recipe.after.entries()) addFrom(1 + step, weight);
  return sum;
}

/** By document: in how many of its candidates each term occurs. */
function documentEvidence(
  units: readonly UnitWords[],
  evidence: readonly Evidence[],
  query: Query,
): Map<string, Float64Array> {
  const documents = new Map<string, Float64Array>();
  for (const [index, unit] of units.entries()) {
    const id = documentOf(unit);
    if (id === undefined) continue;
    const sums = documents.get(id) ?? new Float64Array(query.terms.length);
    documents.set(id, sums);
    const strength = evidence[index]?.strength ?? NO_EVIDENCE.strength;
    for (let term = 0; term < sums.length; term++) sums[term] = (sums[term] ?? 0) + Math.min(1, strength[term] ?? 0);
  }
  return documents;
}

function documentOf(unit: UnitWords): string | undefined {
  return unit.detail.chunk?.documentId ?? unit.detail.documentIds[0];
}

function wordScore(
  unit: UnitWords,
  { strength }: Evidence,
  near: Float64Array,
  documents: ReadonlyMap<string, Float64Array>,
  query: Query,
  recipe: RankRecipe,
): number {
  const inDocument = documents.get(documentOf(unit) ?? "");
  let score = 0;
  let total = 0;
  let speaker = 0;
  for (const [term, { root, weight, isName }] of query.terms.entries()) {
    const own = strength[term] ?? 0;
    const wide = isName ? own : own + (near[term] ?? 0);
    const far = isName ? 0 : (inDocument?.[term] ?? 0);
    const scaled = weight * (isName ? recipe.name : 1);
    total += scaled;
    score +=
      scaled *
      (saturate(wide, recipe.saturation) +
        recipe.own * saturate(own, recipe.saturation) +
        recipe.document * saturate(far, recipe.documentSaturation));
    if (isName && unit.speakers.has(root)) speaker = recipe.speaker;
  }
  return total === 0 ? 0 : score / total + speaker;
}

function saturate(value: number, half: number): number {
  return value <= 0 ? 0 : value / (value + half);
}

const DAY = 86_400_000;

function dateBonus(unit: UnitWords, { date }: Query, recipe: RankRecipe): number {
  if (!date) return 0;
  const at = unit.detail.chunk?.metadata?.date ?? null;
  if (at === null) return 0;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return 0;
  if (date.month === null) return moment.getUTCFullYear() === date.year ? recipe.sameYear : 0;
  if (date.year !== null && date.day !== null) {
    const days = Math.floor(moment.getTime() / DAY) - Date.UTC(date.year, date.month, date.day) / DAY;
    if (days === 0) return recipe.sameDay;
    return days > 0 && days <= 14 ? recipe.daysAfter : 0;
  }
  const months = (moment.getUTCMonth() - date.month + 12) % 12;
  if (date.year !== null) {
    const exact = moment.getUTCFullYear() * 12 + moment.getUTCMonth() - (date.year * 12 + date.month);
    if (exact !== months) return 0;
  }
  return months === 0 ? recipe.sameMonth : months === 1 ? recipe.nextMonth : 0;
}

function similarityOf({ presence }: Evidence, near: number, query: Query): number {
  let found = 0;
  let total = 0;
  for (const [term, { weight }] of query.terms.entries()) {
    found += weight * (presence[term] ?? 0);
    total += weight;
  }
  const coverage = total === 0 ? 0 : found / total;
  return Math.max(near, 0.2 + 0.6 * coverage);
}

function dropRepetitions(ranked: readonly RankedUnit[]): RankedUnit[] {
  const seen = new Set<string>();
  return ranked.filter(({ detail }) => {
    const key = meaningKey(detail.text);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The similarity of a cosine on a rising piecewise-linear curve; flat beyond its ends. */
export function calibrate(cosine: number, points: Embedder["calibration"]): number {
  let [previousX, previousY] = points[0] ?? [0, 0];
  if (cosine <= previousX) return previousY;
  for (const [x, y] of points) {
    if (cosine <= x)
      return x === previousX ? y : previousY + ((cosine - previousX) / (x - previousX)) * (y - previousY);
    [previousX, previousY] = [x, y];
  }
  return previousY;
}
