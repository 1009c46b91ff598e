import { isPlain, otherForms, splitWords, wordParts } from "../../language/words.js";

/**
 * What the text index is given of a text: the text where the index finds the words of `splitWords` in it by itself, else
 * those words, each in letters that the index takes for one word; and parts of long words.
 */
export function indexedText(text: string): string {
  const split = splitWords(text);
  const parts = wordParts(split);
  if (isPlain(text)) return parts.length > 0 ? `${text} ${parts.join(" ")}` : text;
  return [...split.words, ...split.forms, ...parts].map(indexForm).join(" ");
}

/** The words of a text that it is found by, one by one. */
export function indexedWords(text: string): string[] {
  const split = splitWords(text);
  return [...split.words, ...split.forms, ...wordParts(split)];
}

/** The words of the text index that stand for a word of a query: itself and its other forms. */
export function askedForms(word: string): string[] {
  return [word, ...otherForms(word)];
}

const MARK = /\p{M}/gu;
/** Marks from here on, up to as many as there are private characters in a row, become such: the index cuts words at marks. */
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
