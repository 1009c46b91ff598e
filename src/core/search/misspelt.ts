import { editDistance } from "../../lib/edit-distance.js";
import { RARE_SHARE, backgroundShare } from "../../language/english/common-words.js";
import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { cueWords } from "../../language/facets/facets.js";
import { once } from "../../lib/once.js";
import { groupBy } from "../../lib/group-by.js";
import { isStopWord, queryWords } from "../../language/words.js";
import type { WordCounts } from "./query.js";

/** Words that questions are made of and that say nothing about their subject. */
const QUESTION_WORDS = "what when where which does have that with this user their there would could should".split(" ");
const SHORTEST = 3;
/** Shorter words are nearly others by chance. */
const SHORTEST_CONTENT = 4;
/** Words with as many letters may be wrong in two places. */
const LONG = 8;

/** A question as it may have been meant. */
export interface Spelling {
  /** With words of its own for those that are written wrongly, as far as they are known. */
  readonly text: string;
  /** Roots of words that nobody knows: neither the searched texts nor the word lists have them. */
  readonly unknown: ReadonlySet<string>;
}

/** Looks for words that are written wrongly. English letters only. */
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
  // Nobody asks for a dose of what is not there.
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

/** By the first letter, which is written wrongly less often than others. */
const cuesByLetter = once((): ReadonlyMap<string, readonly string[]> => groupBy(cueWords(), (cue) => cue[0]!));

/** True for two words that begin alike and differ in one letter, or in two where they are long. */
export function isNearly(one: string, other: string): boolean {
  const most = Math.max(one.length, other.length) >= LONG ? 2 : 1;
  return one[0] === other[0] && Math.abs(one.length - other.length) <= most && editDistance(one, other) <= most;
}
