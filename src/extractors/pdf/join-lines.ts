import { dropAtEnd } from "../../lib/drop-at-end.js";

/** A letter and a hyphen at the end of a line. */
const HYPHEN_AT_END = /\p{L}[-\u00ad\u2010]$/u;
const SMALL_LETTER_AT_START = /^\p{Ll}/u;
const LETTER = /[\p{L}\p{M}]/u;
const WORD_AT_START = /^[\p{L}\p{M}]+/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** Words at the end of a line are looked at so far back. */
const LONGEST_WORD = 60;

/** Words with a hyphen inside, in small letters: `well-known`, as it stands in the middle of a line. */
export type HyphenatedWords = ReadonlySet<string>;

/** Collects the words with hyphens inside from lines of text. */
export function hyphenatedWordsIn(lines: Iterable<string>): HyphenatedWords {
  const words = new Set<string>();
  for (const line of lines) {
    if (!line.includes("-")) continue;
    for (const word of line.toLowerCase().split(/[^\p{L}\p{M}-]/u)) if (word.includes("-")) words.add(word);
  }
  return words;
}

/** Two lines of a paragraph as one text. A hyphen that only ends a line goes, one that belongs to its word stays. */
export function joinLines(above: string, below: string, hyphenated: HyphenatedWords): string {
  if (endsInWord(above, below)) {
    const stem = above.slice(0, -1);
    const word = `${wordAtEnd(stem)}-${WORD_AT_START.exec(below.slice(0, LONGEST_WORD))?.[0] ?? ""}`;
    return (hyphenated.has(word.toLowerCase()) ? `${stem}-` : stem) + below;
  }
  const isUnspaced = WITHOUT_SPACES.test(above.slice(-1)) && WITHOUT_SPACES.test(below.slice(0, 1));
  return above + (isUnspaced ? "" : " ") + below;
}

/** Whether a word is broken between two lines. */
export function endsInWord(above: string, below: string): boolean {
  return HYPHEN_AT_END.test(above.slice(-4)) && SMALL_LETTER_AT_START.test(below.slice(0, 4));
}

function wordAtEnd(text: string): string {
  const end = text.slice(-LONGEST_WORD);
  return end.slice(dropAtEnd(end, LETTER).length);
}
