import { dropAtEnd } from "../../lib/drop-at-end.js";

/** A letter and a hyphen at the end of a line. */
const HYPHEN_AT_END = /\p{L}[-\u00ad\u2010]$/u;
const SMALL_LETTER_AT_START = /^\p{Ll}/u;
const LETTER = /[\p{L}\p{M}]/u;
const WORD_AT_START = /^[\p{L}\p{M}]+/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** Maximum length of a word at the end of a line. */
const LONGEST_WORD = 60;

/** Hyphenated words in lower case that occur within a line, such as `well-known`. */
export type HyphenatedWords = ReadonlySet<string>;

/** Collects the hyphenated words from lines of text. */
export function hyphenatedWordsIn(lines: Iterable<string>): HyphenatedWords {
  const words = new Set<string>();
  for (const line of lines) {
    if (!line.includes("-")) continue;
    for (const word of line.toLowerCase().split(/[^\p{L}\p{M}-]/u)) if (word.includes("-")) words.add(word);
  }
  return words;
}

/** Joins two lines of a paragraph. A hyphen that only marks a line break is removed; one that belongs to the word stays. */
export function joinLines(above: string, below: string, hyphenated: HyphenatedWords): string {
  if (endsInWord(above, below)) {
    const stem = above.slice(0, -1);
    const word = `${wordAtEnd(stem)}-${WORD_AT_START.exec(below.slice(0, LONGEST_WORD))?.[0] ?? ""}`;
    return (hyphenated.has(word.toLowerCase()) ? `${stem}-` : stem) + below;
  }
  const isUnspaced = WITHOUT_SPACES.test(above.slice(-1)) && WITHOUT_SPACES.test(below.slice(0, 1));
  return above + (isUnspaced ? "" : " ") + below;
}

/** Whether a word is split across two lines. */
export function endsInWord(above: string, below: string): boolean {
  return HYPHEN_AT_END.test(above.slice(-4)) && SMALL_LETTER_AT_START.test(below.slice(0, 4));
}

function wordAtEnd(text: string): string {
  const end = text.slice(-LONGEST_WORD);
  return end.slice(dropAtEnd(end, LETTER).length);
}
