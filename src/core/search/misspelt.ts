import { editDistance } from "../../lib/edit-distance.js";
import { RARE_SHARE, backgroundShare } from "../../language/english/common-words.js";
import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { cueWords } from "../../language/facets/facets.js";
import { once } from "../../lib/once.js";
import { groupBy } from "../../lib/group-by.js";
import { isStopWord, queryWords } from "../../language/words.js";
import type { WordCounts } from "./query.js";

/** Words that occur in questions and say nothing about their subject. */
const QUESTION_WORDS = "what when where which does have that with this user their there would could should".split(" ");
const SHORTEST = 3;
/** Shorter words resemble others by chance. */
const SHORTEST_CONTENT = 4;
/** Words with at least this many letters may have two wrong letters. */
const LONG = 8;

/** A question as it may have been intended. */
export interface Spelling {
  /** The text with misspelt words corrected, as far as the correct ones are known. */
  readonly text: string;
  /** Roots of unknown words: neither the searched texts nor the word lists contain them. */
  readonly unknown: ReadonlySet<string>;
}

/** Looks for misspelt words. English letters only. */
export function readSpelling(question: string, counts: WordCounts | null): Spelling {
  const unknown = new Set<string>();
  let text = question;
  if (counts === null) return { text, unknown };
  for (const [index, word] of queryWords(question).entries()) {
    if ((counts.counts[index] ?? 0) > 0 || !mayBeMisspelt(word)) continue;
    if (word.length >= SHORTEST_CONTENT) unknown.add(rootOf(word));
    const meant = meantBy(word);
    if (meant !== undefined) text = text.replace(new RegExp(`\\b${word}\\b`, "i"), meant);
  }
  return { text, unknown };
}

function mayBeMisspelt(word: string): boolean {
  if (word.length < SHORTEST || !/^[a-z]+$/.test(word) || isStopWord(word) || cueWords().has(word)) return false;
  // A known word, but unless the texts contain it, `dose` is a misspelling of `does`.
  if (word === "dose") return true;
  const root = rootOf(word);
  return conceptsOf(root).length === 0 && backgroundShare(root) <= RARE_SHARE;
}

function meantBy(word: string): string | undefined {
  const question = QUESTION_WORDS.find((known) => isNearly(known, word));
  if (question !== undefined || word.length < SHORTEST_CONTENT) return question;
  return cuesByLetter()
    .get(word[0]!)
    ?.find((cue) => isNearly(cue, word));
}

/** Grouped by first letter, which is misspelt less often than others. */
const cuesByLetter = once((): ReadonlyMap<string, readonly string[]> => groupBy(cueWords(), (cue) => cue[0]!));

/** True for two words that begin with the same letter and differ in one letter, or in two if they are long. */
export function isNearly(one: string, other: string): boolean {
  const most = Math.max(one.length, other.length) >= LONG ? 2 : 1;
  return one[0] === other[0] && Math.abs(one.length - other.length) <= most && editDistance(one, other) <= most;
}
