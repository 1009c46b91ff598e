import { isDigit } from "./numbers.js";

/**
 * Porter's suffix stripping for English (M. F. Porter, 1980), written from its description. It agrees with the `porter`
 * tokenizer of SQLite's full-text index, so that words counted here are the words that match there.
 */

type Rule = readonly [suffix: string, replacement: string];

const STEP_TWO: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["logi", "log"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];
const STEP_THREE: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const STEP_FOUR: readonly string[] =
  "ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou".split(" ");

const CACHE_LIMIT = 20_000;
/** Anything longer is not a word, and not worth caching. */
const LONGEST_WORD = 64;
const cache = new Map<string, string>();

/**
 * The stem of a folded word. Words shorter than three letters are returned unchanged, and so are words that end in a digit,
 * which would only fill the cache.
 */
export function stem(word: string): string {
  if (isDigit(word.charCodeAt(word.length - 1))) return word;
  if (word.length > LONGEST_WORD) return word;
  const known = cache.get(word);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_LIMIT) cache.clear();
  const result = word.length < 3 ? word : strip(word);
  cache.set(word, result);
  return result;
}

function strip(word: string): string {
  let result = stripPlural(word);
  result = stripPast(result);
  if (result.endsWith("y") && hasVowel(result.slice(0, -1))) result = result.slice(0, -1) + "i";
  result = replaceSuffix(result, STEP_TWO, 0);
  result = replaceSuffix(result, STEP_THREE, 0);
  return tidyEnd(stripLast(result));
}

function stripPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  if (word.endsWith("ss") || !word.endsWith("s")) return word;
  return word.slice(0, -1);
}

function stripPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  if (suffix === 0) return word;
  const base = word.slice(0, -suffix);
  if (!hasVowel(base)) return word;
  if (/(at|bl|iz)$/.test(base)) return base + "e";
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  if (measure(base) === 1 && endsShort(base)) return base + "e";
  return base;
}

function replaceSuffix(word: string, rules: readonly Rule[], above: number): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const base = word.slice(0, -suffix.length);
    return measure(base) > above ? base + replacement : word;
  }
  return word;
}

function stripLast(word: string): string {
  for (const suffix of STEP_FOUR) {
    if (!word.endsWith(suffix)) continue;
    const base = word.slice(0, -suffix.length);
    if (measure(base) <= 1 || (suffix === "ion" && !/[st]$/.test(base))) return word;
    return base;
  }
  return word;
}

function tidyEnd(word: string): string {
  let result = word;
  if (result.endsWith("e")) {
    const base = result.slice(0, -1);
    const size = measure(base);
    if (size > 1 || (size === 1 && !endsShort(base))) result = base;
  }
  return result.endsWith("ll") && measure(result.slice(0, -1)) > 1 ? result.slice(0, -1) : result;
}

function isConsonant(word: string, index: number): boolean {
  const letter = word[index];
  if (letter === "y") return index === 0 || !isConsonant(word, index - 1);
  return !(letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u");
}

/** The number of vowel-consonant sequences. */
function measure(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let index = 0; index < word.length; index++) {
    const consonant = isConsonant(word, index);
    if (consonant && afterVowel) count++;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (!isConsonant(word, index)) return true;
  return false;
}

function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** True if the word ends in consonant, vowel, consonant, and the last is not w, x or y. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last >= 2 &&
    isConsonant(word, last) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last - 2) &&
    !/[wxy]$/.test(word)
  );
}
