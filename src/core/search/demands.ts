import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { askedFacets } from "../../language/facets/facets.js";
import { isForeignWord } from "../../language/languages/function-words.js";
import { foldedRuns, isStopWord, looksEnglish, queryWords, tokenise } from "../../language/words.js";
import { isFrameWord, isSubjectOfAll } from "./frame-words.js";
import { readSpelling } from "./misspelt.js";
import type { Query, QueryTerm, WordCounts } from "./query.js";
import { asksForName, focusOf, neededBy } from "./question-form.js";

/** One thing that an answer must contain. */
export interface Demand {
  /** Its weight, above 0. */
  readonly weight: number;
  /** Indexes of its terms in the query. */
  readonly terms: readonly number[];
  /** Number of the facet it stands for; null for a word. */
  readonly facet: number | null;
  /** True for what is asked; the other demands say about whom or what. */
  readonly isFocus: boolean;
  /** The root of its word if that may be misspelt. */
  readonly misspelt: string | null;
}

/** What a question asks for, as far as its words and form show. */
export interface Demands {
  readonly list: readonly Demand[];
  /** See `neededBy`. */
  readonly needed: RegExp | null;
  /** See `asksForName`. */
  readonly needsName: boolean;
  /** Indexes of the names among the terms, without names that all of the scope shares. */
  readonly names: readonly number[];
  /** The words of the question, folded. */
  readonly said: ReadonlySet<string>;
}

/** A word found in at least this share of the texts does not help to tell which of them answers. */
const SHARED = 0.7;
/** With fewer texts, what they share cannot be determined. */
const FEWEST_TEXTS = 5;
const FACET_WEIGHT = 5;
const MOST_WEIGHT = 6;
const MOST_NAME_WEIGHT = 4;
/** Several terms of these scripts make up one word. */
const MOST_EAST_ASIAN_WEIGHT = 3;
/** Weight of words that any question may be made of. */
const FRAME_WEIGHT = 0.15;
const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
const ENGLISH_LETTERS = /^\p{ASCII}*$/u;

/** Reads what a question asks for. */
export function demandsOf(query: Query, counts: WordCounts | null): Demands {
  const { text, unknown } = readSpelling(query.text, counts);
  const words = queryWords(query.text);
  const shared = sharedRoots(words, counts);
  const termOf = new Map(query.terms.map(({ root }, term) => [root, term]));
  const isOfAll = (root: string): boolean => isSubjectOfAll(root) || shared.has(root);
  const focus = looksEnglish(text) || ENGLISH_LETTERS.test(text) ? focusOf(text) : null;
  const named = new Set(query.terms.flatMap((term, place) => (isNameOfOne(term) ? [place] : [])));
  const facets = facetDemands(text, { termOf, named, focus });
  const used = new Set(facets.flatMap(({ terms }) => terms));
  const loose = ownTerms(query).filter((term) => !used.has(term) && !isOfAll(query.terms[term]!.root));
  const corrected = new Set(tokenise(text));
  const meant = loose.filter((term) => {
    const { root } = query.terms[term]!;
    return !unknown.has(root) || words.some((word) => rootOf(word) === root && corrected.has(word));
  });
  return {
    list: [...facets, ...meant.map((term) => wordDemand(query.terms[term]!, term, { focus, unknown }))],
    needed: neededBy(text),
    needsName: asksForName(text),
    names: [...named].filter((term) => !isOfAll(query.terms[term]!.root)),
    said: new Set(tokenise(query.text)),
  };
}

/** The beginning of a memory also counts as a name, and may be any word. */
function isNameOfOne({ root, isName }: QueryTerm): boolean {
  return isName && conceptsOf(root).length === 0;
}

function sharedRoots(words: readonly string[], counts: WordCounts | null): ReadonlySet<string> {
  if (counts === null || counts.total < FEWEST_TEXTS) return new Set();
  return new Set(words.filter((_, index) => (counts.counts[index] ?? 0) >= SHARED * counts.total).map(rootOf));
}

/** Leaves out facets whose words are part of another facet: a question for an email address does not ask for an address. */
function facetDemands(
  text: string,
  {
    termOf,
    named,
    focus,
  }: {
    readonly termOf: ReadonlyMap<string, number>;
    readonly named: ReadonlySet<number>;
    readonly focus: string | null;
  },
): Demand[] {
  const asked = askedFacets(text).map(({ facet, words }) => {
    const roots = [...tokenise(words), ...foldedRuns(words)].map(rootOf);
    return {
      weight: FACET_WEIGHT,
      terms: [...new Set(roots.flatMap((root) => termOf.get(root) ?? []))].filter((term) => !named.has(term)),
      facet,
      isFocus: focus !== null && roots.includes(rootOf(focus)),
      misspelt: null,
    };
  });
  const isPart = (one: Demand, whole: Demand): boolean =>
    one.terms.length > 0 &&
    one.terms.length < whole.terms.length &&
    one.terms.every((term) => whole.terms.includes(term));
  return asked.filter((one) => !asked.some((other) => isPart(one, other)));
}

/** Leaves out function words of languages other than English, and alternative spellings of a word (`fährt`, `faehrt`). */
function ownTerms({ text, terms }: Query): number[] {
  const all = terms.map((_, term) => term);
  if (looksEnglish(text)) return all;
  const spellings = new Set<string>();
  return all.filter((term) => {
    const { root } = terms[term]!;
    const spelling = root.replace(/([aou])e/g, "$1");
    if (spellings.has(spelling) || isForeignWord(root, isStopWord) || HIRAGANA.test(root)) return false;
    spellings.add(spelling);
    return true;
  });
}

function wordDemand(
  { root, weight, isName }: QueryTerm,
  term: number,
  { focus, unknown }: { readonly focus: string | null; readonly unknown: ReadonlySet<string> },
): Demand {
  const isFrame = isFrameWord(root);
  const most = isName ? MOST_NAME_WEIGHT : EAST_ASIAN.test(root) ? MOST_EAST_ASIAN_WEIGHT : MOST_WEIGHT;
  return {
    weight: Math.min(weight, most) * (isFrame ? FRAME_WEIGHT : 1),
    terms: [term],
    facet: null,
    isFocus: !isFrame && focus !== null && rootOf(focus) === root,
    misspelt: unknown.has(root) ? root : null,
  };
}
