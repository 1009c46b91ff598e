import { backgroundShare } from "../../lib/english/common-words.js";
import { familyOf } from "../../lib/english/families.js";
import { relatedRoots, rootOf } from "../../lib/english/relations.js";
import { isStopWord, otherForms, queryWords, tokenise } from "../../lib/words.js";
import { nearWords, type NearWords } from "./near-words.js";
import { findDateMention, findPastMention, type DateMention } from "./query-dates.js";

/** One word of a query that carries its subject. */
export interface QueryTerm {
  readonly root: string;
  /** How much finding it says, above 0: the rarer, the more. */
  readonly weight: number;
  readonly isName: boolean;
}

/** How strongly a word found in a text stands for a term of the query. */
export interface TermMatch {
  readonly term: number;
  /** 1 for the word itself, less for related words. */
  readonly relation: number;
}

/** A query, taken apart for ranking. */
export interface Query {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  /** By the root of a word in a text. */
  readonly matches: ReadonlyMap<string, readonly TermMatch[]>;
  /** By the family of a word in a text, see `familyOf`. */
  readonly families: ReadonlyMap<string, readonly TermMatch[]>;
  /** For words that are not in `matches`; null for a query whose words are known. */
  readonly near: NearWords | null;
  readonly date: DateMention | null;
}

/** In how many of `total` texts each word of `queryWords(query)` occurs. */
export interface WordCounts {
  readonly total: number;
  readonly counts: readonly number[];
}

/** How many texts the background knowledge of English weighs as much as. */
const BACKGROUND_TEXTS = 40;
const MOST_TERMS = 32;
/** How strongly another form of a word stands for it. */
const OTHER_FORM = 0.9;
/** How strongly a word of the same family stands for a word. */
const SAME_FAMILY = 0.9;

/**
 * Takes a query apart.
 * @param names roots that are known to be names, such as speakers
 * @param now when it is asked
 */
export function analyseQuery(text: string, counts: WordCounts | null, names: ReadonlySet<string>, now: Date): Query {
  const words = queryWords(text);
  const capitalised = capitalisedWords(text);
  const date = findDateMention(text) ?? findPastMention(text, now);
  const terms: QueryTerm[] = [];
  for (const [index, word] of words.entries()) {
    const root = rootOf(word);
    if (terms.some((term) => term.root === root)) continue;
    if (date?.words.has(word)) continue;
    const share = backgroundShare(root);
    const found = counts ? (counts.counts[index] ?? 0) : 0;
    const total = counts ? counts.total : 0;
    const weight = -Math.log(Math.min(0.9, (found + BACKGROUND_TEXTS * share) / (total + BACKGROUND_TEXTS)));
    terms.push({ root, weight, isName: names.has(root) || (capitalised.has(word) && share <= 0.001) });
  }
  const telling = heaviest(terms);
  return {
    text,
    terms: telling,
    matches: matchesOf(telling),
    families: familiesOf(telling),
    near: nearWords(text, telling),
    date,
  };
}

/** All terms, or of too many those that say the most. */
function heaviest(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (terms.length <= MOST_TERMS) return terms;
  const kept = new Set(terms.toSorted((one, other) => other.weight - one.weight).slice(0, MOST_TERMS));
  return terms.filter((term) => kept.has(term));
}

/** Folded words that start with a capital inside a sentence, where only names do. */
function capitalisedWords(text: string): Set<string> {
  const found = new Set<string>();
  let isInside = false;
  for (const [piece] of text.matchAll(/[\p{L}\p{N}]+|[.!?…\n]/gu)) {
    const isWord = /[\p{L}\p{N}]/u.test(piece);
    if (isInside && isWord && /^\p{Lu}/u.test(piece))
      for (const word of tokenise(piece)) if (!isStopWord(word)) found.add(word);
    isInside = isWord;
  }
  return found;
}

function matchesOf(terms: readonly QueryTerm[]): Map<string, TermMatch[]> {
  const matches = new Map<string, TermMatch[]>();
  for (const [term, { root, isName }] of terms.entries()) {
    push(matches, root, { term, relation: 1 });
    for (const form of otherForms(root)) push(matches, form, { term, relation: OTHER_FORM });
    if (isName) continue;
    for (const [related, relation] of relatedRoots(root)) push(matches, related, { term, relation });
    const family = familyOf(root);
    if (family !== root) push(matches, family, { term, relation: SAME_FAMILY });
  }
  return matches;
}

function familiesOf(terms: readonly QueryTerm[]): Map<string, TermMatch[]> {
  const families = new Map<string, TermMatch[]>();
  for (const [term, { root, isName }] of terms.entries())
    if (!isName) push(families, familyOf(root), { term, relation: SAME_FAMILY });
  return families;
}

function push(matches: Map<string, TermMatch[]>, key: string, match: TermMatch): void {
  const list = matches.get(key);
  if (list) list.push(match);
  else matches.set(key, [match]);
}
