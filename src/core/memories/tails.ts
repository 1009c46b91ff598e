import { valueWords } from "./slot-values.js";
import { datePartsOf } from "./statement.js";

const BEGINNINGS =
  "to|with|since|because|for|from|at|near|on|in|by|after|before|via|as|when|where|which|that|who|due|so|of";
/** Where the name of a thing ends, and a qualifier begins. */
const TAIL = new RegExp(`,? \\b(?:${BEGINNINGS}) .*$`, "iu");
const PART = new RegExp(` (?=(?:${BEGINNINGS}) )`, "iu");
/** Why or when something is over, rather than which one. */
const CIRCUMSTANCE = / (?:since|because|after|before|when|due|so) .*$/iu;
const PRICE = /^for (?:\p{L}+ )?[€$£]?\d/iu;
const AT_A_TIME = /^at \d{1,2}(?::\d\d)?(?: ?[ap]m)?$/iu;
/** A subscription to Netflix and one with Netflix are the same; a letter from Anna is not one for her. */
const LOOSE = /^(?:to|with|for|at|on|in|their|his|her|its|my|our)$/;
const SEVERAL = /\b(?:and|or|plus|but)\b|[,&;:()]/i;

/** Divides `key to the cellar` into the thing and its qualifier; the qualifier may be empty. */
export function divideAtTail(named: string): { readonly head: string; readonly tail: string } {
  const at = TAIL.exec(named)?.index ?? named.length;
  return { head: named.slice(0, at).trim(), tail: named.slice(at) };
}

/**
 * True when the qualifiers of what is over and of what holds may describe the same thing. A side without qualifiers may mean
 * any; if one side names two things, all must be over.
 */
export function mayBeOfOne(over: string, held: string): boolean {
  const [mine, theirs] = [partsOf(over), partsOf(held)];
  if (theirs.every((part) => mine.includes(part))) return true;
  return !SEVERAL.test(held) && mine.every((part) => theirs.includes(part));
}

/** The words of a qualifier that tell which one it is. */
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
