import { EVALUATIVE } from "./nouns.js";
import { LIKING, type Verdict } from "./verdict.js";
import { isCapitalised, type Word } from "./words.js";

/** "I love to hear that": verbs of small talk, not of a liking. */
export const CHAT_VERBS =
  /^(?:know|ask|say|see|hear|talk|tell|share|thank|go|do|make|sure|think|feel|mention|show|point|check|let|try|give|be|get|catch|keep|stay|come)$/;
/** What "the" can name without pointing at something said before. */
const KNOWN_LIKES =
  /^(?:ocean|sea|beach|mountains?|outdoors|city|countryside|rain|snow|winter|summer|spring|autumn|fall|cold|heat|sun|piano|guitar|violin|cello|drums|smell|taste|gym|theat(?:er|re)|opera|cinema|movies|water|woods|forest|desert|dark|internet|library)$/;
/** Liking one of these is a remark on what was just said. */
const REMARK_OBJECT =
  /^(?:it|that|this|these|those|him|her|them|you|me|us|one|ones|so|there|here|your|how|when|what|where|seeing|hearing|knowing|our|each|everything|everyone|both|all|if|every|being|talking|having)$/;

/** Judges what somebody likes or dislikes; null for a remark on what was just said. */
export function judgeLiking(verb: string, rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const second = rest[1]?.lower ?? "";
  if (
    first === "being" &&
    !/^(?:able|here|there|part|with|so|around|a|an|the|in|on)$/.test(second) &&
    (!EVALUATIVE.has(second) || /^(?:late|early|cold|alone|wet)$/.test(second)) &&
    rest.length > 1
  )
    return LIKING;
  if (first === "" || REMARK_OBJECT.test(first) || /^(?:option|version|variant|choice|answer)$/.test(first))
    return null;
  if (
    rest.slice(0, 5).some((word) => /^(?:ones?|options?|versions?|approach|former|latter|answer)$/.test(word.lower)) &&
    first === "the"
  )
    return null;
  if (first === "the" && verb !== "prefer") {
    const isKnown =
      KNOWN_LIKES.test(second) && /^(?:|and|in|at|on|of|when|more|most|because)$/.test(rest[2]?.lower ?? "");
    return isCapitalised(rest[1]) || isKnown ? LIKING : null;
  }
  return first === "to" && CHAT_VERBS.test(second) && verb !== "prefer" ? null : LIKING;
}
