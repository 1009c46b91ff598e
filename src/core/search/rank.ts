import { fadingOf, habitOf } from "../memories/standing.js";
import { gatherEvidence, readUnit, type UnitWords } from "./evidence.js";
import { placesOf, scoreWords } from "./order.js";
import type { Calibration, TextHit, UnitDetail, VectorHit } from "../ports.js";
import { matchDate } from "./query-dates.js";
import { analyseQuery, type WordCounts } from "./query.js";
import { RANK, type RankRecipe } from "./recipes.js";
import { dropRepetitions } from "./repetition.js";
import { findSources, shareStrength } from "./sources.js";
import { interpolate, similarityOf } from "./similarity.js";
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
  /** 0 to 1, absolute: unrelated near 0.2, related above 0.5, near-identical above 0.9. For thresholds and for showing. */
  readonly similarity: number;
  /** Decides the order within one answer; means nothing beside another answer's. */
  readonly score: number;
}

/** Every candidate once, best first, without those that only repeat a better one. Pure; never throws. */
export function rankUnits(input: RankInput): RankedUnit[] {
  const { recipe = RANK, now } = input;
  const units = input.details.map(readUnit);
  const names = new Set(units.flatMap((unit) => [...unit.speakers]));
  const query = analyseQuery(input.query, input.wordCounts, names);
  const evidence = units.map((unit) => gatherEvidence(unit, query, recipe));
  const sources = findSources(units);
  const places = placesOf(units);
  const wordScores = scoreWords({ units, strengths: shareStrength(evidence, sources), places }, query, recipe);
  const cosineOf = cosinesOf(input.vectorHits);
  const cosines = units.map(({ detail }) => cosineOf(detail.unit));
  const dates = units.map((words) => (query.date ? matchDate(query.date, words) : 0));
  const scores = wordScores.map((wordScore, index) => {
    const [words, cosine] = [units[index], cosines[index] ?? null];
    if (!words) return 0;
    const near = cosine === null ? 0 : interpolate(cosine, input.calibration.points);
    const base = wordScore + (input.calibration.vectorWeight ?? recipe.vector) * near;
    return base * weightOf(words, recipe, now) + recipe.date * (dates[index] ?? 0);
  });
  liftSurroundings(units, scores, places, recipe);
  const scored = units.map((words, index) => {
    const presence = evidence[index]?.presence ?? NOTHING;
    const [cosine, date] = [cosines[index] ?? null, dates[index] ?? 0];
    return {
      words,
      score: (scores[index] ?? 0) * (sources.has(index) ? recipe.stated : 1),
      similarity: similarityOf(words, presence, query, date, cosine, input.calibration),
    };
  });
  scored.sort((first, second) => second.score - first.score || first.words.detail.unit - second.words.detail.unit);
  const { threshold = 0, limit = Infinity } = input;
  const above = scored.filter(({ similarity }) => similarity >= threshold);
  return dropRepetitions(above, limit).map(({ words, similarity, score }) => ({
    unit: words.detail.unit,
    detail: words.detail,
    similarity,
    score,
  }));
}

const NOTHING = new Float64Array(0);

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
 * The cosine of a unit. One that only the words found lies, as far as is known, below the last of the nearest vectors; null when
 * there are no vectors at all.
 */
function cosinesOf(hits: readonly VectorHit[]): (unit: Unit) => number | null {
  if (hits.length === 0) return () => null;
  const known = new Map(hits.map((hit) => [hit.unit, hit.cosine]));
  const below = Math.max(0, Math.min(...hits.map((hit) => hit.cosine)) / 2);
  return (unit) => known.get(unit) ?? below;
}
