import { sameWordsOf } from "../../language/english/same-words.js";
import { normalForm } from "../../language/languages/normal-form.js";
import { fold, NUMBER_WORDS } from "../../language/words.js";

/** Letters, numbers with inner punctuation and a leading minus, and symbols that change what a text says (`C++`, `5 %`, `?`). */
const PIECE = /(?<![\p{L}\p{N}])-?\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{M}\p{N}\p{Co}]+|[\p{S}#%&@*?]/gu;
const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);

/**
 * True when two texts state the same fact and differ only in form: the same words in the same order, the same numbers and the
 * same negations. Case, accents, punctuation, articles, contractions (`doesn't`), plural endings of common words and universal
 * synonyms (`every`, `each`) make no difference; a name, number, negation, tense or preposition does.
 */
export function isSameFact(first: string, second: string): boolean {
  return meaningKey(first) === meaningKey(second);
}

/** Equal keys mean the same fact; see `isSameFact`. */
export function meaningKey(text: string): string {
  const pieces = spellOut(text).match(PIECE) ?? [];
  const kept = pieces.map(pieceKey).filter((piece) => piece !== "");
  return kept.length > 0 ? kept.join(" ") : text.trim();
}

/** Expands contractions, so that `doesn't` and `does not` match. */
export function spellOut(text: string): string {
  return normalForm(text, "NFKC")
    .replace(/[’‘ʼ]/g, "'")
    .replace(/\b(ca|sha)n't\b/gi, (_, start: string) => (/^c/i.test(start) ? "can not" : "shall not"))
    .replace(/\bwon't\b/gi, "will not")
    .replace(/\bcannot\b/gi, "can not")
    .replace(/n't\b/gi, " not")
    .replace(/'m\b/gi, " am")
    .replace(/'re\b/gi, " are")
    .replace(/'ve\b/gi, " have")
    .replace(/'ll\b/gi, " will");
}

function pieceKey(piece: string): string {
  const word = fold(piece);
  if (ARTICLES.has(word)) return "";
  if (/^-?\p{N}/u.test(word)) return word.replace(/,(?=\p{N}{3}(?!\p{N}))/gu, "");
  const number = NUMBER_WORDS.get(word);
  if (number !== undefined) return number;
  // A capital letter may begin a name, and names keep every letter.
  const key = /^\p{Ll}/u.test(piece) ? singular(word) : word;
  return sameWordsOf(key)?.join(" ") ?? key;
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^suix]s$/.test(word) ? word.slice(0, -1) : word;
}
