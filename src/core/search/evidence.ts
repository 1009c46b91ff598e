import { rarityOf } from "../../language/english/common-words.js";
import { contentRoot } from "../../language/english/relations.js";
import { tokenise } from "../../language/words.js";
import type { UnitDetail } from "../ports.js";
import type { Query, TermMatch } from "./query.js";
import type { RankRecipe } from "./ranking-weights.js";
import { isKept, LikelyRoots, type Root } from "./roots.js";
import { readText, type TextWords } from "./text-words.js";

/** A candidate with its text analysed. */
export interface UnitWords extends TextWords {
  readonly detail: UnitDetail;
  /** Roots of the speakers' names, or of what a memory starts with. */
  readonly speakers: readonly string[];
}

/**
 * How candidates match the terms of a query, in the order of both: the value for term `t` of candidate `c` is at index `c ×
 * terms + t`.
 */
export interface Evidence {
  /** How many terms the query has. */
  readonly terms: number;
  /** Occurrences relative to length, with related words counting less. For ranking. */
  readonly strengths: Float64Array;
  /** 1 when the word is present, less for related words, 0 when absent. For the threshold. */
  readonly presences: Float64Array;
}

/** Analyses the text of a candidate. */
export function readUnit(detail: UnitDetail): UnitWords {
  const words = readText(detail.text);
  const [first] = words.roots;
  const starts = first && words.length > 0 ? [first.text] : NOBODY;
  // Listed one by one: an object made by a spread with more properties after it takes many times the memory, and each search
  // creates hundreds.
  return {
    detail,
    roots: words.roots,
    counts: words.counts,
    length: words.length,
    speakers: detail.memory ? starts : readSpeakers(detail.chunk?.metadata?.speakers),
    isQuestion: words.isQuestion,
    tellsTime: words.tellsTime,
    isFirstPerson: words.isFirstPerson,
    isNegated: words.isNegated,
    signature: words.signature,
  };
}

const CACHED_SPEAKERS = 1_000;
const NOBODY: readonly string[] = [];
const speakersByNames = new Map<string, readonly string[]>();

function readSpeakers(names: readonly string[] | undefined): readonly string[] {
  if (!names || names.length === 0) return NOBODY;
  const key = names.join("\n");
  const known = speakersByNames.get(key);
  if (known) return known;
  if (speakersByNames.size >= CACHED_SPEAKERS) speakersByNames.clear();
  const speakers = [...new Set(names.flatMap((name) => tokenise(name).map(contentRoot)))];
  speakersByNames.set(key, speakers);
  return speakers;
}

/** How a root matches one term. */
interface Found extends TermMatch {
  /** For ranking; null for the word itself, which counts as often as it occurs. */
  readonly strength: number | null;
}

/** Looks for the terms of a query in units. */
export type GatherEvidence = (units: readonly UnitWords[]) => Evidence;

/** Units share their roots, so each root is matched against the query only once. */
export function evidenceOf(query: Query, recipe: RankRecipe): GatherEvidence {
  const terms = query.terms.length;
  const known = new Map<Root, readonly Found[] | null>();
  // Most roots do not match, and each text has a dozen.
  const likely = query.near ? null : new LikelyRoots(query.matches.keys(), query.families.keys());
  const lookUp = (root: Root): readonly Found[] | null => {
    const found = findTerms(root, query, recipe);
    if (isKept(root)) known.set(root, found);
    return found;
  };
  const read = (unit: UnitWords, evidence: Evidence, first: number): void => {
    let isEmpty = true;
    for (let at = 0; at < unit.roots.length; at++) {
      const root = unit.roots[at]!;
      if (likely !== null && !likely.has(root)) continue;
      const before = known.get(root);
      const found = before === undefined ? lookUp(root) : before;
      if (found === null) continue;
      isEmpty = false;
      for (const { term, relation, strength } of found)
        note(evidence, first + term, relation, strength ?? unit.counts?.[at] ?? 1);
    }
    for (const { term, root, pattern } of query.splits) {
      if (!unit.roots.some(({ text }) => text === root) || !pattern.test(unit.detail.text)) continue;
      isEmpty = false;
      note(evidence, first + term, 1, 1);
    }
    if (isEmpty) return;
    const scale = 1 - recipe.lengthShare + (recipe.lengthShare * unit.length) / recipe.typicalLength;
    for (let place = first; place < first + terms; place++) evidence.strengths[place]! /= scale;
  };
  return (units) => {
    const size = units.length * terms;
    const evidence = { terms, strengths: new Float64Array(size), presences: new Float64Array(size) };
    for (let index = 0; index < units.length; index++) read(units[index]!, evidence, index * terms);
    return evidence;
  };
}

/** The evidence of some units, followed by that of others. */
export function joinEvidence(one: Evidence, other: Evidence): Evidence {
  return {
    terms: one.terms,
    strengths: joined(one.strengths, other.strengths),
    presences: joined(one.presences, other.presences),
  };
}

function joined(one: Float64Array, other: Float64Array): Float64Array {
  const both = new Float64Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function findTerms({ text, family }: Root, query: Query, recipe: RankRecipe): readonly Found[] | null {
  const matches = query.matches.get(text) ?? query.near?.(text);
  const relatives = family === null ? undefined : query.families.get(family);
  if (!matches && !relatives) return null;
  const related = (root: string, relation: number) => relatedStrength(root, relation, recipe);
  return [
    ...(matches ?? []).map(({ term, relation }) => ({
      term,
      relation,
      strength: relation === 1 ? null : related(text, relation),
    })),
    ...(relatives ?? []).map(({ term, relation }) => ({ term, relation, strength: related(family ?? text, relation) })),
  ];
}

function note({ strengths, presences }: Evidence, place: number, relation: number, found: number): void {
  if (found > strengths[place]!) strengths[place] = found;
  if (relation > presences[place]!) presences[place] = relation;
}

/** A related word that occurs in talk about anything says less than a rare one. */
function relatedStrength(root: string, relation: number, recipe: RankRecipe): number {
  return recipe.relatedWeight * relation ** recipe.relatedPower * rarityOf(root) ** recipe.relatedRarity;
}
