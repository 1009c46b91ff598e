import { toldFacets } from "../../language/facets/facets.js";
import type { Calibration } from "../ports.js";
import type { Demand, Demands } from "./demands.js";
import type { Evidence, UnitWords } from "./evidence.js";
import { isNearlySubject } from "./frame-words.js";
import { isNearly } from "./misspelt.js";
import type { Query } from "./query.js";
import { tellsName } from "./question-form.js";
import { hasSome, NAMES_ALONE, signedShare, type MetDemand } from "./signs.js";
import { DATE_WEIGHT, interpolate, similarityOf } from "./similarity.js";

/** Weight of a word that states the facet asked for, relative to the question's own word. */
const TOLD = 0.9;
const MISSPELT = 0.9;
/** At or above this, a word counts as the name asked for. */
const SAME_NAME = 0.8;
/** At or above this, a related word counts as a synonym. */
const SYNONYM = 0.75;
/** Weight of a less related word, and the least relation that still counts. */
const RELATED = 0.45;
const RELATED_SHARE = 0.9;
/** When a facet is stated, the other words of a long question count for less, up to this limit. */
const LOOSE_SHARE = 0.28;
const MOST_LOOSE = 4.5;
/** The share of the similarity that remains when something is missing. */
const WITHOUT = {
  /** A number, a time or a place that the answer needs. */
  needed: 0.14,
  name: 0.13,
  focus: 0.92,
  /** A facet that is often asked for, when another facet is stated. */
  facet: 0.6,
  /** A name from the question, whether or not any text contains it. */
  namedOne: 0.5,
  /** The same, for a statement about somebody else. */
  ofAnother: 0.2,
};
/** Weight of how far the vector similarity rises above unrelated text. */
const VECTOR_SHARE = 0.21;
const UNRELATED = 0.2;
/** Maps how far a statement answers to a similarity. */
const CURVE: Calibration["points"] = [
  [0, 0.12],
  [0.12, 0.33],
  [0.25, 0.5],
  [0.5, 0.69],
  [0.8, 0.84],
  [1, 0.92],
  [1.17, 1],
];
/** Anyone who begins at least this many statements, and this share of them, is a subject of the memories. */
const FEWEST_STATEMENTS = 3;
const SHARE_OF_STATEMENTS = 0.1;

/** How far a statement answers. */
export interface Answer {
  /** The share of what is asked that it contains, by weight, 0 to 1. */
  readonly share: number;
  /** The factor for lacking something that any answer must have, 0 to 1. */
  readonly completeness: number;
  /** The factor for signs that it answers a different question, see `signedShare`; used where vectors know no more than words. */
  readonly signs: number;
}

/** Tells how far the candidate at an index answers; null if it is not a statement, or if the question asks for nothing. */
export type ReadAnswers = (candidate: number, dateMatch: number) => Answer | null;

/** The share of its word evidence that a passage keeps, 0 to 1. */
export type ReadPassages = (candidate: number) => number;

const WHOLE: ReadPassages = () => 1;
/** A passage that merely names the person asked about answers no more than a memory that does the same, see `signedShare`. */
export function passageSharesOf({ demands, units, evidence, isStatement = false }: Asked): ReadPassages {
  const { list, names } = demands;
  const things = list.filter((demand) => !isNameOf(demand, names));
  if (isStatement || names.length === 0 || things.length === 0) return WHOLE;
  return (candidate) => {
    const words = units[candidate]!;
    const presence = (term: number): number => evidence.presences[candidate * evidence.terms + term]!;
    const isNamed = !words.detail.memory && names.some((term) => presence(term) >= SAME_NAME);
    const isFound = (demand: Demand): boolean =>
      demand.terms.some((term) => presence(term) > 0) || (demand.facet !== null && tells(words, demand.facet));
    return isNamed && !things.some(isFound) ? NAMES_ALONE : 1;
  };
}

function isNameOf({ terms }: Demand, names: readonly number[]): boolean {
  return terms.length > 0 && terms.every((term) => names.includes(term));
}

/** What is known about a search when its answers are read. */
interface Asked {
  readonly query: Query;
  /** What the query asks for, see `demandsOf`. */
  readonly demands: Demands;
  readonly units: readonly UnitWords[];
  readonly evidence: Evidence;
  /** True when the query is a statement and similar ones are wanted: it asks for nothing, so nothing can be missing. */
  readonly isStatement?: boolean;
}

/**
 * How far each memory answers on its own, judged by its words: what share of the question it covers, and whether it contains
 * what any answer to such a question must have. Words that all of the scope shares, and the subject of the memories, are no
 * evidence.
 */
export function answersOf({ query, demands: all, units, evidence, isStatement = false }: Asked): ReadAnswers {
  const demands = withoutSubjects(all, units);
  const areNames = demands.list.map((demand) => isNameOf(demand, demands.names));
  if (demands.list.length === 0) return () => null;
  const subjects = demands.names.length > 0 ? subjectsOf(units) : NOBODY;
  return (candidate, dateMatch) => {
    const words = units[candidate]!;
    if (!words.detail.memory) return null;
    const presence = (term: number): number => evidence.presences[candidate * evidence.terms + term]!;
    const found = demands.list.map((demand, index) => foundOf(demand, words, { presence, isName: areNames[index]! }));
    const share = shareOf(found, query.date ? dateMatch : null);
    // A statement that covers nothing of the question needs no further checks.
    const completeness = share > 0 ? completenessOf(demands, words, { found, presence, query, subjects }) : 1;
    return { share, completeness, signs: isStatement ? 1 : signedShare(found) };
  };
}

/**
 * The similarity of a statement, 0 to 1, see `similarityOf`. Where vectors know more than words, these signs never raise it.
 * @param near the similarity by the vector alone; null when no vector is known
 * @param covered see `coverageOf`
 */
export function similarityOfAnswer(
  { share, completeness, signs }: Answer,
  { near, covered }: { readonly near: number | null; readonly covered: number },
  of: Calibration,
): number {
  if (!of.ofWords) return similarityOf(Math.min(covered, share * completeness), near, of);
  const rise = Math.max(0, (near ?? UNRELATED) - UNRELATED);
  return interpolate(Math.min(1, completeness * signs) * (share + VECTOR_SHARE * rise), CURVE);
}

type Presence = (term: number) => number;

function foundOf(
  demand: Demand,
  words: UnitWords,
  { presence, isName }: { readonly presence: Presence; readonly isName: boolean },
): MetDemand {
  const isTold = demand.facet !== null && tells(words, demand.facet);
  return { demand, isName, isTold, words: wordEvidence(demand, words, presence) };
}

/** The share of what is asked that a statement contains, by weight, 0 to 1. */
function shareOf(list: readonly MetDemand[], dateMatch: number | null): number {
  let found = DATE_WEIGHT * (dateMatch ?? 0);
  let missing = dateMatch === null ? 0 : DATE_WEIGHT - found;
  let loose = 0;
  for (const { demand, isTold, words } of list) {
    const has = Math.max(isTold ? TOLD : 0, words);
    found += demand.weight * has;
    if (demand.facet === null) loose += demand.weight * (1 - has);
    else missing += demand.weight * (1 - has);
  }
  const isAnyTold = list.some(({ isTold }) => isTold);
  return found / (found + missing + (isAnyTold ? Math.min(MOST_LOOSE, loose * LOOSE_SHARE) : loose));
}

function tells({ detail }: UnitWords, facet: number): boolean {
  return toldFacets(detail.text).has(facet);
}

/** How much of a demand's words a statement contains; each of several words contributes its share. */
function wordEvidence({ terms, facet, misspelt }: Demand, { roots }: UnitWords, presence: Presence): number {
  if (terms.length === 0) return 0;
  const mean = terms.reduce((sum, term) => sum + presence(term), 0) / terms.length;
  if (facet !== null) return mean === 1 ? mean : 0;
  if (mean >= SYNONYM) return mean;
  if (misspelt !== null && roots.some(({ text }) => isNearly(text, misspelt))) return MISSPELT;
  return mean >= RELATED ? RELATED_SHARE * mean : 0;
}

/** What else is known when a statement is judged. */
interface Beside {
  /** What it contains of each demand. */
  readonly found: readonly MetDemand[];
  readonly presence: Presence;
  readonly query: Query;
  /** Roots of the people or things that several statements are about. */
  readonly subjects: ReadonlySet<string>;
}

function completenessOf(demands: Demands, words: UnitWords, beside: Beside): number {
  const { needed, needsName, said } = demands;
  const { text } = words.detail;
  const lacksFocus = beside.found.some((one) => one.demand.isFocus && !hasSome(one));
  return (
    (needed !== null && !needed.test(text) ? WITHOUT.needed : 1) *
    (needsName && !tellsName(text, said) ? WITHOUT.name : 1) *
    (lacksFocus ? WITHOUT.focus : 1) *
    (lacksFacet(beside.found) ? WITHOUT.facet : 1) *
    namedShare(demands, words, beside)
  );
}

/** Whether two common facets are asked for and only the other one is stated. */
function lacksFacet(found: readonly MetDemand[]): boolean {
  const facets = found.filter(({ demand }) => demand.facet !== null);
  if (facets.length < 2) return false;
  const told = facets.filter(hasSome).length;
  return told > 0 && told < facets.length;
}

/** The share that remains for a statement that lacks a name from the question. */
function namedShare({ names }: Demands, { speakers }: UnitWords, beside: Beside): number {
  const missing = names.filter((term) => beside.presence(term) < SAME_NAME);
  if (missing.length === 0) return 1;
  const isOfAnother = speakers.some((speaker) => beside.subjects.has(speaker));
  if (isOfAnother && names.some((term) => beside.subjects.has(beside.query.terms[term]!.root)))
    return WITHOUT.ofAnother;
  return WITHOUT.namedOne;
}

/** With fewer memories, their subject cannot be determined. */
const FEWEST_MEMORIES = 5;
const SHARE_OF_MEMORIES = 0.5;

/** Leaves out words that are merely misspellings of the memories' subject. */
function withoutSubjects(demands: Demands, units: readonly UnitWords[]): Demands {
  if (demands.list.every(({ misspelt }) => misspelt === null)) return demands;
  const memories = units.filter(({ detail }) => detail.memory);
  const times = new Map<string, number>();
  const initials = new Set(demands.list.map(({ misspelt }) => misspelt?.[0]));
  for (const { roots } of memories)
    for (const { text } of roots) if (initials.has(text[0])) times.set(text, (times.get(text) ?? 0) + 1);
  const least = Math.max(FEWEST_MEMORIES, SHARE_OF_MEMORIES * memories.length);
  const shared = [...times].flatMap(([root, count]) => (count >= least ? [root] : []));
  const isSubject = ({ misspelt }: Demand): boolean =>
    misspelt !== null && (isNearlySubject(misspelt) || shared.some((root) => isNearly(root, misspelt)));
  return { ...demands, list: demands.list.filter((demand) => !isSubject(demand)) };
}

const NOBODY: ReadonlySet<string> = new Set();
const BEGINS_WITH_CAPITAL = /^\p{Lu}/u;

function subjectsOf(units: readonly UnitWords[]): ReadonlySet<string> {
  const times = new Map<string, number>();
  for (const { speakers, detail } of units)
    if (speakers[0] !== undefined && detail.memory && BEGINS_WITH_CAPITAL.test(detail.text))
      times.set(speakers[0], (times.get(speakers[0]) ?? 0) + 1);
  const fewest = Math.max(FEWEST_STATEMENTS, SHARE_OF_STATEMENTS * units.length);
  return new Set([...times].filter(([, count]) => count >= fewest).map(([root]) => root));
}
