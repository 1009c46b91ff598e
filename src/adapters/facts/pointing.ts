import type { Clause } from "./clauses.js";
import { lowerText } from "./objects.js";
import { readVerb, verbForms } from "./verbs.js";
import type { Verdict } from "./verdict.js";

/** Which way an incomplete date ("on Friday", "in May") points; `none` leaves it as it is. */
export interface Pointing {
  readonly direction: "past" | "future" | "none";
  /** True for what was arranged: it lies ahead, but not far. */
  readonly isNear?: boolean;
  /** True for what recurs every year or may lie any number of years back: the day then says nothing about the year. */
  readonly isOfAnyYear?: boolean;
  /** True for what was moved, which is never to the day on which the move is told. */
  readonly isMoved?: boolean;
  /** True for the end of something whose beginning is given: it cannot be earlier. */
  readonly isAfterBeginning?: boolean;
}

export const AHEAD: Pointing = { direction: "future" };
const BACK: Pointing = { direction: "past" };
const NOWHERE: Pointing = { direction: "none" };

/** In the present tense, these speak of what is going to happen: "the sale starts on Friday". */
const TIMETABLE_VERBS =
  /^(?:launch|start|end|begin|expire|close|open|reopen|leave|depart|happen|arrive|move|return|resume|lapse)$/;
/** Even in the past tense, these speak of what is going to happen: "we agreed to ship by Friday". */
const ARRANGING_VERBS =
  /^(?:schedule|book|reserve|order|plan|decide|agree|register|sign|want|intend|promise|postpone|reschedule|delay)$/;
/** With these, the day may be that of the arrangement itself: "I signed the lease on 3 May". */
const DONE_AT_ONCE = /^(?:order|register|sign|decide|agree|promise)$/;
/** "We moved the meeting to Thursday." */
const MOVING_VERBS = /^(?:move|postpone|reschedule|delay|push|shift|defer|extend|bring|slip)$/;
/** "The meeting was moved to Thursday." */
const WAS_MOVED = /^(?:moved|postponed|rescheduled|delayed|pushed|shifted|deferred|extended|brought|slipped)$/;
const MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
/** A day, but not "12 Oak Street", "5 nights", "the 2nd floor" or "May Street". */
const TO_A_DAY = new RegExp(
  "\\b(?:to|until|till) (?:next |the )?(?:\\w+day|tomorrow|(?:week|month)\\b(?! view)|" +
    `\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|\\d{1,2}(?:st|nd|rd|th)(?=$|[,.]| (?:because|as|since|and|at|on|in|by)\\b)|\\d{1,4}[-/.]\\d|\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)? on (?:\\w+day|the)\\b|` +
    `${MONTH}(?! (?:street|road|avenue|lane|drive|close|court|house|hall|square|place)\\b))`,
);
/** The day of the move itself, given after the new day: "moved the meeting to Thursday on Monday". */
const MOVED_ON = /\b(?:to|until|till) (?!(?:the|next) $|\d[\d:.]{0,4} ?(?:[ap]m )?(?:on )?$)(?:\S+ ){1,4}$/i;
const LONG_AGO = /\b(?:in (?:19|20)\d\d|last (?:month|year|spring|summer|autumn|fall|winter)|ago)\b/;
/** "The hall is booked for 9 May." */
const ARRANGED = /^(?:due|scheduled|booked|reserved|planned)$/;
/** What was meant for a day may lie ahead or behind: "it was due on 12 January". */
const WAS_ARRANGED = /^(?:due|scheduled|booked|reserved|planned|supposed|meant|expected|set|called|arranged)$/;
const EVERY_YEAR =
  /\b(?:every|each|annual|annually|yearly|always|usually|normally|typically|generally|often|traditionally|regularly|birthday|birthdays|anniversary|born)\b/i;
/** What begins and ends every year. */
const SEASON_NOUN =
  /^(?:season|year|term|semester|trimester|quarter|holidays?|vacations?|summer|winter|spring|autumn|fall|ramadan|lent|advent)$/;
/** What people still tell of long afterwards. */
const ONCE_IN_A_LIFE = /^(?:marry|die|bear|found|establish|wed|divorce|immigrate|emigrate)$/;
const ONCE_DONE = /^(?:married|divorced|engaged|founded|established|incorporated|born|built|widowed)\b/;
/** A state that recurs on the same days: "the office is closed on 1 May". */
const STATE_OF_A_DAY = /^(?:closed|open|shut|free|busy|off|away|valid)$/;
const TENSE_BREAK = /[,;:](?: and| but| or)? | (?:and|but|or|then|which|who|that|while|whereas|so|because|-|–|—) /i;
/** What is told may lie behind or ahead, whenever it was told. */
const TELLING = /^(?:told|said|mentioned|heard|announced|explained|wrote|thought|confirmed)$/;
/** What may precede the verb of a clause part: "and it will", "and then". */
const BEFORE_VERB = /^(?:(?:it|he|she|they|we|i|also|then|later|now|still|just|only|finally)\s)*/;
const SINGLE_START = /\b(?:from|starting|beginning|effective|as of)\s+$/i;
/** "extended until", "closed until": the day may lie ahead although the action is past. */
const LASTING_ON = /\b(?:until|till|til|through|to)\s+$/i;

/** Which way the dates of a clause point, judging by its verb: back for what happened, ahead for what is planned. */
export function pointingOf({ subject, predicate }: Clause, verdict: Verdict): Pointing {
  const { frame, verb } = predicate;
  const rest = lowerText(predicate.rest);
  const pointing = directionOf(predicate, rest, verdict);
  const isPast = pointing.direction === "past";
  const isOfAnyYear =
    EVERY_YEAR.test(`${subject.text} ${predicate.group} ${rest}`) ||
    (frame === "present" && SEASON_NOUN.test(subject.head)) ||
    (frame === "be" && STATE_OF_A_DAY.test(predicate.rest[0]?.lower ?? "")) ||
    (isPast && verb !== null && ONCE_IN_A_LIFE.test(verb)) ||
    (isPast && ONCE_DONE.test(rest)) ||
    (isPast && verb === "pass" && rest.startsWith("away"));
  return isOfAnyYear ? { ...pointing, isOfAnyYear } : pointing;
}

function directionOf({ frame, verb, rest: words }: Clause["predicate"], rest: string, verdict: Verdict): Pointing {
  const first = words[0]?.lower ?? "";
  const isPast = frame === "past" || frame === "was" || frame === "perfect" || frame === "been";
  if (frame === "present" && verb !== null && isTimetable(verb, rest)) return AHEAD;
  const isMoved = (verb !== null && MOVING_VERBS.test(verb)) || WAS_MOVED.test(first);
  if (isMoved && TO_A_DAY.test(rest))
    return isPast && LONG_AGO.test(rest) ? NOWHERE : { ...AHEAD, isNear: isPast, isMoved };
  if (verb !== null && ARRANGING_VERBS.test(verb)) return arrangedAt(verb, rest, isPast);
  if (frame === "be" && ARRANGED.test(first)) return AHEAD;
  if (frame === "was" && WAS_ARRANGED.test(first)) return { ...BACK, isOfAnyYear: true };
  if (isPast) return BACK;
  const isAhead = frame === "future" || frame === "progressive" || frame === "obligation";
  return verdict.isTemporary === true || isAhead ? AHEAD : NOWHERE;
}

/** "We ordered it on 12 November" points back to the order; "for 12 November" and "we booked it on 9 May" point ahead. */
function arrangedAt(verb: string, rest: string, isPast: boolean): Pointing {
  const isToDo = /(?:^| )to [a-z]/.test(rest);
  const isForADay = /\b(?:for|by|until|till) (?:\w+day\b|the \d|\d|next|tomorrow|[a-z]+ \d)/.test(rest);
  if (!isPast || isToDo || isForADay) return { ...AHEAD, isNear: isPast };
  return DONE_AT_ONCE.test(verb) ? BACK : { ...AHEAD, isNear: true };
}

function isTimetable(verb: string, rest: string): boolean {
  return (
    TIMETABLE_VERBS.test(verb) ||
    (verb === "run" && rest.startsWith("out")) ||
    (/^(?:run|last|continue|go|stay)$/.test(verb) && /\b(?:until|till|through) \S+(?: \S+)?$/.test(rest))
  );
}

/**
 * Which way one date points: the last verb before it in its sentence decides, else that of the clause. "Was signed yesterday,
 * starts 1 February" points back once and ahead once.
 * @param before the words between the verb of the clause and the date
 * @param isRange true for "from … to …", which gives the end too
 */
export function pointingAt(before: string, base: Pointing, isRange: boolean): Pointing {
  const sentences = before.split("; ");
  if (sentences.length > 1) return tenseOfSentence(sentences.at(-1) ?? "") ?? NOWHERE;
  const [first = "", ...parts] = before.split(TENSE_BREAK);
  for (const part of parts.toReversed()) {
    const pointing = tenseOf(part.toLowerCase());
    if (pointing) return base.isOfAnyYear === true ? { ...pointing, isOfAnyYear: true } : pointing;
  }
  if (base.isMoved === true && base.isNear === true && MOVED_ON.test(before)) return BACK;
  if (base.direction !== "past") return base;
  if (/ (?:will|shall|starts|begins|opens|ends|expires|closes|leaves) /i.test(first)) return AHEAD;
  if (parts.length > 0) return base;
  if (/\bfor\s+$/i.test(before)) return { ...AHEAD, isNear: true };
  if ((SINGLE_START.test(before) && !isRange) || (LASTING_ON.test(before) && isMadeLonger(before))) return NOWHERE;
  return base;
}

function isMadeLonger(before: string): boolean {
  return /\b(?:extended|prolonged|renewed|closed|suspended|frozen|delayed|pushed|shifted|valid|granted)\b/i.test(
    before,
  );
}

const AUXILIARY = /^(?:is|are|was|were|will|shall|has|have)$/;
const LONGEST_SUBJECT = 5;

/** "… signed the lease; rent is due on Friday": a sentence with a subject of its own. */
function tenseOfSentence(sentence: string): Pointing | null {
  const words = sentence.toLowerCase().split(" ");
  const auxiliary = words.slice(0, LONGEST_SUBJECT).findIndex((word) => AUXILIARY.test(word));
  if (auxiliary > 0) return tenseOf(words.slice(auxiliary).join(" "));
  for (let at = 0; at < Math.min(LONGEST_SUBJECT, words.length); at++) {
    const pointing = tenseOf(words.slice(at).join(" "));
    if (pointing) return pointing;
  }
  return null;
}

/** Which way a part points by a verb of its own, whose subject is that of the clause; null if it has no verb. */
function tenseOf(part: string): Pointing | null {
  const words = part.replace(BEFORE_VERB, "").split(/\s+/);
  const [verb = "", next = ""] = words;
  if (/^(?:will|shall|'ll|must|needs|starts|ends)$/.test(verb)) return AHEAD;
  if (TELLING.test(verb)) return NOWHERE;
  if (/^(?:was|were)$/.test(verb)) return WAS_ARRANGED.test(next) ? NOWHERE : BACK;
  if (/^(?:is|are|am)$/.test(verb)) return ARRANGED.test(next) || readVerb(next, "gerund") !== null ? AHEAD : NOWHERE;
  if (/^(?:has|have)$/.test(verb)) return next === "to" ? AHEAD : readVerb(next, "participle") === null ? null : BACK;
  const forms = verbForms(verb);
  const third = forms.find(({ tense }) => tense === "third");
  if (third) return isTimetable(third.base, part.slice(verb.length).trim()) ? AHEAD : NOWHERE;
  const isPast = forms.some(({ tense }) => tense === "past") && !forms.some(({ tense }) => tense === "base");
  return isPast ? BACK : null;
}
