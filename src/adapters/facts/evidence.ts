import { EVALUATIVE, LASTING_PARTICIPLES } from "./nouns.js";
import { isHabitual, isPointing, lowerText, saysSomething } from "./objects.js";
import { AHEAD, IDLE } from "./plans.js";
import type { Predicate } from "./predicate.js";
import type { Subject } from "./subject.js";
import { isEventVerb, isLastingVerb, readVerb } from "./verbs.js";
import { APPOINTMENT, DATED_EPISODE, EPISODE, FACT, TRAIT, type Verdict } from "./verdict.js";
import { isCapitalised, type Word } from "./words.js";

/** Things that belong to the conversation or the work at hand. */
const OF_THE_TALK =
  /\b(?:guess|answer|question|point|thoughts?|bet|hope|idea|fear|take|opinion|suggestion|worry|problem|issue|error|mistake|bug|test|code|functions?|files?|variables?|script|result|output|conclusion|assumption|understanding|impression|feeling|vote|pick|reason|apologies|apology|brain|message|comment|input|query|example|character|paragraph|section|chapter|line|sentence|word|list|page|step|options?|version|weather|movie|film|song|story|plot|hero|heroine|prince|princess|king|queen|protagonist|article|text|author|game|way|thing|fact|truth|rest|other|others|one|ones|same|latter|former|day|moment|world|universe|people|men|women|class|method|button|column|tables?|columns?|rows?|loops?|user|value|array|object|string|parameter|argument|formula|equation|difference)$/i;
/** Texts that mention "the user" or "the assistant" give orders more often than facts. */
const OF_ROLES = /^The (?:(?:user|assistant|ai|bot|chatbot|agent|human|admin|administrator)\b|system's)/i;
/** What inanimate things do. */
const OF_THINGS =
  /^(?:start|begin|end|expire|cost|support|require|include|contain|provide|cover|close|open|launch|run|allow|accept|connect|rely|weigh|measure|consist|offer|happen|arrive|leave|depart|last|hold|have|need|take|use|live|go|come|move|target|store|belong|meet|work|own|lead|manage|serve|speak|teach|deliver|return|sit|stand)$/;
const MEASURE =
  /\d ?(?:%|€|\$|£|km|m|cm|mm|kg|g|mg|l|ml|kwh|kw|gb|tb|mb|°c?|square|years?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|euros?|dollars?|pounds?|francs?|kronor|metres?|meters?|litres?|liters?|miles?|kilos?|grams?|people|requests?|rooms?|floors?|seats?|pages?|times?|users?|items?|employees|students|members)?\b/;
const COUNT =
  /^(?:now |only |about |around |roughly |over |almost |nearly )?(?:\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|hundred)\b)/;

/**
 * For a noun that otherwise makes no facts, only hard evidence counts: a name, a number, a day, a rhythm. "My oboe is a
 * Howarth", "The tank holds 50 litres", "A technician is coming on Friday".
 */
export function judgeByEvidence(subject: Subject, predicate: Predicate): Verdict | null {
  const { text } = subject;
  const { frame, rest, isNegated, verb } = predicate;
  if (OF_ROLES.test(text)) return null;
  if (OF_THE_TALK.test(subject.head) || OF_THE_TALK.test(text) || isPointing(rest) || rest.length === 0) return null;
  if (hasOrder(rest)) return null;
  if (isNegated || rest.some((word) => /^(?:you|your|it|this|that)$/.test(word.lower))) return null;
  if ((frame === "progressive" || frame === "future") && verb !== null) return APPOINTMENT;
  if (/^(?:an?|some|two|three) /i.test(text)) return null;
  switch (frame) {
    case "be":
      return judgeBeing(subject, rest);
    case "present":
      return verb !== null && OF_THINGS.test(verb) && (isHard(rest) || isInMonth(rest)) && !isShort(verb, rest)
        ? FACT
        : null;
    case "was":
    case "been":
      return judgeBeenDone(subject, rest) && FACT;
    case "past":
      return verb !== null && isEventVerb(verb) && !isLastingVerb(verb) && isOwned(text) ? DATED_EPISODE : null;
    default:
      return null;
  }
}

/** What is said, thought, felt or done in a conversation, whatever names and numbers it mentions. */
const TALK_VERBS =
  /^(?:be|say|tell|think|know|feel|need|hope|wish|guess|believe|mean|understand|wonder|suppose|bet|appreciate|look|seem|sound|help|let|ask|remember|notice|forget|realize|realise|dream|wait|hear|find|do|try|call|text|email|phone|message|see|show|thank|mention|miss|misread|agree|worry|matter|doubt|claim|admit|argue|answer|reply|respond|explain|describe|suggest|recommend|assume|imagine|pretend|compare|complain|confirm|consider|imply|insist|announce|apologise|apologize|blame|wonder|translate|rewrite|summarise|summarize|format|cite|rephrase|check|want|hate|love|like|enjoy|prefer|bother|trust|swear|count|score|rate|rank|convert|test|debug|type|click|paste|copy|delete|fail|crash)$/;
/** What the speaker is usually doing just now, rather than permanently. */
const PASSING_VERBS =
  /^(?:get|give|make|put|keep|read|watch|go|come|have|sit|stand|stick|push|pull|hit|kick|turn|happen|run|take|use|open|close|start|need)$/;
/** Short units of time, which hardly anybody wants remembered. */
const MOMENT =
  /\b(?:minutes?|seconds|secs?|mins?|moments?|times?|things?|questions?|ideas?|options?|reasons?|problems?|issues?|thoughts|examples?|percent|steps?|points?|words?|doubts?)\b/;
const SOMEBODY_ELSES = /^(?:you|your|yours|this|these|those|that|it|its)$/;
const TIME_AFTER_THIS =
  /^(?:year|month|week|summer|winter|spring|autumn|fall|weekend|morning|afternoon|evening|semester|season|\w+day)$/;

/**
 * A last check of what no rule for a verb or complement accepts: about a person or one's own things it is a fact all
 * the same if the evidence is hard, and it is not part of the conversation.
 */
export function judgeHardFact(subject: Subject, predicate: Predicate): Verdict | null {
  const { role } = subject;
  const { frame, rest, isNegated, verb, adverbs } = predicate;
  if (role === "you" || (role !== "self" && OF_THE_TALK.test(subject.head))) return null;
  const isGone = adverbs.includes("no longer") || (isNegated && GIVEN_UP.test(lowerText(rest)));
  const said = /^(?:me|us)$/.test(rest[0]?.lower ?? "") && rest.length > 2 ? rest.slice(1) : rest;
  const isOmitted = isNegated && frame === "present" && (role === "relative" || role === "person");
  const isThere = frame === "future" && /^(?:here|there)$/.test(rest[0]?.lower ?? "") && rest.length > 1;
  if (
    said.length === 0 ||
    (isNegated && !isGone && !isOmitted) ||
    (pointsElsewhere(said) && !isThere) ||
    hasOrder(said)
  )
    return null;
  if (adverbs.some((adverb) => /^(?:probably|almost|nearly|supposedly|allegedly)$/.test(adverb))) return null;
  if (
    EVALUATIVE.has(said[0]?.lower ?? "") &&
    !/^(?:out|up|over|off|away|back|down|about|only|not|more|all)$/.test(said[0]?.lower ?? "")
  )
    return null;
  if (isNegated && !isGone) return verb !== null && !TALK_VERBS.test(verb) && saysSomething(said) ? FACT : null;
  if (isGone) return verb !== null && verb !== "have" && TALK_VERBS.test(verb) && verb !== "be" ? null : FACT;
  if (frame === "be") return judgeState(subject, said);
  if (frame === "been") return judgeBeenDone(subject, said);
  if (verb !== null && (TALK_VERBS.test(verb) || (role === "self" && PASSING_VERBS.test(verb)))) return null;
  if (frame === "present") return judgeDoing(subject, predicate, said);
  if (frame === "past" && said !== rest && verb !== null && role !== "self" && (isEventVerb(verb) || GIVEN.test(verb)))
    return EPISODE;
  if (frame === "past") return verb !== null && isLastingHard(said) && !isMomentary(said) ? EPISODE : null;
  if (frame === "perfect") return verb !== null && isLastingHard(said) ? EPISODE : null;
  if (frame === "progressive" && AHEAD.test(lowerText(rest)) && !IDLE.test(verb ?? "be")) return APPOINTMENT;
  if (frame === "progressive") return verb !== null && rest.some(isName) && !isMomentary(said) ? FACT : null;
  if (frame === "future") return verb === null || isMomentary(said) ? null : APPOINTMENT;
  return null;
}

/** "…, steer the conversation to …": what follows tells somebody what to do. */
function hasOrder(rest: readonly Word[]): boolean {
  return rest.some(({ raw }, index) => raw.endsWith(",") && readVerb(rest[index + 1]?.lower ?? "", "base") !== null);
}

/** What others do to somebody with a lasting result: "My doctor put me on a diet". */
const GIVEN = /^(?:put|prescribe|give|teach|lend|buy|offer|leave|send|raise|bring)$/;
/** "I don't go to the gym any more". */
const GIVEN_UP = /\w (?:any ?more|any longer|these days|nowadays)\b/;

function pointsElsewhere(rest: readonly Word[]): boolean {
  if (
    /^(?:here|there|so|how|what|when|where|why|if|whether|who|one|ones|him|them|something|nothing)$/.test(
      rest[0]?.lower ?? "",
    )
  )
    return true;
  return rest.some(
    ({ lower }, index) =>
      SOMEBODY_ELSES.test(lower) && !(lower.startsWith("th") && TIME_AFTER_THIS.test(rest[index + 1]?.lower ?? "")),
  );
}

/** "The test takes 5 seconds." */
function isShort(verb: string, rest: readonly Word[]): boolean {
  return /^(?:have|take|need|use|last)$/.test(verb) && isMomentary(rest);
}

function isMomentary(rest: readonly Word[]): boolean {
  return MOMENT.test(lowerText(rest.slice(0, 3)));
}

function isLastingHard(rest: readonly Word[]): boolean {
  return isHard(rest) && !isMomentary(rest);
}

/** Endings of words that start a sentence, but of no names: "Positive", "Overcoming". */
const COMMON_ENDING = /(?:ing|[^aeiou]s|ive|ly|ness|tion|ment|ity|ful|ous|able|ttle|ange|our)$/;

/** Anything that named persons and relatives do is worth remembering: "Vera brings the salad". */
function judgeDoing({ role, text }: Subject, { verb }: Predicate, rest: readonly Word[]): Verdict | null {
  if ((role === "thing" || role === "own") && verb !== null && isInMonth(rest)) return FACT;
  if (isLastingHard(rest))
    return verb !== null || isHabitual(lowerText(rest)) || MEASURE.test(lowerText(rest)) ? FACT : null;
  const isNamed = role === "relative" || (role === "person" && !COMMON_ENDING.test(text.split(" ")[0] ?? ""));
  return verb !== null && isNamed && rest.length > 1 && saysSomething(rest) ? FACT : null;
}

/** "I'm on Vue 3", "I'm with Vodafone", "my desk is on the second floor": followed by a name or a number. */
function judgeState(subject: Subject, rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const text = lowerText(rest);
  if (
    /^on (?:\w+ ){0,2}(?:pills|tablets|thinners|blockers|medication|meds|statins|antidepressants|antibiotics|insulin|steroids|chemo)\b/.test(
      text,
    )
  )
    return FACT;
  if (/\b(?:right now|just now|at the moment|today|tonight|again|pages?|pressure|way|phone|line)\b/.test(text))
    return null;
  if (/^(?:on|with|at|in|under|near|behind|between)$/.test(first) && rest.length > 1)
    return rest.slice(1).some(isName) || isHabitual(text) || /\bfloor\b/.test(text) ? FACT : null;
  const isRenamed = isCapitalised(rest[0]) && rest.at(-1)?.lower === "now" && rest.slice(0, -1).every(isCapitalised);
  if (subject.role === "self") return isRenamed && rest.length <= 4 ? TRAIT : null;
  return readVerb(first, "participle") !== null && rest.length > 1 && isHard(rest.slice(1)) ? FACT : null;
}

/** "The appointment has been moved to Thursday". */
function judgeBeenDone({ role }: Subject, rest: readonly Word[]): Verdict | null {
  const done = readVerb(rest[0]?.lower ?? "", "participle");
  return done !== null &&
    rest.length > 1 &&
    (isHard(rest.slice(1)) || isInMonth(rest)) &&
    (role !== "self" || isEventVerb(done))
    ? EPISODE
    : null;
}

function judgeBeing({ text }: Subject, rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const value = /^(?:an?|the|called|named|from|by|number)$/.test(first) ? rest[1] : rest[0];
  const isName = isCapitalised(value) && !EVALUATIVE.has(value?.lower ?? "");
  if (isOwned(text) && (isName || /^\d/.test(value?.lower ?? ""))) return FACT;
  if (EVALUATIVE.has(first)) return null;
  if (ARRANGED.test(first) && isInMonth(rest)) return FACT;
  if (LASTING_PARTICIPLES.has(first) || readVerb(first, "participle") !== null)
    return rest.length > 1 && isHard(rest.slice(1)) ? FACT : null;
  if (/^(?:on|in|at|with|near|under|every)$/.test(first) && rest.length > 1 && isLastingHard(rest)) return FACT;
  if (/^(?:called|named)$/.test(first)) return rest.length > 1 ? FACT : null;
  return COUNT.test(lowerText(rest)) && rest.length > 1 && !isMomentary(rest) ? FACT : null;
}

function isOwned(text: string): boolean {
  return /^\S+(?: \S+)?'s /.test(text);
}

const DAY_OR_MONTH =
  /^(?:i|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december)$/;

/** "The fiscal year starts in July." */
function isInMonth(rest: readonly Word[]): boolean {
  return rest.some(({ lower }) => lower !== "i" && DAY_OR_MONTH.test(lower));
}

const ARRANGED = /^(?:planned|scheduled|due|set|booked)$/;

/** A day is not a name: an event is not worth remembering for its day alone. */
function isName(word: Word): boolean {
  return isCapitalised(word) && !DAY_OR_MONTH.test(word.lower);
}

/** Anything that cannot be a matter of opinion. */
function isHard(rest: readonly Word[]): boolean {
  const text = lowerText(rest);
  return rest.some(isName) || MEASURE.test(text) || COUNT.test(text) || isHabitual(text);
}
