import { valueWords } from "./slot-values.js";
import { datePartsOf } from "./statement.js";

const BEGINNINGS =
  "to|with|since|because|for|from|at|near|on|in|by|after|before|via|as|when|where|which|that|who|due|so|of";
/** Where what is named ends, and something is said about it. */
const TAIL = new RegExp(`,? \\b(?:${BEGINNINGS}) .*$`, "iu");
const PART = new RegExp(` (?=(?:${BEGINNINGS}) )`, "iu");
/** Why or when something is over, and not which one. */
const CIRCUMSTANCE = / (?:since|because|after|before|when|due|so) .*$/iu;
const PRICE = /^for (?:\p{L}+ )?[€$£]?\d/iu;
const AT_A_TIME = /^at \d{1,2}(?::\d\d)?(?: ?[ap]m)?$/iu;
/** One and the same is a subscription to Netflix and one with it; a letter from Anna is none for her. */
const LOOSE = /^(?:to|with|for|at|on|in|their|his|her|its|my|our)$/;
const SEVERAL = /\b(?:and|or|plus|but)\b|[,&;:()]/i;

/** Divides `key to the cellar` into what it is and what is said about it; the second is empty where nothing is. */
export function divideAtTail(named: string): { readonly head: string; readonly tail: string } {
  const at = TAIL.exec(named)?.index ?? named.length;
  return { head: named.slice(0, at).trim(), tail: named.slice(at) };
}

/**
 * True when what is said about what is over says nothing else than what is said about what holds. A side that says nothing may
 * speak of any; of two things in one, all must be over.
 */
export function mayBeOfOne(over: string, held: string): boolean {
  const [mine, theirs] = [partsOf(over), partsOf(held)];
  if (theirs.every((part) => mine.includes(part))) return true;
  return !SEVERAL.test(held) && mine.every((part) => theirs.includes(part));
}

/** The words that are said about a thing and tell which one it is. */
export function wordsOfTail(tail: string): readonly string[] {
  return partsOf(tail).flatMap((part) => part.split(" "));
}

function partsOf(tail: string): readonly string[] {
  return tail
    .replace(CIRCUMSTANCE, "")
    .trim()
    .split(PART)
    .filter((part) => !PRICE.test(part) && !AT_A_TIME.test(part))
    .map((part) => valueWords(part).filter((word) => !LOOSE.test(word)))
    .filter((words) => words.length > 0 && !isDate(words))
    .map((words) => words.join(" "));
}

function isDate(words: readonly string[]): boolean {
  const isPart = (word: string) => Object.keys(datePartsOf(word)).length > 0;
  return words.some(isPart) && words.every((word) => isPart(word) || /^\d/.test(word));
}
