import type { FactCandidate } from "../../core/types.js";
import { isTimeWord } from "../../language/english/time-words.js";
import { tokenise } from "../../language/words.js";
import { EVALUATIVE } from "./nouns.js";

const REASON = /^,? because /i;
/** Introduces something else about the same subject. */
const OF_THE_SAME =
  /^,? and (?:it is|it's|its|they are|they're|it has|it keeps|it runs|it needs|it does|it doesn't|it can|it can't) /i;
const OPINION =
  /^,? and (?:it is|it's|they are|they're) (?:(?:so|very|really|such|just|quite|pretty|absolutely|the|an?) )*([\p{L}-]+)/iu;
/** Where something is, or whether it runs, is not an opinion. */
const STATE = /^(?:off|on|in|up|down|out|away|back|over|here|there|gone|done)$/;
/** Words that would have to be rephrased in another context. */
const OF_SOMEBODY = /\b(?:i|i'm|i've|we|we're|my|our|me|us|you|your|he|she|his|her|him)\b/i;

/** A sentence, and the fact it states if read as one clause; null if it cannot be. */
interface Whole {
  readonly said: string;
  readonly whole: FactCandidate | null;
}

/**
 * The facts of a sentence. When the first fact lacks part of it, because a reason or a further statement about the same
 * thing is no fact by itself, it is extended to the whole: questions may be about the part that was cut.
 */
export function withRest(facts: readonly FactCandidate[], { said, whole }: Whole): FactCandidate[] {
  const [first, ...others] = facts;
  if (!first) return [];
  const text = whole?.text.startsWith(first.text) === true ? whole.text : asSaid(first.text, said);
  const rest = text?.slice(first.text.length) ?? "";
  const belongs = REASON.test(rest) || (others.length === 0 && OF_THE_SAME.test(rest) && !isOpinion(rest));
  return text !== null && belongs ? [{ ...first, text }, ...others] : [...facts];
}

/** A sentence without its final punctuation. */
export function withoutEnd(sentence: string): string {
  return sentence.replace(/[.!]+$/, "");
}

/** The fact with the following words of the sentence, if they can stay unchanged; else null. */
function asSaid(fact: string, said: string): string | null {
  const end = fact.split(" ").slice(-2).join(" ");
  const at = said.indexOf(end);
  if (at === -1) return null;
  const rest = said.slice(at + end.length);
  return OF_SOMEBODY.test(rest) || tokenise(rest).some(isTimeWord)
    ? null
    : `${fact}${rest.replace(/\bit's\b/i, "it is")}`;
}

function isOpinion(rest: string): boolean {
  const word = OPINION.exec(rest)?.[1]?.toLowerCase();
  return word !== undefined && EVALUATIVE.has(word) && !STATE.test(word);
}
