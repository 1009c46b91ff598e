import { contentStems, negationsIn, normaliseText, numbersIn } from "../lib/words.js";

/**
 * True when two texts state the same fact: equal after normalisation, or the same stemmed content words with the same numbers,
 * as many negations and the same names. Texts that differ in a number, a name or a negation are never the same fact.
 */
export function isSameFact(first: string, second: string): boolean {
  if (normaliseText(first) === normaliseText(second)) return true;
  return factKey(first) === factKey(second) && contentStems(first).length > 0;
}

/** Equal keys mean the same fact, as `isSameFact` decides it for texts that are not equal already. */
export function factKey(text: string): string {
  const stems = [...contentStems(text)].sort();
  return [stems.join(" "), numbersIn(text).join(" "), String(negationsIn(text) % 2)].join("|");
}
