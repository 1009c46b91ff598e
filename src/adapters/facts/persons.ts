import { EVALUATIVE } from "./nouns.js";
import { ADVERBS } from "./predicate.js";
import { verbForms } from "./verbs.js";
import type { Word } from "./words.js";

/** Verbs that need a person as their subject. */
const PERSONAL_VERBS =
  /^(?:be|live|work|study|speak|play|teach|drive|eat|drink|smoke|like|love|hate|enjoy|prefer|want|need|own|have|move|marry|quit|leave|join|retire|graduate|cook|swim|dance|wear|know|believe|travel|visit|buy|sell|read|write|stand|use|attend|take|get|start|finish|sleep|walk|run|go|come)$/;

/** "Mia does not like …", "Noah has moved …": what only persons do or do not do tells a name from a thing. */
export function isSaidOfPersons(words: readonly Word[], name: Word): boolean {
  if (EVALUATIVE.has(name.lower) || verbForms(name.lower).length > 0) return false;
  const auxiliary = words[0]?.lower ?? "";
  const index = words.findIndex((word, at) => at > 0 && !ADVERBS.has(word.lower) && word.lower !== "longer");
  if (/^(?:has|had)$/.test(auxiliary) && /^(?:his|her|an?|no|two|three)$/.test(words[1]?.lower ?? "")) return true;
  const forms = verbForms(words[index]?.lower ?? "");
  const verb = forms.find(({ tense }) =>
    /^(?:has|had)$/.test(auxiliary) ? tense === "participle" : /^(?:does|did|can)$/.test(auxiliary) && tense === "base",
  );
  return verb !== undefined && (verb.tense === "participle" || PERSONAL_VERBS.test(verb.base));
}
