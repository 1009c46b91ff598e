import { stem } from "./stem.js";

/** Words that carry structure but no subject, folded as `tokenise` folds, and the tails that apostrophes leave behind. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those and or but nor if then else so than as because while of to in on at by for with from into onto " +
    "about over under up down out off after before during between through again there here am is are was were be been being do does did " +
    "doing done have has had having can could will would shall should may might must i you he she it we they me him her us them my your " +
    "his its our their mine yours hers ours theirs myself yourself himself herself itself ourselves themselves who whom whose which what " +
    "when where why how not no yes just also too very really quite some any each both all s t re ve ll d m don doesn didn isn aren wasn " +
    "weren hasn haven hadn wouldn couldn shouldn ain cannot im ive id oh ok okay hey hi hello"
  ).split(" "),
);

const NEGATIONS: ReadonlySet<string> = new Set(
  (
    "not no never none neither nor nobody nothing nowhere without cannot cant dont doesnt didnt isnt arent wasnt werent hasnt havent " +
    "hadnt wont wouldnt couldnt shouldnt aint t hardly barely stopped quit former formerly"
  ).split(" "),
);

/** Numbers from zero to twenty by their English words, as digits. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen " +
    "twenty"
  )
    .split(" ")
    .map((word, value) => [word, String(value)]),
);

// eslint-disable-next-line no-control-regex
const ASCII = /^[\x00-\x7f]*$/;
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;

/** Lower case without the accents of Latin letters (`Café` -> `cafe`), so that spelling variants compare equal. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFD")
    .replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, "$1")
    .normalize("NFC")
    .toLowerCase();
}

/** The folded words of a text in order: runs of letters and digits, as SQLite's `unicode61 remove_diacritics 2` cuts them. */
export function tokenise(text: string): string[] {
  return fold(text).match(WORD) ?? [];
}

/** True for folded words that say nothing about a subject, in any text. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/**
 * The words to ask a full-text index for: distinct by stem, in order, content words where there are any, otherwise all words.
 * @param limit the most words to return
 */
export function queryWords(text: string, limit = 64): string[] {
  const all = tokenise(text);
  const content = all.filter((word) => !STOP_WORDS.has(word));
  const byStem = new Map<string, string>();
  for (const word of content.length > 0 ? content : all) {
    const key = stem(word);
    if (!byStem.has(key)) byStem.set(key, word);
    if (byStem.size >= limit) break;
  }
  return [...byStem.values()];
}

/** True for folded words that turn a meaning round (`not`, `never`, `doesnt`, …), and for the `t` that `n't` leaves behind. */
export function isNegation(word: string): boolean {
  return NEGATIONS.has(word);
}
