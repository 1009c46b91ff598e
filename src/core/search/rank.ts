import { fadingOf, habitOf } from "../memories/standing.js";
import { evidenceOf, readUnit, type Evidence, type GatherEvidence, type UnitWords } from "./evidence.js";
import { placesOf, scoreAlone, scoreWords } from "./order.js";
import type { Calibration, TextHit, UnitDetail, VectorHit } from "../ports.js";
import { matchDate } from "./query-dates.js";
import { analyseQuery, type Query, type WordCounts } from "./query.js";
import { findSides, weighEvent } from "./event-times.js";
import { RANK, type RankRecipe } from "./recipes.js";
import { dropRepetitions } from "./repetition.js";
import { findSources, shareStrength } from "./sources.js";
import { interpolate, similarityOf, unrelatedCosine } from "./similarity.js";
import { liftSurroundings } from "./surroundings.js";
import type { Unit } from "../types.js";

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
  /** Of the space that the vectors lie in. */
  readonly calibration: Calibration;
  readonly recipe?: RankRecipe;
  /** For the age of episodes. */
  readonly now: Date;
  /** Only units of at least this similarity, default 0. */
  readonly threshold?: number;
  /** At most so many, default all. */
  readonly limit?: number;
}

export interface RankedUnit {
  readonly unit: Unit;
  readonly detail: UnitDetail;
  /** False for what no retriever found, and that is only here because it stands beside what they did find. */
  readonly isHit: boolean;
  /** 0 to 1, absolute: unrelated near 0.2, related above 0.5, near-identical above 0.9. For thresholds and for showing. */
  readonly similarity: number;
  /** Decides the order within one answer; means nothing beside another answer's. */
  readonly score: number;
}

/** The candidates of a search and its query, taken apart. */
export interface Prepared {
  readonly input: RankInput;
  readonly query: Query;
  readonly units: readonly UnitWords[];
  readonly evidence: readonly Evidence[];
  readonly gather: GatherEvidence;
}

/** Every candidate once, best first, without those that only repeat a better one. Pure; never throws. */
export function rankUnits(input: RankInput): RankedUnit[] {
  return rankPrepared(prepareUnits(input));
}

/** `rankUnits` of what is taken apart already. */
export function rankPrepared({ input, units, query, evidence }: Prepared): RankedUnit[] {
  const { recipe = RANK, now } = input;
  const sources = findSources(units);
  const places = placesOf(units);
  const sides = findSides(query, units, evidence);
  const asked = sides ? weighEvent(query, recipe.eventWords) : query;
  const wordScores = scoreWords({ units, strengths: shareStrength(evidence, sources), places }, asked, recipe);
  const nearness = nearnessOf(input, units);
  const dates = units.map((words) => (query.date ? matchDate(query.date, words) : 0));
  const scores = wordScores.map((wordScore, index) => {
    const words = units[index];
    if (!words) return 0;
    const base = wordScore + vectorScore(nearness[index], input) + (words.tellsTime ? recipe.tellsTime : 0);
    const fit = recipe.date * (dates[index] ?? 0) + recipe.side * (sides?.[index] ?? 0);
    return base * weightOf(words, recipe, now) + fit;
  });
  liftSurroundings(units, scores, places, recipe);
  // What time it is must not decide what passes a threshold.
  const lasting = query.date?.isRelative ? { ...query, date: null } : query;
  const scored = units.map((words, index) => {
    const presence = evidence[index]?.presence ?? NOTHING;
    const [near, date] = [nearness[index] ?? null, dates[index] ?? 0];
    return {
      words,
      score: (scores[index] ?? 0) * (sources.has(index) ? recipe.stated : 1),
      similarity: similarityOf(words, presence, lasting, date, near, input.calibration),
    };
  });
  scored.sort((first, second) => second.score - first.score || first.words.detail.unit - second.words.detail.unit);
  const { threshold = 0, limit = Infinity } = input;
  const above = scored.filter(({ similarity }) => similarity >= threshold);
  const hits = new Set([...input.textHits, ...input.vectorHits].map(({ unit }) => unit));
  return dropRepetitions(above, limit).map(({ words, similarity, score }) => ({
    unit: words.detail.unit,
    detail: words.detail,
    isHit: hits.has(words.detail.unit),
    similarity,
    score,
  }));
}

/** Takes candidates and query apart. */
export function prepareUnits(input: RankInput): Prepared {
  const { details, recipe = RANK } = input;
  const units = details.map(readUnit);
  const names = new Set<string>();
  for (const { speakers } of units) for (const speaker of speakers) names.add(speaker);
  const query = analyseQuery(input.query, input.wordCounts, names, input.now);
  const gather = evidenceOf(query, recipe);
  return { input, query, units, evidence: units.map(gather), gather };
}

/** The same with more candidates. */
export function withMore(prepared: Prepared, details: readonly UnitDetail[]): Prepared {
  const { units, evidence, gather } = prepared;
  const more = details.map(readUnit);
  return { ...prepared, units: [...units, ...more], evidence: [...evidence, ...more.map(gather)] };
}

/**
 * Those chunks among the candidates, at most so many, that say most of what is asked by themselves. For finding what stands
 * beside them: fast, and less exact than `rankPrepared`.
 */
export function strongestChunks({ input, units, query, evidence }: Prepared, most: number): Unit[] {
  const { recipe = RANK } = input;
  const nearness = nearnessOf(input, units);
  const scored = units.flatMap((words, index) => {
    if (!words.detail.chunk) return [];
    const alone = scoreAlone(words, evidence[index]?.strength ?? NOTHING, query, recipe);
    const score = (alone + vectorScore(nearness[index], input)) * (words.isQuestion ? recipe.question : 1);
    return [{ unit: words.detail.unit, score }];
  });
  scored.sort((first, second) => second.score - first.score || first.unit - second.unit);
  return scored.slice(0, most).map(({ unit }) => unit);
}

const NOTHING = new Float64Array(0);

function vectorScore(near: number | null | undefined, { calibration, recipe = RANK }: RankInput): number {
  return (calibration.vectorWeight ?? recipe.vector) * (near ?? 0);
}

/** What a unit counts for, whatever was asked: it changes the order and never the similarity. */
function weightOf({ detail, isQuestion }: UnitWords, recipe: RankRecipe, now: Date): number {
  const asked = isQuestion ? recipe.question : 1;
  if (!detail.memory) return asked;
  const trust = detail.memory.isInference ? recipe.inference : 1;
  return (
    asked * trust * (1 - recipe.fading * fadingOf(detail.memory, now)) * (1 + recipe.habit * habitOf(detail.memory))
  );
}

/**
 * The similarity of each unit by its vector alone. One that only the words found lies, as far as is known, between the last of
 * the nearest vectors and what is unrelated; null when there are no vectors at all.
 */
function nearnessOf({ vectorHits: hits, calibration }: RankInput, units: readonly UnitWords[]): (number | null)[] {
  if (hits.length === 0) return units.map(() => null);
  const known = new Map(hits.map(({ unit, cosine }) => [unit, interpolate(cosine, calibration.points)]));
  const nothing = unrelatedCosine(calibration.points);
  const below = Math.max(nothing, (nothing + Math.min(...hits.map((hit) => hit.cosine))) / 2);
  const nearBelow = interpolate(below, calibration.points);
  return units.map(({ detail }) => known.get(detail.unit) ?? nearBelow);
}
