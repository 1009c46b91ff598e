import { type TimeZone, wallClock } from "../../lib/time-zone.js";
import { fadingOf, habitOf } from "../memories/memory-weight.js";
import { answersOf, passageSharesOf, similarityOfAnswer } from "./answers.js";
import { personShareOf } from "./asked-about.js";
import { demandsOf } from "./demands.js";
import { evidenceOf, joinEvidence, readUnit, type Evidence, type GatherEvidence, type UnitWords } from "./evidence.js";
import { candidatesByPosition, scoreAlone, scoreWords } from "./order.js";
import type { Calibration, TextHit, UnitDetail, VectorHit } from "../ports.js";
import { matchDate } from "./query-dates.js";
import { analyseQuery, type Query, type WordCounts } from "./query.js";
import { findSides, weighEvent } from "./event-times.js";
import { OUT_OF_DATE, standingFor, withNamesOfPast } from "./out-of-date.js";
import { RANK, type RankRecipe } from "./ranking-weights.js";
import { levelSimilarities } from "./level.js";
import { gatherRepetitions, standIn, type Listed, type Repetition } from "./repetition.js";
import { findSources, shareStrengths } from "./sources.js";
import { coverageOf, interpolate, similarityOf, unrelatedCosine } from "./similarity.js";
import { liftSurroundings } from "./surroundings.js";
import type { Unit, UnitKind } from "../types.js";

/** What one search has found, before ranking. */
export interface RankInput {
  readonly query: string;
  /** Nearest vectors; may be empty when the embedder did not answer. */
  readonly vectorHits: readonly VectorHit[];
  /** Full-text hits; may be empty. */
  readonly textHits: readonly TextHit[];
  /** Details of every hit that may be shown. Hits without details are dropped. */
  readonly details: readonly UnitDetail[];
  /** In how many units of the searched containers each of `queryWords(query)` occurs; null if not counted. */
  readonly wordCounts: WordCounts | null;
  /** Calibration of the vectors' space. */
  readonly calibration: Calibration;
  readonly recipe?: RankRecipe;
  /** Used for the age of episodes. */
  readonly now: Date;
  /** Time zone in which days are counted; UTC by default. */
  readonly timeZone?: TimeZone;
  /** True when the query is a statement and similar ones are wanted, rather than a question. */
  readonly isStatement?: boolean;
  /** Only units of these kinds, both by default. Other kinds still affect the order and the similarities. */
  readonly kinds?: readonly UnitKind[];
  /** Whether to list passages whose only content on the question no longer holds. */
  readonly includeForgotten?: boolean;
  /** Only units of at least this similarity, default 0. */
  readonly threshold?: number;
}

/** A unit as it may be shown. */
export interface ShownUnit {
  readonly unit: Unit;
  readonly detail: UnitDetail;
  /** False for a unit that no retriever found, included only because it is next to one that was found. */
  readonly isHit: boolean;
  /** True for a passage whose only content on the question no longer holds or is over. */
  readonly isOutOfDate: boolean;
}

export interface RankedUnit extends ShownUnit {
  /** Units of other kinds that say the same. */
  readonly others: readonly ShownUnit[];
  /** See `Levelled`. */
  readonly isFurther: boolean;
  /**
   * 0 to 1, absolute: unrelated near 0.2, related above 0.5, near-identical above 0.9. Used for thresholds and shown to
   * callers. Never higher than that of a better unit, see `levelSimilarities`.
   */
  readonly similarity: number;
  /** The similarity of the unit by itself, whatever its rank. */
  readonly ownSimilarity: number;
  /** Decides the order within one answer; not comparable with another answer's. */
  readonly score: number;
}

/** The analysed candidates and query of a search. */
export interface Prepared {
  readonly input: RankInput;
  readonly query: Query;
  readonly units: readonly UnitWords[];
  readonly evidence: Evidence;
  readonly gather: GatherEvidence;
  readonly nearness: Nearness;
}

/**
 * Every candidate once, most similar first, without those that only repeat a better one. Pure; never throws.
 * @param wider the same search with additional units that only a search for some kinds found; they do not affect the others
 */
export function rankPrepared(prepared: Prepared, wider?: Prepared): RankedUnit[] {
  const first = scoreUnits(prepared);
  if (!wider) return showRanked(first, prepared.input);
  const known = new Set(prepared.units.map(({ detail }) => detail.unit));
  const further = scoreUnits(wider).filter(({ words }) => !known.has(words.detail.unit));
  const all = [...first, ...further.map((listed) => ({ ...listed, isFurther: true }))];
  return showRanked(all.sort(byScore), wider.input);
}

/** The candidates that may be shown, best first. */
function scoreUnits({ input, units, query, evidence, gather, nearness }: Prepared): Listed[] {
  const { recipe = RANK, now, timeZone = "UTC" } = input;
  const sources = findSources(units);
  const places = candidatesByPosition(units);
  const sides = findSides(query, units, evidence, timeZone);
  const asked = sides ? weighEvent(query, recipe.eventWords) : query;
  const scores = scoreWords({ units, strengths: shareStrengths(evidence, sources), places }, asked, recipe);
  const dates = datesOf(query, units, timeZone);
  for (let index = 0; index < units.length; index++) {
    const words = units[index]!;
    const base = scores[index]! + vectorScore(nearness(words), input) + (words.tellsTime ? recipe.tellsTime : 0);
    const fit = recipe.date * dates[index]! + recipe.side * (sides?.[index] ?? 0);
    scores[index] = base * weightOf(words, recipe, now) + fit;
  }
  liftSurroundings(units, scores, places, recipe);
  // The current time must not decide what passes a threshold.
  const lasting = query.date?.isRelative ? { ...query, date: null } : query;
  const coverage = coverageOf(lasting, evidence);
  const standingOf = standingFor(query, gather);
  const { isStatement = false, wordCounts: counts } = input;
  const reading = { query: lasting, demands: demandsOf(lasting, counts), units, evidence, isStatement };
  const answerOf = answersOf(reading);
  const passageShare = passageSharesOf(reading);
  const personShare = isStatement ? null : personShareOf(query.text);
  const scored: Listed[] = [];
  for (let index = 0; index < units.length; index++) {
    const words = units[index]!;
    const standing = standingOf(words);
    if (standing === "gone" && !input.includeForgotten) continue;
    const { text } = words.detail;
    const isSame = text === query.text;
    const near = nearness(words);
    const covered = coverage(index, dates[index]!);
    const byShare = similarityOf(covered, near, input.calibration);
    const answer = answerOf(index, dates[index]!);
    const answering = answer ? similarityOfAnswer(answer, { near, covered }, input.calibration) : byShare;
    const left = answer ? 1 : passageShare(index);
    const shown = left < 1 ? similarityOf(left * covered, near, input.calibration) : answering;
    const similarity = isSame ? 1 : shown;
    const kept = (sources.has(index) ? recipe.stated : 1) * (standing === null ? 1 : OUT_OF_DATE);
    const base = answer ? mix(scores[index]!, recipe.fullAnswer * answering, recipe.answer) : scores[index]!;
    const alike = recipe.similarity * (isSame ? 1 : answering) + (isSame ? recipe.same : 0);
    const score = (personShare?.(text) ?? 1) * (base * kept + alike);
    scored.push({ words, similarity, score, isFurther: false, isOutOfDate: standing !== null });
  }
  return scored.sort(byScore);
}

function mix(one: number, other: number, shareOfOther: number): number {
  return (1 - shareOfOther) * one + shareOfOther * other;
}

function byScore(one: Listed, other: Listed): number {
  return other.score - one.score || one.words.detail.unit - other.words.detail.unit;
}

/** Each statement once, as long as it is similar enough. */
function showRanked(scored: readonly Listed[], input: RankInput): RankedUnit[] {
  const { kinds = BOTH_KINDS, threshold = 0 } = input;
  const groups = gatherRepetitions(scored);
  const similarities = levelSimilarities(groups);
  const hits = new Set([...input.textHits, ...input.vectorHits].map(({ unit }) => unit));
  const shown: RankedUnit[] = [];
  for (const [index, group] of groups.entries()) {
    const similarity = similarities[index]!;
    if (similarity < threshold) break;
    const listed = standIn(group, kinds);
    if (!listed) continue;
    const { unit, detail, isHit, isOutOfDate } = shownAs(listed, hits);
    const others = othersIn(group, listed).map((other) => shownAs(other, hits));
    const { score, similarity: ownSimilarity, isFurther } = group;
    // Written out: spreads of this many objects take longer than ranking them.
    shown.push({ unit, detail, isHit, isOutOfDate, others, similarity, ownSimilarity, score, isFurther });
  }
  return shown;
}

/** The members of another wanted kind that say the same. */
function othersIn(group: Repetition, listed: Listed): readonly Listed[] {
  if (group.members.length === 1) return [];
  return BOTH_KINDS.flatMap((kind) => standIn(group, [kind]) ?? []).filter((other) => other !== listed);
}

function shownAs({ words, isOutOfDate }: Listed, hits: ReadonlySet<Unit>): ShownUnit {
  const { detail } = words;
  return { unit: detail.unit, detail, isHit: hits.has(detail.unit), isOutOfDate };
}

const BOTH_KINDS: readonly UnitKind[] = ["chunk", "memory"];

/** How well each unit fits the date that the query names, 0 to 1. */
function datesOf({ date }: Query, units: readonly UnitWords[], timeZone: TimeZone): Float64Array {
  const dates = new Float64Array(units.length);
  if (date) for (let index = 0; index < units.length; index++) dates[index] = matchDate(date, units[index]!, timeZone);
  return dates;
}

/** Analyses candidates and query. */
export function prepareUnits(input: RankInput): Prepared {
  const { details, recipe = RANK } = input;
  const units = details.map(readUnit);
  const names = new Set<string>();
  for (const { speakers } of units) for (const speaker of speakers) names.add(speaker);
  const today = wallClock(input.now, input.timeZone ?? "UTC");
  const query = analyseQuery(input.query, input.wordCounts, names, today);
  const gather = withNamesOfPast(query, evidenceOf(query, recipe));
  return { input, query, units, evidence: gather(units), gather, nearness: nearnessOf(input) };
}

/** The same input with additional candidates. */
export function withMore(prepared: Prepared, details: readonly UnitDetail[]): Prepared {
  if (details.length === 0) return prepared;
  const { units, evidence, gather } = prepared;
  const more = details.map(readUnit);
  return { ...prepared, units: [...units, ...more], evidence: joinEvidence(evidence, gather(more)) };
}

/**
 * At most `most` candidate chunks that by themselves say most about the question. Used to find their neighbours: fast, and less
 * exact than `rankPrepared`.
 */
export function strongestChunks({ input, units, query, evidence, nearness }: Prepared, most: number): Unit[] {
  if (!units.some(({ detail }) => detail.chunk)) return [];
  const { recipe = RANK } = input;
  const alone = scoreAlone({ units, strengths: evidence.strengths }, query, recipe);
  const scored = units.flatMap((words, index) => {
    if (!words.detail.chunk) return [];
    const score = (alone[index]! + vectorScore(nearness(words), input)) * (words.isQuestion ? recipe.question : 1);
    return [{ unit: words.detail.unit, score }];
  });
  scored.sort((first, second) => second.score - first.score || first.unit - second.unit);
  return scored.slice(0, most).map(({ unit }) => unit);
}

function vectorScore(near: number | null, { calibration, recipe = RANK }: RankInput): number {
  return (calibration.vectorWeight ?? recipe.vector) * (near ?? 0);
}

/** The weight of a unit regardless of the question: it affects the order but never the similarity. */
function weightOf({ detail, isQuestion }: UnitWords, recipe: RankRecipe, now: Date): number {
  const asked = isQuestion ? recipe.question : 1;
  if (!detail.memory) return asked;
  const trust = detail.memory.isInference ? recipe.inference : 1;
  return (
    asked * trust * (1 - recipe.fading * fadingOf(detail.memory, now)) * (1 + recipe.habit * habitOf(detail.memory))
  );
}

/** The similarity of a unit by its vector alone; null when there are no vectors at all. */
type Nearness = (words: UnitWords) => number | null;

/** A unit found only by its words is assumed to lie between the last of the nearest vectors and the unrelated ones. */
function nearnessOf({ vectorHits: hits, calibration: { points } }: RankInput): Nearness {
  if (hits.length === 0) return () => null;
  const known = new Map<Unit, number>();
  let last = Infinity;
  for (const { unit, cosine } of hits) {
    known.set(unit, interpolate(cosine, points));
    if (cosine < last) last = cosine;
  }
  const nothing = unrelatedCosine(points);
  const nearBelow = interpolate(Math.max(nothing, (nothing + last) / 2), points);
  return ({ detail }) => known.get(detail.unit) ?? nearBelow;
}
