import { judgeComplement } from "./complement.js";
import { judgeByEvidence, judgeHardFact } from "./evidence.js";
import { judgeHabit } from "./habits.js";
import { judgePast, judgePerfect } from "./history.js";
import { EVENT_NOUNS } from "./nouns.js";
import { judgeFuture, judgeProgressive } from "./plans.js";
import type { Predicate } from "./predicate.js";
import { isHabitual, isPointing, lowerText, saysSomething } from "./objects.js";
import type { Subject } from "./subject.js";
import { isLastingVerb } from "./verbs.js";
import { APPOINTMENT, EPISODE, FACT, LIKING, STAY, TRAIT, type Verdict } from "./verdict.js";

const ABILITIES = new Set(
  "speak play read write cook code swim drive sing dance ski surf bake draw paint sew knit juggle program ride fly".split(
    " ",
  ),
);
const INABILITIES = new Set(
  "eat drink stand tolerate swim drive live have digest see hear walk work ride dance cook sing handle consume bear sleep".split(
    " ",
  ),
);
const BARE_INABILITY = /^(?:swim|drive|cook|dance|sing)$/;
/** "I have to" and "I need to" with these are just talk. */
const CHAT_DUTIES =
  /^(?:know|ask|say|see|hear|talk|tell|share|thank|go|do|make|think|feel|mention|show|check|let|try|give|be|get|keep|stay|run|leave|admit)$/;

/** Decides whether a clause states something worth remembering; null when it does not. */
export function judge(subject: Subject, predicate: Predicate): Verdict | null {
  if (subject.role === "unknown")
    return saysHowLongItIsValid(predicate) && !/^(?:an?|some) /i.test(subject.text)
      ? STAY
      : judgeByEvidence(subject, predicate);
  if (subject.role === "own" && isWhereItIs(subject, predicate)) return FACT;
  if (subject.role === "you" && !/^(?:be|present)$/.test(predicate.frame)) return null;
  if (saysThatItIsOver(subject, predicate) || saysThatItIsOff(subject, predicate)) return EPISODE;
  if (saysHowLongItIsValid(predicate)) return STAY;
  const verdict = judgeFrame(subject, predicate) ?? judgeHardFact(subject, predicate);
  const isEvent = (subject.role === "thing" || subject.role === "own") && EVENT_NOUNS.has(subject.head);
  const isRegular = isTimeOfDay(subject, predicate);
  const isOnce = isEvent && !isRegular && predicate.frame !== "past" && !isHabitual(lowerText(predicate.rest));
  return verdict?.kind === "fact" && isOnce ? APPOINTMENT : verdict;
}

/** "I quit", "Rex died": nothing needs to follow. */
function saysThatItIsOver({ role }: Subject, { frame, verb, rest, isNegated, adverbs }: Predicate): boolean {
  if (rest.length > 0 || isNegated || adverbs.some((adverb) => /^(?:almost|nearly|always|never)$/.test(adverb)))
    return false;
  const isPast = frame === "past" || frame === "perfect";
  if (verb === "die") return isPast && role === "person";
  if (role !== "self" && role !== "relative" && role !== "person") return false;
  return verb === "quit" ? isPast || frame === "present" : isPast && (verb === "resign" || verb === "retire");
}

/** "The access is valid until 28 November 2026." */
function saysHowLongItIsValid({ frame, rest, isNegated }: Predicate): boolean {
  return frame === "be" && !isNegated && /^valid (?:from .+ )?(?:until|till|to|through) .*\d/.test(lowerText(rest));
}

/** "The offsite is cancelled." */
function saysThatItIsOff({ role, head }: Subject, { frame, rest, isNegated, adverbs }: Predicate): boolean {
  const isStated = frame === "be" || frame === "was" || frame === "been";
  if (!isStated || isNegated || adverbs.some((adverb) => /^(?:almost|nearly|always|often|sometimes)$/.test(adverb)))
    return false;
  return (role === "thing" || role === "own") && EVENT_NOUNS.has(head) && CALLED_OFF.test(lowerText(rest));
}

const CALLED_OFF = /^(?:cancell?ed|called off)$/;

/** "The standup is at 9:15", "My shift starts at 8": a time that applies every day. */
function isTimeOfDay({ head }: Subject, { frame, rest }: Predicate): boolean {
  const text = lowerText(rest);
  const isStandup = /^(?:stand-up|standup)$/.test(head);
  if (frame === "be") return isStandup && AT_A_TIME.test(text);
  return frame === "present" && (isStandup || /^(?:shift|class|lesson)$/.test(head)) && /^at \S+(?: now)?$/.test(text);
}

const AT_A_TIME = /^at (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon)(?: now)?$/;

/** "My workshop is in the cellar" speaks of a place, not an appointment. */
function isWhereItIs({ head }: Subject, { frame, rest }: Predicate): boolean {
  return (
    frame === "be" &&
    head === "workshop" &&
    /^(?:in|on|at|above|behind)$/.test(rest[0]?.lower ?? "") &&
    !/\d|day\b/.test(lowerText(rest))
  );
}

function judgeFrame(subject: Subject, predicate: Predicate): Verdict | null {
  switch (predicate.frame) {
    case "be":
    case "was":
    case "been":
      return judgeComplement(subject, predicate);
    case "progressive":
      return judgeProgressive(predicate);
    case "present":
      return judgeHabit(subject, predicate);
    case "past":
      return judgePast(predicate);
    case "perfect":
    case "perfect-progressive":
      return judgePerfect(predicate);
    case "future":
      return judgeFuture(predicate);
    case "used-to":
      return judgeFormerHabit(predicate);
    case "ability":
      return judgeAbility(predicate);
    case "obligation":
      return CHAT_DUTIES.test(predicate.rest[0]?.lower ?? "") && !/^be (?:at|in) /.test(lowerText(predicate.rest))
        ? null
        : APPOINTMENT;
    case "preference":
      return judgeRather(predicate);
    case "other":
      return null;
  }
}

function judgeFormerHabit({ verb }: Predicate): Verdict | null {
  return verb !== null && (isLastingVerb(verb) || /^(?:be|have|love|like|go|hate)$/.test(verb)) ? FACT : null;
}

/** "would rather …" is a preference if it compares, or names what is wanted; "I'd rather not say" is just talk. */
function judgeRather({ verb, rest }: Predicate): Verdict | null {
  if (verb === null || rest.length === 0 || isPointing(rest) || rest.some((word) => /^(?:you|your)$/.test(word.lower)))
    return null;
  const isCompared = rest.some((word) => word.lower === "than");
  return isCompared || /^(?:have|eat|drink|read|take|work|live|travel|write|cook)$/.test(verb) ? LIKING : null;
}

function judgeAbility({ verb, rest, isNegated }: Predicate): Verdict | null {
  if (verb === null) return null;
  if (!isNegated) return ABILITIES.has(verb) && rest.length <= 6 && saysSomething(rest) ? TRAIT : null;
  if (verb === "work") return isHabitual(lowerText(rest)) ? FACT : null;
  if (verb === "live")
    return rest[0]?.lower === "without" && rest.length > 1 && !isPointing(rest.slice(1)) ? LIKING : null;
  if (!INABILITIES.has(verb) || (!saysSomething(rest) && !(rest.length === 0 && BARE_INABILITY.test(verb))))
    return null;
  return verb === "stand" || verb === "bear" ? LIKING : TRAIT;
}
