import { rarityOf } from "../../lib/english/common-words.js";
import { familyOf } from "../../lib/english/families.js";
import { contentRoot } from "../../lib/english/relations.js";
import { isTimeWord } from "../../lib/english/time-words.js";
import { isNegation, NUMBER_WORDS, splitWords, tokenise } from "../../lib/words.js";
import type { UnitDetail } from "../ports.js";
import type { Query } from "./query.js";
import type { RankRecipe } from "./recipes.js";

/** A candidate's text, taken apart for ranking. */
export interface UnitWords {
  readonly detail: UnitDetail;
  /** Roots of the content words, with how often they occur. */
  readonly counts: ReadonlyMap<string, number>;
  /** Families of those words that are longer than their family. */
  readonly families: readonly string[];
  /** Number of content words. */
  readonly length: number;
  /** Roots of the names of those who speak, or of what a memory starts with. */
  readonly speakers: ReadonlySet<string>;
  readonly isQuestion: boolean;
  /** True when it says when something happens. */
  readonly tellsTime: boolean;
  /** True when who speaks speaks of themselves. */
  readonly isFirstPerson: boolean;
  /** True when an odd number of negations turns the meaning round. */
  readonly isNegated: boolean;
  /** A cheap hint: texts that `isSameFact` have the same one, and few others. */
  readonly signature: number;
}

/** What a candidate has of each term of the query. */
export interface Evidence {
  /** By term: occurrences per length, related words counting less. For the order. */
  readonly strength: Float64Array;
  /** By term: 1 when the word is there, less for related words, 0 when there is none. For the threshold. */
  readonly presence: Float64Array;
}

const FIRST_PERSON: ReadonlySet<string> = new Set("i my me we our".split(" "));
const ENDS_IN_QUESTION = /\?[\s"')]*(?:\[[^\]]*\]\s*)?$/;

/** Takes the text of a candidate apart. */
export function readUnit(detail: UnitDetail): UnitWords {
  const { first, counts, families, length, ...traits } = readText(detail.text);
  const speakers = detail.memory ? first : readSpeakers(detail.chunk?.metadata?.speakers);
  return { detail, counts, families, length, speakers, ...traits };
}

const CACHED_SPEAKERS = 1_000;
const NOBODY: ReadonlySet<string> = new Set();
const speakersByNames = new Map<string, ReadonlySet<string>>();

function readSpeakers(names: readonly string[] | undefined): ReadonlySet<string> {
  if (!names || names.length === 0) return NOBODY;
  const key = names.join("\n");
  const known = speakersByNames.get(key);
  if (known) return known;
  if (speakersByNames.size >= CACHED_SPEAKERS) speakersByNames.clear();
  const speakers = new Set(names.flatMap((name) => tokenise(name).map(contentRoot)));
  speakersByNames.set(key, speakers);
  return speakers;
}

/** What does not depend on where a text stands. */
interface TextWords extends Omit<UnitWords, "detail" | "speakers"> {
  /** Root of its first content word, if it has any. */
  readonly first: ReadonlySet<string>;
}

/** Searches of one container meet the same texts again and again. */
const CACHED_TEXTS = 8_000;
const LONGEST_CACHED = 2_000;
let recentTexts = new Map<string, TextWords>();
let earlierTexts = new Map<string, TextWords>();

function readText(text: string): TextWords {
  if (text.length > LONGEST_CACHED) return takeApart(text);
  const recent = recentTexts.get(text);
  if (recent) return recent;
  if (recentTexts.size >= CACHED_TEXTS) [earlierTexts, recentTexts] = [recentTexts, new Map()];
  const words = earlierTexts.get(text) ?? takeApart(text);
  recentTexts.set(text, words);
  return words;
}

function takeApart(text: string): TextWords {
  const counts = new Map<string, number>();
  let length = 0;
  let first = "";
  let negations = 0;
  let mark = 0;
  let tellsTime = false;
  let isFirstPerson = false;
  const { words, forms } = splitWords(text);
  for (const word of words) {
    if (isNegation(word)) negations += 1;
    tellsTime ||= isTimeWord(word);
    isFirstPerson ||= FIRST_PERSON.has(word);
    const root = contentRoot(word);
    if (root === "") continue;
    if (first === "") first = root;
    counts.set(root, (counts.get(root) ?? 0) + 1);
    length += 1;
    if (!NUMBER_WORDS.has(word) && !/^\p{N}/u.test(word)) mark += 7919 + root.charCodeAt(0) * 31 + root.length;
  }
  for (const form of forms) {
    const root = contentRoot(form);
    if (root !== "") counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return {
    counts,
    families: [...familiesOf(counts.keys())],
    length,
    first: first === "" ? NOBODY : new Set([first]),
    isQuestion: ENDS_IN_QUESTION.test(text.slice(-400)),
    tellsTime,
    isFirstPerson,
    isNegated: negations % 2 === 1,
    signature: mark,
  };
}

function familiesOf(roots: Iterable<string>): Set<string> {
  const families = new Set<string>();
  for (const root of roots) {
    const family = familyOf(root);
    if (family !== root) families.add(family);
  }
  return families;
}

/** Looks for the terms of a query in a unit. */
export function gatherEvidence(unit: UnitWords, query: Query, recipe: RankRecipe): Evidence {
  let evidence: Evidence | null = null;
  for (const [root, count] of unit.counts) {
    const matches = query.matches.get(root) ?? query.near?.(root);
    if (!matches) continue;
    evidence ??= emptyEvidence(query);
    for (const { term, relation } of matches)
      note(evidence, term, relation, relation === 1 ? count : relatedStrength(root, relation, recipe));
  }
  for (const family of unit.families) {
    const matches = query.families.get(family);
    if (!matches) continue;
    evidence ??= emptyEvidence(query);
    for (const { term, relation } of matches) note(evidence, term, relation, relatedStrength(family, relation, recipe));
  }
  if (!evidence) return noEvidence(query);
  const { strength } = evidence;
  const scale = 1 - recipe.lengthShare + (recipe.lengthShare * unit.length) / recipe.typicalLength;
  for (let term = 0; term < strength.length; term++) strength[term] = (strength[term] ?? 0) / scale;
  return evidence;
}

function emptyEvidence({ terms }: Query): Evidence {
  return { strength: new Float64Array(terms.length), presence: new Float64Array(terms.length) };
}

function note({ strength, presence }: Evidence, term: number, relation: number, found: number): void {
  if (found > (strength[term] ?? 0)) strength[term] = found;
  if (relation > (presence[term] ?? 0)) presence[term] = relation;
}

/** Of many candidates nothing is to be said: they share one. */
const withoutEvidence: Evidence[] = [];

function noEvidence(query: Query): Evidence {
  return (withoutEvidence[query.terms.length] ??= emptyEvidence(query));
}

/** A related word that turns up in talk about anything says less than a rare one. */
function relatedStrength(root: string, relation: number, recipe: RankRecipe): number {
  return recipe.relatedWeight * relation ** recipe.relatedPower * rarityOf(root) ** recipe.relatedRarity;
}
