import { lowerFirst } from "./phrase.js";
import { APPOINTMENT, FACT, LIKING, TRAIT, type Verdict } from "./verdict.js";
import type { Voice } from "./voice.js";

/** A fact that a line of notes states as "label: value". */
export interface LabelledValue {
  readonly text: string;
  readonly verdict: Verdict;
}

const LABELLED = /^(\p{L}[\p{L}' -]{2,40}?)(?: I (?:speak|play|own|have|take))?: (?!\/)(\S[^?]{0,160}?)[.!]*$/u;
/** What people note about themselves as lasting; other labels may be about anybody. */
const LASTING =
  /^(?:my )?((?:food |drug )?allergies|(?:food )?allergy|intolerances?|blood type|languages|mother tongue|native language|nationality|birthday|date of birth|place of birth|hometown|diet|profession|occupation|job|job title|employer|hobbies|instruments?|pets?|kids|children|pronouns|religion|star sign|marital status|shoe size|clothing size|height|favou?rite [\p{L} ]{2,30})$/iu;
const CURRENT =
  /^(?:my )?(medication|medications|meds|phone|phone number|address|email|e-mail|weight|car|gp|doctor|dentist|insurance|vet|landlord|emergency contact|employer|wifi|wi-fi|pin|door code|alarm code|iban|timezone|time zone|licence plate|license plate)$/i;
/** Values of these may contain a comma without being a list. */
const ONE_IN_PARTS = /^(?:address|place of birth|emergency contact|e-?mail|date of birth|birthday)$/i;
/** "Deadline for the tender: 3 March 2027". */
const DATED =
  /^(?:the )?((?:[\p{L}-]+ )?(?:deadline|due date|delivery date|launch date|release date|expiry date)(?: (?:for|of) .+)?)$/iu;
const DECISION = /^(?:decision|decided|agreed|resolution|outcome|conclusion)$/i;

/** Reads "Allergies: peanuts, kiwi" and "Decision: switch to Postgres" in somebody's own notes; null for anything else. */
export function readLabel(text: string, { self, isNote }: Voice): LabelledValue | null {
  if (isNote !== true) return null;
  const [, label = "", value = ""] = LABELLED.exec(text) ?? [];
  if (label === "" || /^(?:none|no|n\/a|tbd|todo|-)$/i.test(value)) return null;
  if (DECISION.test(label))
    return / /.test(value) ? { text: `The decision is: ${lowerFirst(value)}`, verdict: FACT } : null;
  const dated = DATED.exec(label)?.[1];
  if (dated !== undefined)
    return /\d/.test(value) ? { text: `The ${lowerFirst(dated)} is ${value}`, verdict: APPOINTMENT } : null;
  const lasting = LASTING.exec(label)?.[1];
  const noun = lasting ?? CURRENT.exec(label)?.[1];
  if (noun === undefined) return null;
  const isMany = /(?:[^s]s|children)$/i.test(noun) || (!ONE_IN_PARTS.test(noun) && / and |,/.test(value));
  const verdict = /^favou?rite/i.test(noun) ? LIKING : lasting === undefined ? FACT : TRAIT;
  return { text: `${self}'s ${lowerFirst(noun)} ${isMany ? "are" : "is"} ${value}`, verdict };
}
