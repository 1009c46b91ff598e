import { backgroundShare } from "../../language/english/common-words.js";
import { rootOf } from "../../language/english/relations.js";
import { tokenise } from "../../language/words.js";
import { answerPattern, asksForMany } from "./answer-types.js";
import { readUnit, type UnitWords } from "./evidence.js";
import type { RankedUnit } from "./rank.js";

/** How many of the best results are reranked. */
export const RERANKED = 100;

/** The weight of each sign, as a share of the best result's score. */
export interface RerankRecipe {
  /** A word of the kind that the question asks for, such as a date for `when`. */
  readonly answer: number;
  /** The previous turn is a question that was itself found: this one answers it. Scaled by that turn's score. */
  readonly reply: number;
  /** The best of the two chunks before and the two after. Scaled by its score. */
  readonly beside: number;
  /** Contains only words that occur in talk about anything. */
  readonly empty: number;
  /** Similarity to the words that the best results share beyond the question's own, 0 to 1. */
  readonly alike: number;
  /** Per better result of the same document, when the question asks for many things: these lie in many places. */
  readonly repeated: number;
}

/**
 * Chosen on conversations by mean recall within 300 to 2,000 tokens; each weight gains over the whole grid on which the others
 * were varied.
 */
export const RERANK: RerankRecipe = Object.freeze({
  answer: 0.06,
  reply: 0.06,
  beside: 0.1,
  empty: -0.08,
  alike: 0.2,
  repeated: -0.03,
});

/** How many of the best results show which words accompany the answer. */
const EXAMPLES = 12;
/** Words in at least this share of texts are not content words. */
const COMMON = 0.01;

/**
 * Reorders the best results by looking at them together: which of them contain the kind of answer asked for, answer a turn that
 * was found, are next to or resemble others that were found, and say more than a greeting. Lower results stay in place, and so
 * does every similarity. Pure; takes about a millisecond.
 * @param ranked best first
 */
export function rerankByRules(
  query: string,
  ranked: readonly RankedUnit[],
  recipe: RerankRecipe = RERANK,
): RankedUnit[] {
  const best = ranked.slice(0, RERANKED);
  const top = best[0]?.score ?? 0;
  if (best.length < 2 || top <= 0) return [...ranked];
  const scores = readSigns(query, best, top).map((signs) => scoreOf(signs, recipe));
  const order = best
    .map((unit, index) => ({ unit, index, score: scores[index] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.index - other.index);
  if (asksForMany(query)) spread(order, recipe.repeated);
  return [...order.map(({ unit }) => unit), ...ranked.slice(best.length)];
}

interface Placed {
  readonly unit: RankedUnit;
  readonly index: number;
  readonly score: number;
}

/** Lowers each result for every better one of its document. */
function spread(order: Placed[], repeated: number): void {
  const counts = new Map<string, number>();
  const spread = order.map((placed) => {
    const id = documentOf(placed.unit);
    const before = counts.get(id) ?? 0;
    counts.set(id, before + 1);
    return { ...placed, score: placed.score + repeated * before };
  });
  spread.sort((one, other) => other.score - one.score || one.index - other.index);
  order.splice(0, order.length, ...spread);
}

/** Signs for and against a result, each about 0 to 1. */
interface RerankSigns {
  /** Share of the best score. */
  readonly first: number;
  readonly answer: number;
  readonly reply: number;
  readonly beside: number;
  readonly empty: number;
  readonly alike: number;
}

function scoreOf(signs: RerankSigns, recipe: RerankRecipe): number {
  return (
    signs.first +
    recipe.answer * signs.answer +
    recipe.reply * signs.reply +
    recipe.beside * signs.beside +
    recipe.empty * signs.empty +
    recipe.alike * signs.alike
  );
}

/** @param top score of the best, above 0 */
function readSigns(query: string, best: readonly RankedUnit[], top: number): RerankSigns[] {
  const units = best.map(({ detail }) => readUnit(detail));
  const shares = best.map(({ score }) => Math.max(0, score / top));
  const asked = new Set(tokenise(query).map(rootOf));
  const speakers = new Set(units.flatMap((unit) => (unit.detail.chunk ? [...unit.speakers] : [])));
  const pattern = answerPattern(query);
  const places = indexByPosition(best);
  const at = (index: number, offset: number): number => neighbour(best, places, index, offset);
  const shareAt = (index: number): number => shares[index] ?? 0;
  const weights = weighWords(units, new Set([...asked, ...speakers]));
  const examples = exampleWords(units, shares, weights);
  return units.map((unit, index) => {
    const before = at(index, -1);
    return {
      first: shareAt(index),
      answer: pattern?.test(unit.detail.text) ? 1 : 0,
      reply: units[before]?.isQuestion ? shareAt(before) : 0,
      beside: Math.max(...[-2, -1, 1, 2].map((offset) => shareAt(at(index, offset)))),
      empty: emptiness(unit),
      alike: likeness(unit, weights, examples),
    };
  });
}

function documentOf({ detail }: Pick<UnitWords, "detail">): string {
  return detail.chunk?.documentId ?? detail.documentIds[0] ?? "";
}

function indexByPosition(best: readonly RankedUnit[]): Map<string, number> {
  return new Map(
    best.flatMap(({ detail: { chunk } }, index): [string, number][] =>
      chunk ? [[`${chunk.documentId} ${chunk.position}`, index]] : [],
    ),
  );
}

/** Index of the one of the best that is next to a result in its document; -1 if none. */
function neighbour(
  best: readonly RankedUnit[],
  places: ReadonlyMap<string, number>,
  index: number,
  offset: number,
): number {
  const chunk = best[index]?.detail.chunk;
  return chunk ? (places.get(`${chunk.documentId} ${chunk.position + offset}`) ?? -1) : -1;
}

/** The weight of each root that is neither asked for nor a speaker: the rarer among the results and in English, the more. */
function weighWords(units: readonly UnitWords[], except: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const unit of units)
    for (const { text: root } of unit.roots) if (!except.has(root)) counts.set(root, (counts.get(root) ?? 0) + 1);
  const weights = new Map<string, number>();
  for (const [root, count] of counts)
    weights.set(
      root,
      Math.log(1 + units.length / (count + 1)) * Math.min(1, -Math.log(backgroundShare(root)) / RAREST),
    );
  return weights;
}

/** `-log` of the share assumed for words that were never counted. */
const RAREST = 6.9;

/** The words of the best results, weighed, as a direction of length 1. */
function exampleWords(
  units: readonly UnitWords[],
  shares: readonly number[],
  weights: ReadonlyMap<string, number>,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [index, unit] of units.slice(0, EXAMPLES).entries())
    for (const { text: root } of unit.roots) {
      const weight = weights.get(root);
      if (weight !== undefined) sums.set(root, (sums.get(root) ?? 0) + (shares[index] ?? 0) * weight);
    }
  const length = Math.hypot(...sums.values()) || 1;
  for (const [root, sum] of sums) sums.set(root, sum / length);
  return sums;
}

/** The cosine between a result's words and those of the best results. */
function likeness(
  unit: UnitWords,
  weights: ReadonlyMap<string, number>,
  examples: ReadonlyMap<string, number>,
): number {
  let shared = 0;
  let squares = 0;
  for (const { text: root } of unit.roots) {
    const weight = weights.get(root) ?? 0;
    squares += weight * weight;
    shared += weight * (examples.get(root) ?? 0);
  }
  return squares === 0 ? 0 : shared / Math.sqrt(squares);
}

/** The share of words that occur in talk about anything, 0 to 1. */
function emptiness({ roots }: UnitWords): number {
  if (roots.length === 0) return 1;
  const common = roots.filter(({ text }) => backgroundShare(text) >= COMMON);
  return common.length / roots.length;
}
