import { once } from "../../lib/once.js";
import { rememberLast } from "../../lib/remember-last.js";
import { fold } from "../words.js";
import { createFacetIndex, entriesOf, type FacetWords } from "./facet-index.js";
import { LIFE_FACETS } from "./life-facets.js";
import { PERSON_FACETS } from "./person-facets.js";
import { WORK_FACETS } from "./work-facets.js";

const FACETS = [...PERSON_FACETS, ...LIFE_FACETS, ...WORK_FACETS];

/** Created lazily, as it takes some milliseconds. */
const indexed = once(() => ({
  asked: createFacetIndex(FACETS.map(({ asked }) => asked)),
  told: createFacetIndex(FACETS.map(({ told }) => told)),
}));

const CUE_WORD = /^[a-z]{4,}$/;

/** Single words in English letters that ask for a facet, for correcting misspellings. Collected on first use. */
export const cueWords = once(
  (): ReadonlySet<string> =>
    new Set(FACETS.flatMap(({ asked }) => entriesOf(asked)).filter((entry) => CUE_WORD.test(entry))),
);

/** The facets that a question asks for, each once, with the longest words that ask for it, folded. */
export function askedFacets(question: string): FacetWords[] {
  const longest = new Map<number, string>();
  for (const { facet, words } of indexed().asked(facetForm(question)))
    if (words.length > (longest.get(facet)?.length ?? 0)) longest.set(facet, words);
  return [...longest].map(([facet, words]) => ({ facet, words }));
}

/** True for the number of a facet about another person or an animal. */
export function isAnother(facet: number | null): boolean {
  return facet !== null && FACETS[facet]?.isAnother === true;
}

/** A text in the form in which it is compared with the words of facets. */
export function facetForm(text: string): string {
  return fold(text).replaceAll("\u2019", "'");
}

/** Texts whose facets are cached: searches of one container come across the same ones repeatedly. */
const MOST_KEPT = 10_000;
/** Statements are no longer than this; of longer text, only the beginning counts. */
const LONGEST_READ = 1_000;
const NONE: ReadonlySet<number> = new Set();

const toldByText = rememberLast((text): ReadonlySet<number> => {
  const told = indexed().told(facetForm(text));
  return told.length === 0 ? NONE : new Set(told.map(({ facet }) => facet));
}, MOST_KEPT);

/** The facets that a statement tells. */
export function toldFacets(statement: string): ReadonlySet<number> {
  return toldByText(statement.slice(0, LONGEST_READ));
}
