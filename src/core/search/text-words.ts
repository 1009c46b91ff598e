import { rootOf } from "../../language/english/relations.js";
import { sameWordsOf } from "../../language/english/same-words.js";
import { isTimeWord } from "../../language/english/time-words.js";
import { isDigit } from "../../language/numbers.js";
import { isNegation, isStopWord, NUMBER_WORDS, splitWords } from "../../language/words.js";
import { forgetRoots, keepRoot, type KnownRoot, looseRoot, type Root } from "./roots.js";

/** A text analysed for ranking, kept as small as possible: tens of thousands are held in memory. */
export interface TextWords {
  /** Roots of the content words, without duplicates, in order of first occurrence. */
  readonly roots: readonly Root[];
  /** How often each root occurs; null when each occurs once. */
  readonly counts: readonly number[] | null;
  /** Number of content words. */
  readonly length: number;
  readonly isQuestion: boolean;
  /** True when it says when something happens. */
  readonly tellsTime: boolean;
  /** True when the speakers talk about themselves. */
  readonly isFirstPerson: boolean;
  /** True when an odd number of negations reverses the meaning. */
  readonly isNegated: boolean;
  /** A cheap hash: texts that are the same by `isSameFact` share it, and few others do. */
  readonly signature: number;
}

/** Searches of one container meet the same texts again and again. Character limit for each of two generations kept. */
const KEPT_CHARACTERS = 2_000_000;
/** Overhead of a text besides its characters, in characters. */
const TEXT_OVERHEAD = 120;
const LONGEST_KEPT = 2_000;
let recentTexts = new Map<string, TextWords>();
let earlierTexts = new Map<string, TextWords>();
let recentCharacters = 0;

/** Analyses a text, or returns the cached analysis. */
export function readText(text: string): TextWords {
  if (text.length > LONGEST_KEPT) return takeApart(text);
  const recent = recentTexts.get(text);
  if (recent) return recent;
  if (recentCharacters >= KEPT_CHARACTERS) {
    [earlierTexts, recentTexts] = [recentTexts, new Map()];
    recentCharacters = 0;
  }
  const earlier = earlierTexts.get(text);
  const words = earlier ?? takeApart(text);
  if (!earlier && !isMetAgain(text)) return words;
  recentTexts.set(text, words);
  recentCharacters += text.length + TEXT_OVERHEAD;
  return words;
}

/**
 * Hashes of texts that were met once, indexed by their last bits. In a container with far more texts than are kept, most would
 * be evicted before they are met again: keeping those would only make work for the garbage collector.
 */
const metOnce = new Int32Array(1 << 14);

function isMetAgain(text: string): boolean {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  const place = hash & (metOnce.length - 1);
  if (metOnce[place] === hash) return true;
  metOnce[place] = hash;
  return false;
}

/** What is known about a word, independent of its text. */
interface KnownWord {
  /** Null for a word that is not a content word. */
  readonly root: KnownRoot | null;
  readonly isNegation: boolean;
  readonly isTimeWord: boolean;
  readonly isFirstPerson: boolean;
  /** Its part of a text's signature. */
  readonly mark: number;
}

const FIRST_PERSON: ReadonlySet<string> = new Set("i my me we our".split(" "));
const ENDS_IN_QUESTION = /\?[\s"')]*(?:\[[^\]]*\]\s*)?$/;
const STARTS_WITH_NUMBER = /^\p{N}/u;

let textsTakenApart = 0;

function takeApart(text: string): TextWords {
  const number = (textsTakenApart += 1);
  forgetTooManyWords();
  const roots: KnownRoot[] = [];
  const counts: number[] = [];
  const add = (root: KnownRoot): void => {
    // A root that is not kept is a new object each time.
    const met = root.metIn === 0 ? roots.find(({ text: other }) => other === root.text) : root;
    if (met?.metIn === number) {
      counts[met.place] = counts[met.place]! + 1;
      return;
    }
    root.metIn = number;
    root.place = roots.length;
    roots.push(root);
    counts.push(1);
  };
  let length = 0;
  let negations = 0;
  let signature = 0;
  let tellsTime = false;
  let isFirstPerson = false;
  const { words, forms } = splitWords(text);
  for (const word of words) {
    const known = knowWord(word);
    if (known.isNegation) negations += 1;
    tellsTime ||= known.isTimeWord;
    isFirstPerson ||= known.isFirstPerson;
    if (known.root === null) continue;
    add(known.root);
    length += 1;
    signature += known.mark;
  }
  for (const form of forms) {
    const { root } = knowWord(form);
    if (root !== null) add(root);
  }
  return {
    // Copies have no spare capacity.
    roots: roots.slice(),
    counts: counts.some((count) => count > 1) ? counts.slice() : null,
    length,
    isQuestion: ENDS_IN_QUESTION.test(text.slice(-400)),
    tellsTime,
    isFirstPerson,
    isNegated: negations % 2 === 1,
    signature,
  };
}

const MOST_WORDS = 20_000;
/** Longer words are not kept: their number is unbounded. */
const LONGEST_KEPT_WORD = 64;
const knownWords = new Map<string, KnownWord>();
/** Numbers and codes such as `42nd` or `a7f3` are not kept: their number is unbounded. */
const HAS_DIGIT = /\p{N}/u;

/** Called before a text is read and never within one, so that no root occurs in it twice. */
function forgetTooManyWords(): void {
  if (knownWords.size < MOST_WORDS) return;
  knownWords.clear();
  forgetRoots();
}

function knowWord(word: string): KnownWord {
  if (isNumber(word)) return knowNumber(word);
  const known = knownWords.get(word);
  if (known) return known;
  const isKept = word.length <= LONGEST_KEPT_WORD && !HAS_DIGIT.test(word);
  const text = isStopWord(word) ? "" : rootOf(word);
  const isCounted = !NUMBER_WORDS.has(word) && !STARTS_WITH_NUMBER.test(word);
  const fresh = {
    root: text === "" ? null : isKept ? keepRoot(text) : looseRoot(text),
    isNegation: isNegation(word),
    isTimeWord: isTimeWord(word),
    isFirstPerson: FIRST_PERSON.has(word),
    mark: isCounted ? markOf(word) : 0,
  };
  if (isKept) knownWords.set(word, fresh);
  return fresh;
}

/** Equal for words that mean the same: the sum of the marks of their roots. */
function markOf(word: string): number {
  const same = sameWordsOf(word) ?? (word.endsWith("s") ? sameWordsOf(word.slice(0, -1)) : undefined) ?? [word];
  return same.reduce((sum, one) => sum + (isStopWord(one) ? 0 : markOfRoot(rootOf(one))), 0);
}

/** 20 bits, so that the sum of many is still a small integer. */
function markOfRoot(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 12) + 1;
}

function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (!isDigit(word.charCodeAt(at))) return false;
  return true;
}

/** The result of `knowWord` for digits, without the checks that apply only to letters. */
function knowNumber(digits: string): KnownWord {
  return {
    root: looseRoot(digits, digits),
    isNegation: false,
    isTimeWord: isTimeWord(digits),
    isFirstPerson: false,
    mark: 0,
  };
}
