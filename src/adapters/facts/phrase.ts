import { thirdPerson, verbForms } from "./verbs.js";
import { meantBy, type Voice } from "./voice.js";
import { isCapitalised, textOf, wordOf, type Word } from "./words.js";

/** "I" in a predicate about the speaker becomes "they", which takes the same verb forms as "I" except for these. */
const PLURAL_AGREEMENT: Readonly<Record<string, string>> = { am: "are", was: "were" };
/** Introduces a noun that a later pronoun in the clause can stand for. */
const INTRODUCING = /^(?:an?|the|my|our|some|two|three|four|five|many|several|people|kids|children|friends|\w+'s)$/;
const SELF_WORDS: Readonly<Record<string, string>> = {
  my: "their",
  our: "their",
  me: "them",
  us: "them",
  mine: "theirs",
  ours: "theirs",
  myself: "themself",
  ourselves: "themselves",
};

/**
 * Writes the words after a verb in the third person.
 * @param about the speaker, if the clause is about them or theirs: the words then call them "they"; otherwise null
 * @returns null when the words speak of somebody who cannot be named
 */
export function rewriteRest(rest: readonly Word[], voice: Voice, about: string | null): string | null {
  if (about !== null && pointsOutside(rest)) return null;
  const words: Word[] = [];
  for (const [index, word] of rest.entries()) {
    const next = rest[index + 1]?.lower ?? "";
    const previous = rest[index - 1]?.lower ?? "";
    const rewritten = rewriteWord(word, { previous, next }, voice, about);
    if (rewritten === null) return null;
    words.push(rewritten);
  }
  return textOf(words);
}

/** "I love his jokes": nothing before the pronoun says whose. */
function pointsOutside(rest: readonly Word[]): boolean {
  const pronoun = rest.findIndex((word) => /^(?:him|his|her|hers|them|their|theirs|they|he|she)$/.test(word.lower));
  if (pronoun === -1) return false;
  return !rest.slice(0, pronoun).some((word) => isCapitalised(word) || INTRODUCING.test(word.lower));
}

function rewriteWord(
  word: Word,
  { previous, next }: { readonly previous: string; readonly next: string },
  voice: Voice,
  about: string | null,
): Word | null {
  const { lower } = word;
  if (/^(?:you|your|yours|yourself)$/.test(lower)) return rewriteYou(word, next, voice);
  if (previous === "i" || previous === "we") {
    const doer = meantBy(previous, voice);
    return doer === null ? word : agree(word, doer === about);
  }
  const own = lower === "i" || lower === "we" ? "they" : SELF_WORDS[lower];
  if (own === undefined) return word;
  const who = meantBy(lower, voice);
  if (who === null) return word;
  if (who === about) return replace(word, own);
  return replace(word, /^(?:my|our|mine|ours)$/.test(lower) ? `${who}'s` : who);
}

/** A "you" that is a subject would need another verb form, so it is not rewritten at all. */
function rewriteYou(word: Word, next: string, voice: Voice): Word | null {
  if (voice.addressee === null) return null;
  if (word.lower === "your" || word.lower === "yours") return replace(word, `${voice.addressee}'s`);
  if (
    word.lower === "yourself" ||
    /^(?:are|have|can|could|would|will|should|do|did|were|'re|know|see|need|want)$/.test(next)
  )
    return null;
  return replace(word, voice.addressee);
}

function agree(word: Word, isAboutSelf: boolean): Word {
  if (isAboutSelf) return replace(word, PLURAL_AGREEMENT[word.lower] ?? word.lower);
  if (word.lower === "am" || word.lower === "are") return replace(word, "is");
  const isBase = verbForms(word.lower)[0]?.tense === "base";
  return isBase ? replace(word, thirdPerson(word.lower)) : word;
}

/** With a lower-case first letter, except for abbreviations such as "GP". */
export function lowerFirst(text: string): string {
  return /^\p{Lu}(?:\p{Lu}|\d|$)/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** Keeps the punctuation around the word. */
function replace(word: Word, by: string): Word {
  const start = /^[^\p{L}\p{N}]*/u.exec(word.raw)?.[0] ?? "";
  const end = /[^\p{L}\p{N}]*$/u.exec(word.raw)?.[0] ?? "";
  return wordOf(`${start}${by}${end}`);
}
