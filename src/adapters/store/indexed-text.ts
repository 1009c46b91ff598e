import { isPlain, otherForms, splitWords, wordParts } from "../../language/words.js";

/**
 * What the text index is given for a text: the text itself where the index finds the words of `splitWords` in it on its own,
 * otherwise those words, each in letters that the index takes for one word; and parts of long words.
 */
export function indexedText(text: string): string {
  const split = splitWords(text);
  const parts = wordParts(split);
  if (isPlain(text)) return parts.length > 0 ? `${text} ${parts.join(" ")}` : text;
  return [...split.words, ...split.forms, ...parts].map(indexForm).join(" ");
}

/** The words by which a text is found, one by one. */
export function indexedWords(text: string): string[] {
  const split = splitWords(text);
  return [...split.words, ...split.forms, ...wordParts(split)];
}

/** The index words for a word of a query: the word itself and its other forms. */
export function askedForms(word: string): string[] {
  return [word, ...otherForms(word)];
}

const MARK = /\p{M}/gu;
/**
 * Combining marks are mapped, from this code point on, to as many consecutive private-use characters: the index splits words at
 * marks.
 */
const FIRST_MARK = 0x900;
const FIRST_PRIVATE = 0xe000;
const PRIVATE = 0x1900;

/** A word in letters that SQLite's index takes for one word. */
export function indexForm(word: string): string {
  return word.replace(MARK, (mark) => {
    const place = (mark.codePointAt(0) ?? 0) - FIRST_MARK;
    return place >= 0 && place < PRIVATE ? String.fromCharCode(FIRST_PRIVATE + place) : "";
  });
}
