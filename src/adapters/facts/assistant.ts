import type { Clause } from "./clauses.js";
import type { Verdict } from "./verdict.js";
import { isLikingVerb } from "./verbs.js";

/** What an assistant does for its user that is worth remembering. */
const DEEDS =
  /^(?:book|schedule|order|reserve|create|deploy|send|cancel|save|set|register|submit|update|add|fix|rename|migrate|install|remove|decide|agree)$/;

/**
 * An assistant explains, advises and flatters; only statements about the user's lasting circumstances, and about what
 * it has done, are facts.
 */
export function isAssistantFact({ subject, predicate }: Clause, verdict: Verdict, self: string): boolean {
  if (subject.role === "self") {
    return predicate.verb !== null && DEEDS.test(predicate.verb) && /^(?:past|perfect)$/.test(predicate.frame);
  }
  if (subject.role === "you") {
    if (
      predicate.verb !== null &&
      (isLikingVerb(predicate.verb) || /^(?:live|work|study|own|speak)$/.test(predicate.verb))
    )
      return true;
    const isTrait = verdict.isStatic && !/^(?:a|an|the)$/.test(predicate.rest[0]?.lower ?? "");
    return isTrait || (predicate.verb === "have" && (verdict.isStatic || verdict.isTemporary === true));
  }
  return (subject.role === "own" || subject.role === "relative") && !subject.text.startsWith(`${self}'s`);
}
