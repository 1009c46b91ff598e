import { conceptsOf } from "../../language/english/relations.js";
import { looksEnglish } from "../../language/words.js";
import type { QueryTerm, TermMatch } from "./query.js";

/** Matches for a word of a text that is not a form of a query word but resembles one; undefined for none. */
export type NearWords = (root: string) => readonly TermMatch[] | undefined;

/** Fewest letters of a part that shows what the whole compound is about. */
const SHORTEST_PART = 5;
const SHORTEST_START = 4;
/** Most letters an ending may have on either side. */
const LONGEST_ENDING = 3;
/** Endings may be longer when they follow the whole word. */
const LONGEST_ENDINGS = 8;
/** Characters from here on belong to scripts without spaces between words: their words share beginnings by chance. */
const FIRST_UNSPACED = 0xe00;

const SAME_WORD = 0.85;
const LONG_ENDING = 0.7;
const PART = 0.6;

/**
 * Matches inflected and compound words of languages whose grammar is not known here, by their letters: `anahtar` and
 * `anahtarlar`, `Kuchen` and `Apfelkuchen`. Null when the query looks English, whose words have stems and relations.
 */
export function nearWords(text: string, terms: readonly QueryTerm[]): NearWords | null {
  const asked = terms.flatMap(({ root }, term) =>
    root.length >= SHORTEST_START &&
    root.charCodeAt(0) < FIRST_UNSPACED &&
    /^\p{L}/u.test(root) &&
    conceptsOf(root).length === 0
      ? [{ root, term }]
      : [],
  );
  if (asked.length === 0 || looksEnglish(text)) return null;
  const known = new Map<string, readonly TermMatch[] | undefined>();
  return (root) => {
    if (root.length < SHORTEST_START) return undefined;
    if (known.has(root)) return known.get(root);
    const matches = asked.flatMap((one) => {
      const relation = relationOf(one.root, root);
      return relation > 0 ? [{ term: one.term, relation }] : [];
    });
    const found = matches.length > 0 ? matches : undefined;
    known.set(root, found);
    return found;
  };
}

function relationOf(asked: string, found: string): number {
  const [short, long] = asked.length < found.length ? [asked, found] : [found, asked];
  const start = commonStart(asked, found);
  if (start >= SHORTEST_START) {
    if (long.length - start <= LONGEST_ENDING && start * 2 >= long.length) return SAME_WORD;
    if (start === short.length && start >= SHORTEST_PART && long.length - start <= LONGEST_ENDINGS) return LONG_ENDING;
  }
  return short.length >= SHORTEST_PART && (long.endsWith(short) || start === short.length) ? PART : 0;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
