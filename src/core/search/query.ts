import { backgroundShare, COMMON_SHARE } from "../../language/english/common-words.js";
import { joinNeighbours, splitWord, type Compound } from "../../language/english/compounds.js";
import { familyOf } from "../../language/english/families.js";
import { relatedRoots, rootOf } from "../../language/english/relations.js";
import { isRelativeTime } from "../../language/english/time-words.js";
import { isStopWord, otherForms, queryWords, tokenise } from "../../language/words.js";
import { findEventMention } from "./event-times.js";
import { nearWords, type NearWords } from "./near-words.js";
import { findDateMention, findPastMention, type DateMention } from "./query-dates.js";

/** One content word of a query. */
export interface QueryTerm {
  readonly root: string;
  /** How much a match says, above 0: the rarer the word, the more. */
  readonly weight: number;
  readonly isName: boolean;
  /** True for a speaker named after another: the query asks about the first, unless it asks about both. */
  readonly isAside: boolean;
}

/** How strongly a word found in a text stands for a term of the query. */
export interface TermMatch {
  readonly term: number;
  /** 1 for the word itself, less for related words. */
  readonly relation: number;
}

/** A word of the query that a text may write as two words. */
export interface SplitTerm {
  readonly term: number;
  /** Root of the more telling part. */
  readonly root: string;
  /** Matches the two parts, one after the other. */
  readonly pattern: RegExp;
}

/** A query, analysed for ranking. */
export interface Query {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  /** By the root of a word in a text. */
  readonly matches: ReadonlyMap<string, readonly TermMatch[]>;
  /** By the family of a word in a text, see `familyOf`. */
  readonly families: ReadonlyMap<string, readonly TermMatch[]>;
  readonly splits: readonly SplitTerm[];
  /** For words that are not in `matches`; null for a query whose words are known. */
  readonly near: NearWords | null;
  readonly date: DateMention | null;
  /** The event by which the query names a time, with the indexes of its words among the terms; null when there is none. */
  readonly event: { readonly side: "before" | "after"; readonly terms: readonly number[] } | null;
}

/** In how many of `total` texts each word of `queryWords(query)` occurs. */
export interface WordCounts {
  readonly total: number;
  readonly counts: readonly number[];
}

/** How many texts the background statistics of English are worth. */
const BACKGROUND_TEXTS = 40;
/** Weight of words that occur in talk about anything, in addition to their rarity among the texts. */
const OF_ANY_TALK = 0.7;
/** Weight of `recently` and the like: what is recent for the question was described differently when it was told. */
const TOLD_OTHERWISE = 0.4;
const MOST_TERMS = 32;
/** How strongly another form of a word stands for it. */
const OTHER_FORM = 0.9;
/** How strongly a word of the same family stands for a word. */
const SAME_FAMILY = 0.9;

/**
 * Analyses a query.
 * @param names roots that are known to be names, such as speakers
 * @param now when it is asked; its UTC fields are the clock time where days are counted
 */
export function analyseQuery(text: string, counts: WordCounts | null, names: ReadonlySet<string>, now: Date): Query {
  const words = queryWords(text);
  const capitalised = capitalisedWords(text);
  const date = findDateMention(text) ?? findPastMention(text, now);
  const terms: QueryTerm[] = [];
  let isOther = false;
  for (const [index, word] of words.entries()) {
    const root = rootOf(word);
    if (terms.some((term) => term.root === root)) continue;
    if (date?.words.has(word)) continue;
    const share = backgroundShare(root);
    const found = counts ? (counts.counts[index] ?? 0) : 0;
    const total = counts ? counts.total : 0;
    const rarity = -Math.log(Math.min(0.9, (found + BACKGROUND_TEXTS * share) / (total + BACKGROUND_TEXTS)));
    const weight = rarity * (isRelativeTime(word) ? TOLD_OTHERWISE : share > COMMON_SHARE ? OF_ANY_TALK : 1);
    const isWrittenAsName = capitalised.has(word);
    const isSpeaker = names.has(root);
    terms.push({
      root,
      weight,
      isName: isSpeaker || (isWrittenAsName && share <= 0.001),
      isAside: isSpeaker && isWrittenAsName && isOther,
    });
    // The beginning of a memory counts as its speaker, and need not be a name.
    isOther ||= isSpeaker && isWrittenAsName && !TOGETHER.test(text);
  }
  const telling = heaviest(terms);
  return {
    text,
    terms: telling,
    matches: matchesOf(text, telling),
    families: familiesOf(telling),
    splits: splitsOf(words, telling),
    near: nearWords(text, telling),
    date,
    event: date ? null : eventOf(text, telling, names),
  };
}

/** People are not events: in `before Ana moved to Rome`, the other words say when. */
function eventOf(text: string, terms: readonly QueryTerm[], names: ReadonlySet<string>): Query["event"] {
  const event = findEventMention(text);
  if (!event) return null;
  const roots = new Set([...event.words].map(rootOf));
  const named = terms.flatMap(({ root }, term) => (roots.has(root) && !names.has(root) ? [term] : []));
  return named.length > 0 ? { side: event.side, terms: named } : null;
}

const TOGETHER = /\b(?:and|or|both|together|each other)\b/i;

/** All terms, or if there are too many, the weightiest. */
function heaviest(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (terms.length <= MOST_TERMS) return terms;
  const kept = new Set(terms.toSorted((one, other) => other.weight - one.weight).slice(0, MOST_TERMS));
  return terms.filter((term) => kept.has(term));
}

/** Folded words capitalised inside a sentence, where only names are. */
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

/**
 * The words to look up in the text index: those of the query, then neighbouring words joined into one, and single words split
 * into two, which the index treats as a phrase.
 */
export function lookedUpWords(text: string): string[] {
  const words = queryWords(text);
  const joined = joinNeighbours(text).flatMap(({ whole, isLikely }) => (isLikely ? [whole] : []));
  const names = capitalisedWords(text);
  const split = words.flatMap((word) => (names.has(word) ? [] : splitWord(word))).map(({ parts }) => parts.join(" "));
  return [...words, ...joined.slice(0, MOST_COMPOUNDS), ...split.slice(0, MOST_COMPOUNDS)];
}

const MOST_COMPOUNDS = 6;

function splitsOf(words: readonly string[], terms: readonly QueryTerm[]): SplitTerm[] {
  return words
    .flatMap(splitWord)
    .slice(0, MOST_COMPOUNDS)
    .flatMap(({ whole, parts }) => {
      const root = rootOf(whole);
      const term = terms.findIndex((each) => each.root === root);
      return term < 0 ? [] : [{ term, root: rootOf(longerOf(parts)), pattern: patternOf(parts) }];
    });
}

function longerOf([first, second]: Compound["parts"]): string {
  if (isStopWord(second)) return first;
  return isStopWord(first) || second.length >= first.length ? second : first;
}

/** Both parts may have endings: `works out`, `road trips`. */
function patternOf([first, second]: Compound["parts"]): RegExp {
  return new RegExp(`\\b${first}[a-z]{0,3}[ -]${second}(?:s|es|ed|ing|er|ers)?\\b`, "i");
}

function matchesOf(text: string, terms: readonly QueryTerm[]): Map<string, TermMatch[]> {
  const matches = new Map<string, TermMatch[]>();
  for (const [term, { root, isName }] of terms.entries()) {
    push(matches, root, { term, relation: 1 });
    for (const form of otherForms(root)) push(matches, form, { term, relation: OTHER_FORM });
    if (isName) continue;
    for (const [related, relation] of relatedRoots(root)) push(matches, related, { term, relation });
    const family = familyOf(root);
    if (family !== root) push(matches, family, { term, relation: SAME_FAMILY });
  }
  for (const { whole, parts } of joinNeighbours(text))
    for (const root of parts.map(rootOf)) {
      const term = terms.findIndex((each) => each.root === root);
      if (term >= 0) push(matches, rootOf(whole), { term, relation: 1 });
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
