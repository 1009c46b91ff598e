import { once } from "../../lib/once.js";
import { foldedRuns } from "../words.js";

/** Words of a text that stand for a facet. */
export interface FacetWords {
  /** Number of the facet. */
  readonly facet: number;
  readonly words: string;
}

/** Finds the words of facets in a folded text. */
export type FindFacets = (text: string) => readonly FacetWords[];

/** An entry that has to be matched by a pattern. */
interface Phrase {
  readonly facet: number;
  /** Created lazily: there are thousands, mostly in languages that never occur. */
  readonly pattern: () => RegExp;
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const WORD = /^[\p{L}\p{N}]+$/u;
const BEGINNING = /^[\p{L}\p{N}]+\*$/u;
const FIRST_LETTERS = /^([\p{L}\p{N}]+)(\*?)/u;
/** Words that may stand where an entry has a `*` of its own. */
const FEW_WORDS = "(?:[^\\s]+ ){0,3}?";
const SHORTEST_BEGINNING = 2;

/**
 * Creates an index from words and phrases to the facets that list them, folded and separated by commas. A `*` stands for
 * further letters; one between spaces, for up to three words.
 */
export function createFacetIndex(lists: readonly string[]): FindFacets {
  const words = new Map<string, number[]>();
  const beginnings = new Map<string, number[]>();
  const phrases = new Map<string, Phrase[]>();
  const phrasesByBeginning = new Map<string, Phrase[]>();
  const anywhere: Phrase[] = [];
  const unspaced: Phrase[] = [];
  for (const [facet, list] of lists.entries()) {
    for (const entry of entriesOf(list)) {
      const [, letters, star] = FIRST_LETTERS.exec(entry) ?? [];
      if (UNSPACED.test(entry)) unspaced.push({ facet, pattern: once(() => new RegExp(entry, "u")) });
      else if (WORD.test(entry)) push(words, entry, facet);
      else if (BEGINNING.test(entry)) push(beginnings, entry.slice(0, -1), facet);
      else if (letters === undefined) anywhere.push({ facet, pattern: once(() => patternOf(entry)) });
      else push(star === "" ? phrases : phrasesByBeginning, letters, { facet, pattern: once(() => patternOf(entry)) });
    }
  }
  return (text) => {
    const found: FacetWords[] = [];
    const look = ({ facet, pattern }: Phrase): void => {
      const match = pattern().exec(text);
      if (match) found.push({ facet, words: match[0] });
    };
    for (const word of new Set(foldedRuns(text))) {
      for (const facet of words.get(word) ?? []) found.push({ facet, words: word });
      phrases.get(word)?.forEach(look);
      for (let length = SHORTEST_BEGINNING; length <= word.length; length++) {
        const beginning = word.slice(0, length);
        for (const facet of beginnings.get(beginning) ?? []) found.push({ facet, words: word });
        phrasesByBeginning.get(beginning)?.forEach(look);
      }
    }
    if (UNSPACED.test(text)) unspaced.forEach(look);
    anywhere.forEach(look);
    return found;
  };
}

export function entriesOf(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim().replace(/\s+/g, " "))
    .filter((entry) => entry !== "");
}

/** Matches whole words only. */
function patternOf(entry: string): RegExp {
  const pattern = entry.replaceAll(" * ", ` ${FEW_WORDS}`).replaceAll("*", "[\\p{L}\\d]*");
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "u");
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
