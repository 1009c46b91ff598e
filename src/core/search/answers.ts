import { toldFacets } from "../../language/facets/facets.js";
import type { Calibration } from "../ports.js";
import type { Demand, Demands } from "./demands.js";
import type { Evidence, UnitWords } from "./evidence.js";
import { isNearlySubject } from "./frame-words.js";
import { isNearly } from "./misspelt.js";
import type { Query } from "./query.js";
import { tellsName } from "./question-form.js";
import { hasSome, NAMES_ALONE, signedShare, type Found } from "./signs.js";
import { DATE_WEIGHT, interpolate, similarityOf } from "./similarity.js";

/** What a word that tells a facet counts for against the word of the question itself. */
const TOLD = 0.9;
const MISSPELT = 0.9;
/** From here on a word is the name that is asked for. */
const SAME_NAME = 0.8;
/** From here on a related word says the same. */
const SYNONYM = 0.75;
/** What a less related word is worth, and how little related it may be. */
const RELATED = 0.45;
const RELATED_SHARE = 0.9;
/** Where a facet is told, the other words of a long question count for less, and for so much at most. */
const LOOSE_SHARE = 0.28;
const MOST_LOOSE = 4.5;
/** What is left where something is missing. */
const WITHOUT = {
  /** A number, a time or a place. */
  needed: 0.14,
  name: 0.13,
  focus: 0.92,
  /** What is often asked, where another such thing is told. */
  facet: 0.6,
  /** The name of one whom some text has, or none. */
  namedOne: 0.5,
  /** The same, of what is said of somebody else. */
  ofAnother: 0.2,
};
/** What the vector's rise over unrelated adds. */
const VECTOR_SHARE = 0.21;
const UNRELATED = 0.2;
/** How far a statement answers -> similarity. */
const CURVE: Calibration["points"] = [
  [0, 0.12],
  [0.12, 0.33],
  [0.25, 0.5],
  [0.5, 0.69],
  [0.8, 0.84],
  [1, 0.92],
  [1.17, 1],
];
/** Whoever begins so many statements, and such a share of them, is one whom they are about. */
const FEWEST_STATEMENTS = 3;
const SHARE_OF_STATEMENTS = 0.1;

/** How far a statement answers. */
export interface Answer {
  /** Which share of what is asked it has, by weight, 0 to 1. */
  readonly share: number;
  /** What is left of that where it lacks what any answer has, 0 to 1. */
  readonly completeness: number;
  /** What signs of answering another question leave of it, see `signedShare`; counts where vectors know no more than words. */
  readonly signs: number;
}

/** Tells how far the candidate at a place answers; null for what is no statement, and where the question asks for nothing. */
export type ReadAnswers = (candidate: number, dateMatch: number) => Answer | null;

/** Which share of its words' evidence is left to a passage, 0 to 1. */
export type ReadPassages = (candidate: number) => number;

const WHOLE: ReadPassages = () => 1;
/** A passage that only names whom a question is about answers it no more than such a memory does, see `signedShare`. */
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

/** What is known of a search when its answers are read. */
interface Asked {
  readonly query: Query;
  /** What the query asks for, see `demandsOf`. */
  readonly demands: Demands;
  readonly units: readonly UnitWords[];
  readonly evidence: Evidence;
  /** True for a statement whose like is looked for: it asks for nothing, so that nothing can be missing. */
  readonly isStatement?: boolean;
}

/**
 * How far each memory answers by itself, by its words: which share of what is asked it has, and whether it has what any answer
 * to such a question has. What all of the scope has, and the one whom it is about, are no evidence.
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
    // What has nothing of what is asked need not be looked at any further.
    const completeness = share > 0 ? completenessOf(demands, words, { found, presence, query, subjects }) : 1;
    return { share, completeness, signs: isStatement ? 1 : signedShare(found) };
  };
}

/**
 * The similarity of a statement, 0 to 1, see `similarityOf`. Where vectors know more than words, these never add to it.
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
): Found {
  const isTold = demand.facet !== null && tells(words, demand.facet);
  return { demand, isName, isTold, words: wordEvidence(demand, words, presence) };
}

/** Which share of what is asked a statement has, by weight, 0 to 1. */
function shareOf(list: readonly Found[], dateMatch: number | null): number {
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

/** What the words of a demand are worth in a statement; of several each has its share. */
function wordEvidence({ terms, facet, misspelt }: Demand, { roots }: UnitWords, presence: Presence): number {
  if (terms.length === 0) return 0;
  const mean = terms.reduce((sum, term) => sum + presence(term), 0) / terms.length;
  if (facet !== null) return mean === 1 ? mean : 0;
  if (mean >= SYNONYM) return mean;
  if (misspelt !== null && roots.some(({ text }) => isNearly(text, misspelt))) return MISSPELT;
  return mean >= RELATED ? RELATED_SHARE * mean : 0;
}

/** What else is known when a statement is looked at. */
interface Beside {
  /** What it has of each demand. */
  readonly found: readonly Found[];
  readonly presence: Presence;
  readonly query: Query;
  /** Roots of those whom several statements are about. */
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

/** Whether something that is often asked is asked beside another such thing, and only that one is told. */
function lacksFacet(found: readonly Found[]): boolean {
  const facets = found.filter(({ demand }) => demand.facet !== null);
  if (facets.length < 2) return false;
  const told = facets.filter(hasSome).length;
  return told > 0 && told < facets.length;
}

/** What is left for a statement without a name of the question. */
function namedShare({ names }: Demands, { speakers }: UnitWords, beside: Beside): number {
  const missing = names.filter((term) => beside.presence(term) < SAME_NAME);
  if (missing.length === 0) return 1;
  const isOfAnother = speakers.some((speaker) => beside.subjects.has(speaker));
  if (isOfAnother && names.some((term) => beside.subjects.has(beside.query.terms[term]!.root)))
    return WITHOUT.ofAnother;
  return WITHOUT.namedOne;
}

/** Of fewer memories nobody can tell whom they are about. */
const FEWEST_MEMORIES = 5;
const SHARE_OF_MEMORIES = 0.5;

/** Without what is only a misspelt word for the one whom the memories are about. */
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
