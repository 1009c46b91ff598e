import { partsOfLongWords } from "./languages/compounds.js";
import { foreignFunctionWords, isForeignWord, isFunctionWord, joinsWords } from "./languages/function-words.js";
import { normalForm } from "./languages/normal-form.js";
import { foldSpaced } from "./languages/spaced.js";
import {
  askEastAsian,
  askKorean,
  pairsOf,
  piecesOf,
  segment,
  singlesOf,
  withoutParticle,
} from "./languages/unspaced.js";
import { stripHebrewPrefixes } from "./languages/light-stems.js";
import { stem } from "./stem.js";

/** Function words, folded as `tokenise` folds them, and the fragments that apostrophes leave behind. */
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

/** The English words for the numbers from zero to twenty, with their digits. */
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
/**
 * Text that the full-text index takes as it is: Latin letters with or without accents, punctuation, symbols and emoji.
 * Excludes letters that stand for two (`ß`, `æ`), umlauts, and characters with a compatibility decomposition.
 */
const PLAIN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /^[\x00-\x7f\xa0-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf-\xc3\xc5\xc7-\xcf\xd1-\xd5\xd7\xd9-\xdb\xdd\xe0-\xe3\xe5\xe7-\xef\xf1-\xf5\xf7\xf9-\xfb\xfd\xff-\u010f\u0112-\u0125\u0128-\u012f\u0134-\u0137\u0139-\u013e\u0143-\u0148\u014c-\u0151\u0154-\u0165\u0168-\u017e\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u23ff\u2500-\u2775\u2794-\u2bff\ufe0f\u{1f300}-\u{1faff}]*$/u;
const ASCII_WORD = /[a-z0-9]+/g;
const LATIN_WORD = /[\p{L}\p{N}\p{Co}]+/gu;
const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{M}\p{N}\p{Co}]*/gu;
const LATIN_ACCENTS = /(\p{Script=Latin})[\u0300-\u036f]+/gu;
/** Invisible characters within words; a zero-width space separates words. */
const UNSEEN = /(?!\u200b)\p{Default_Ignorable_Code_Point}+/gu;
const PERSIAN_JOINT = /(?<=\p{Script=Arabic})\u200c/gu;
const HEBREW_SHORT_FORM = /(?<=\p{Script=Hebrew})["'\u05f3\u05f4](?=\p{Script=Hebrew})/gu;
const HEBREW = /\p{Script=Hebrew}/u;
/** The zeros of other scripts, each followed by its other nine digits. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810,
];
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;

/** Version of the tokenisation: a store whose text index was built with another one is reindexed. */
export const WORDS_VERSION = 1;

/** A text, cut into words. */
export interface SplitText {
  /**
   * Folded words in order. Chinese, Japanese and Korean text is cut into overlapping pairs of characters, so that texts and
   * queries match whatever words a dictionary would find.
   */
  readonly words: readonly string[];
  /** Other forms under which some of them are found too. */
  readonly forms: readonly string[];
}

const NO_FORMS: readonly string[] = [];

/** Lower case without the accents of Latin letters (`Café` -> `cafe`), so that spelling variants compare equal. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return normalForm(text, "NFD").replace(LATIN_ACCENTS, "$1").normalize("NFC").toLowerCase();
}

/** True for a text whose words are the runs of letters and digits of `fold(text)`. */
export function isPlain(text: string): boolean {
  return ASCII.test(text) || PLAIN.test(text);
}

/** The runs of letters and digits of a folded text, whatever the language. */
export function foldedRuns(text: string): string[] {
  return fold(text).match(LATIN_WORD) ?? [];
}

/** The words of a text as they are compared: without accents; by dictionary or in pairs in scripts without spaces. */
export function tokenise(text: string): readonly string[] {
  return splitWords(text).words;
}

/** Cuts a text into words; see `SplitText`. Never throws, whatever the text. */
export function splitWords(text: string): SplitText {
  if (ASCII.test(text)) return { words: text.toLowerCase().match(ASCII_WORD) ?? [], forms: NO_FORMS };
  if (PLAIN.test(text)) return { words: foldedRuns(text), forms: NO_FORMS };
  const words: string[] = [];
  const forms: string[] = [];
  for (const [run] of readable(text).matchAll(WORD))
    for (const piece of piecesOf(run)) {
      if (piece.kind === "spaced") {
        const { word, other } = foldSpaced(piece.text);
        if (word !== "") words.push(word);
        if (other !== "") forms.push(other);
      } else {
        words.push(...(piece.kind === "south" ? segment(piece.text) : pairsOf(piece.text)));
        forms.push(...singlesOf(piece));
      }
    }
  return { words, forms };
}

/** Parts of long words in a text whose language writes compounds as one word; none for other texts. */
export function wordParts({ words }: SplitText): readonly string[] {
  return joinsWords(words, isStopWord) ? partsOfLongWords(words) : NO_FORMS;
}

/** Other forms of a query word, which match less exactly than the word itself. */
export function otherForms(word: string): readonly string[] {
  if (ASCII.test(word)) return NO_FORMS;
  const other = HEBREW.test(word) ? stripHebrewPrefixes(word) : withoutParticle(word);
  return other === "" || other === word ? NO_FORMS : [other];
}

/** Normalises the characters of a text that is not plain to the forms that are compared. */
function readable(text: string): string {
  return normalForm(text.replace(PERSIAN_JOINT, " ").replace(UNSEEN, ""), "NFKC")
    .replace(HEBREW_SHORT_FORM, "")
    .replace(FOREIGN_DIGIT, asciiDigit)
    .toLowerCase();
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? digit : String(code - zero);
}

/** True for folded words that say nothing about a subject, in any text. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** True for a text with a function word that only English has. */
export function looksEnglish(text: string): boolean {
  return tokenise(text).some((word) => STOP_WORDS.has(word) && !isForeignWord(word, isStopWord));
}

/** Letters of non-Latin scripts. */
const OTHER_SCRIPT = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;

/** "J'habite à Paris": no English sentence begins like this. */
const BEGINS_IN_FRENCH = /^\s*(?:j|qu)['’]\p{L}/iu;

/** Names within a sentence, such as "Sue", that are function words elsewhere; German capitalises its polite pronouns. */
const NAME_WITHIN = /(?<=[\p{L}\p{N},] )(?!(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?) )\p{Lu}\p{Ll}+/gu;

/** True for a text in a language other than English, as far as its letters or its function words tell. */
export function isForeign(text: string): boolean {
  const others = text.match(OTHER_SCRIPT)?.length ?? 0;
  if (others > 0) return others * 2 > (text.match(/\p{L}/gu)?.length ?? 0);
  if (BEGINS_IN_FRENCH.test(text)) return true;
  if (looksEnglish(text)) return false;
  const words = tokenise(text.replaceAll(NAME_WITHIN, ""));
  const binding = words.filter((word) => isForeignWord(word, isStopWord) && !isStopWord(word)).length;
  return foreignFunctionWords(words, isStopWord).size > 0 || (binding >= 2 && binding * 3 >= words.length);
}

/**
 * The words to ask a full-text index for: distinct by stem, in order; content words if there are any, otherwise all words.
 * @param limit the most words to return; if there are more, the most repeated ones are kept, then the longest
 */
export function queryWords(text: string, limit = 64): string[] {
  const all = isPlain(text) ? tokenise(text) : askedWords(text);
  const foreign = foreignFunctionWords(all, isStopWord);
  const content = all.filter((word) => !STOP_WORDS.has(word) && !foreign.has(word) && !isFunctionWord(word));
  const byStem = new Map<string, { readonly word: string; times: number }>();
  for (const word of content.length > 0 ? content : all) {
    const key = stem(word);
    const known = byStem.get(key);
    if (known) known.times += 1;
    else byStem.set(key, { word, times: 1 });
  }
  const distinct = [...byStem.values()];
  if (distinct.length <= limit) return distinct.map(({ word }) => word);
  const telling = distinct.toSorted((one, other) => other.times - one.times || other.word.length - one.word.length);
  const kept = new Set(telling.slice(0, limit));
  return distinct.filter((one) => kept.has(one)).map(({ word }) => word);
}

function askedWords(text: string): string[] {
  const asked: string[] = [];
  for (const [run] of readable(text).matchAll(WORD))
    for (const { kind, text: piece } of piecesOf(run)) {
      if (kind === "east") asked.push(...askEastAsian(piece));
      else if (kind === "hangul") asked.push(...askKorean(piece));
      else asked.push(...splitWords(piece).words, ...(kind === "spaced" ? umlautForms(piece) : NO_FORMS));
    }
  return asked;
}

/** `mueller` for `müller`: a text may use either spelling. */
function umlautForms(word: string): readonly string[] {
  return /[äöü]/.test(word) ? splitWords(word).forms : NO_FORMS;
}

/** True for folded words that negate (`not`, `never`, `doesnt`, …), and for the `t` that `n't` leaves behind. */
export function isNegation(word: string): boolean {
  return NEGATIONS.has(word);
}
