import { EVENT_NOUNS } from "./nouns.js";
import { verbForms } from "./verbs.js";
import type { Voice } from "./voice.js";

const TASK =
  /^(?:to ?do: )?((?:call|phone|ring|buy|pay|book|renew|cancel|return|collect|pick up|drop off|fetch|water|feed|visit) (?!me\b|us\b|it\b|them\b)[^.!?]{2,120})[.!]*$/i;
const FOR_OTHERS = /\b(?:me|us|you|your|our|please|free|now|website|offer|form)\b/i;
const ENTRY =
  /^(?:([\p{L}' ]{2,24}): )?([\p{L}' -]{3,60}?),? ((?:on|at|with|from|this|next|tomorrow|today|tonight)\b[^.!?]{2,100}|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b[^.!?]{0,60})[.!]*$/iu;
const PERSONAL_NOUN = /^(?:dentist|doctor|vet|physio|therapy|haircut|mri|x-ray|scan|checkup|check-up)\b/i;

/**
 * What a line without a subject in somebody's own notes stands for: a task ("Call the bank on Monday") or a calendar entry
 * ("Tyres: appointment at Kwik on 23 March"). Worth keeping only with a date; null for anything else.
 */
export function readJotting(text: string, { self, isNote, authors }: Voice): string | null {
  if (isNote !== true || authors || FOR_OTHERS.test(text)) return null;
  const task = TASK.exec(text)?.[1];
  if (task !== undefined) return `${self} needs to ${lowerFirst(task)}`;
  const [, label, noun = "", when = ""] = ENTRY.exec(text) ?? [];
  const words = noun.toLowerCase().split(" ");
  const isEvent = words.length <= 5 && EVENT_NOUNS.has(words.at(-1) ?? "");
  if (!isEvent || words.slice(0, -1).some((word) => isFinite(word))) return null;
  const name = lowerFirst(noun);
  const what = PERSONAL_NOUN.test(words.at(-1) ?? "")
    ? `an appointment: ${name}`
    : `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
  return `${self} has ${what} ${when}${label === undefined ? "" : ` for ${lowerFirst(label)}`}`;
}

function isFinite(word: string): boolean {
  return /^(?:is|was|are|has|had|will|the|my|our)$/.test(word) || verbForms(word).some((form) => form.tense === "past");
}

function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
