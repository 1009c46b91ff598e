import { DRINK } from "../../language/english/drinks.js";
import { isHabitual, isHerOwn, isLight, isLongstanding, isPointing, lowerText, saysSomething } from "./objects.js";
import { judgeLiking } from "./likings.js";
import type { Predicate } from "./predicate.js";
import { isProgressiveFact } from "./plans.js";
import { isEventVerb, isLastingVerb, isLikingVerb } from "./verbs.js";
import { DATED_EPISODE, EPISODE, FACT, TRAIT, type Verdict } from "./verdict.js";
import { isCapitalised, textOf } from "./words.js";

/** What is said, thought or felt is not an event. */
const MENTAL =
  /^(?:be|say|tell|think|know|feel|want|need|hope|wish|guess|believe|mean|understand|wonder|suppose|bet|appreciate|look|seem|sound|help|let|ask|remember|notice|forget|love|realize|realise|expect|dream|fall|change|wait|hear|find|come|do|get|talk|try|call|text|email|phone|message)$/;
/** Minor actions, which are events only with a date. */
const MINOR = /^(?:try|hear|show|walk|come|talk|see|eat|drink|sleep|watch|sit|read|send|find|bring|do)$/;
/** Done to "the …", these are just steps of the work in progress, unless dated. */
const WORK_STEPS =
  /^(?:run|open|close|create|install|replace|rename|upgrade|write|build|record|switch|send|read|set|drop|apply|pass|follow)$/;
/** "We upgraded the API to Node 22" is not just a step. */
const CHANGED_VERSION = /^(?:upgrade|downgrade|update|migrate|bump|switch|move)$/;
const TO_A_VERSION = / to (?:\p{Lu}[\p{L}.+#-]{0,30} )?(?:version )?v?\d[\d.]{0,10}$/u;
const TO_A_NAME = / to \p{Lu}[\p{L}\p{N}-]{0,30}$/u;
const POINTING_OBJECT = /^(?:it|that|this|those|these|him|her|them|you|here|there|so|how|what)$/;

/** What must follow these verbs in the past tense for an event: pairs of a pattern and its verdict. */
const EVENTS: Readonly<Record<string, readonly (readonly [RegExp, Verdict])[]>> = {
  grow: [[/^up (?:speaking|bilingual|poor|without|in|on|near|with|as)\b/, TRAIT]],
  graduate: [
    [/^(?:from|in|with|at)\b/, TRAIT],
    [/./, EPISODE],
  ],
  major: [[/^in\b/, TRAIT]],
  get: [
    [/^(?:married|engaged|divorced|promoted|fired|hired|accepted|laid off|diagnosed|into)\b/, EPISODE],
    [/^(?:(?:myself|ourselves) )?(?:an?|my|our|two|three) /, EPISODE],
    [/^(?:back from|stolen|damaged|cancell?ed|rejected|hit by|bitten|infected) ?/, EPISODE],
    [/^the (?:keys?|job|flat|apartment|house|part|role|scholarship|visa|offer|promotion)\b/, EPISODE],
  ],
  have: [
    [/\b(?:surgery|baby|operation|accident|stroke|heart attack|miscarriage|transplant|son|daughter|twins)\b/, EPISODE],
    [/\bas a (?:kid|child|teenager|student|boy|girl)\b/, EPISODE],
    [/./, DATED_EPISODE],
  ],
  make: [[/^(?:an?|my|our|some|the|two|three)\b/, EPISODE]],
  hand: [[/^(?:in|over) (?!it\b|that\b|this\b)\w/, EPISODE]],
  spend: [
    [
      /^(?:\w+ ){0,3}(?:years?|months?|weeks?|days|summers?|winters?|childhood|holidays?) (?:in|at|on|with|as) (?!it\b|this\b|that\b|you\b)\w/,
      EPISODE,
    ],
  ],
  come: [[/^from (?!work\b|school\b|home\b|the\b|it\b|that\b|there\b|you\b|an?\b)\w/, TRAIT]],
  drop: [[/^out of (?:\w+ )?(?:school|college|university|uni)\b/, EPISODE]],
  change: [[/^(?:jobs|careers|schools|my (?:name|major|number|address|job|diet))\b/, EPISODE]],
  move: [
    [
      /^(?!the (?:\w+ )?(?:function|file|files|code|line|lines|class|method|button|variable|text|section|paragraph|column|table)\b)(?:out of|in with|in together|back (?:to|in with)|away from|(?!on\b|forward|it\b|in\b|out\b|away\b|back\b|along|past)\w)/,
      EPISODE,
    ],
  ],
  sign: [
    [/^(?:up|on) for (?!it\b|that\b|this\b)\w/, EPISODE],
    [/^(?!up\b|on\b|off\b|out\b|in\b)\w/, EPISODE],
  ],
  take: [
    [/^(?:up|over) (?!it\b|from\b)\w/, EPISODE],
    [/^(?:an?|my|our|part|some|the|two|three)\b/, EPISODE],
  ],
  give: [[/^(?:an?|my|our|up (?!on\b|it\b|hope|and\b|my seat)\w+|birth|some|the|two|three)\b/, EPISODE]],
  go: [
    [/^with \w+(?: \w+)? (?:instead of|over|for|as)\b/, EPISODE],
    [
      /^(?:to|on|through|camping|hiking|swimming|skiing|fishing|shopping|climbing|kayaking|surfing|vegan|vegetarian)\b(?! (?:bed|sleep|work)\b)/,
      EPISODE,
    ],
    [/./, DATED_EPISODE],
  ],
  start: [
    [
      /^(?!to\b|\w+ing (?:it|that|this|them)\b|feeling|thinking|wondering|talking|crying|laughing|off\b|out\b|over\b)\w/,
      EPISODE,
    ],
  ],
  begin: [[/^(?!to\b|\w+ing (?:it|that|this|them)\b|feeling|thinking|wondering)\w/, EPISODE]],
  stop: [[/^\w+ing\b(?! (?:it|that|this|them)\b)/, EPISODE]],
  turn: [
    [
      /^(?:\d+|(?:\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:-\w+)?)\b/,
      EPISODE,
    ],
  ],
  break: [
    [/^up (?:with (?!it\b)|(?:in|on|last|yesterday)\b)/, EPISODE],
    [/^down\b/, DATED_EPISODE],
    [/^(?!up\b|the ice)\w/, EPISODE],
  ],
  pass: [
    [/^away\b/, EPISODE],
    [/^(?!out\b|by\b|on\b)\w/, EPISODE],
  ],
  decide: [[/^(?!(?:on|against) (?:it|that|this|them)\b)(?:to|on|not|that|against)\b/, EPISODE]],
  agree: [[/^(?!(?:to|on) (?:it|that|this|them)\b)(?:to|on|that)\b/, EPISODE]],
  choose: [[/^(?:to|an?|the|our|\w+ (?:over|as|for))\b/, EPISODE]],
  leave: [[/^(?:my|our|her|his|their|the|for|school|college|home|\w+ing|an?)\b/, EPISODE]],
  pick: [[/^up (?!it\b|on\b)\w/, EPISODE]],
  name: [[/^(?:my|our)\b/, EPISODE]],
  set: [[/^(?:up (?!it\b)|an? new |my )\w/, EPISODE]],
  lose: [[/^(?!it\b|track|interest|count|my (?:mind|temper|train)|weight$)\w/, EPISODE]],
};

/** Phrases that by themselves say that something is over. */
const OVER = /^(?:break up|split up|move out|stop going to (?!bed\b|sleep\b|him\b|her\b|them\b|you\b|it\b)\w.*)$/;

/** Judges the past tense: events, but never moods or talk. */
export function judgePast({ verb, rest, isNegated, adverbs }: Predicate): Verdict | null {
  if (isNegated || rest.length === 0 || adverbs.includes("almost") || adverbs.includes("nearly")) return null;
  const text = lowerText(rest);
  if (POINTING_OBJECT.test(rest[0]?.lower ?? "") && !isHerOwn(rest) && !(verb === "move" && /^here from \w/.test(text)))
    return null;
  if (rest[0]?.lower === "your" && MINOR.test(verb ?? "see")) return null;
  if (OVER.test(`${verb} ${text}`)) return EPISODE;
  if (verb === null) return isPointing(rest) ? null : /^as an? \w/.test(text) ? EPISODE : DATED_EPISODE;
  if (verb === "go" && text.startsWith("back to ") && (isCapitalised(rest[2]) || DRINK.test(rest[2]?.lower ?? "")))
    return EPISODE;
  const frames = EVENTS[verb];
  if (frames) {
    const isPlain = verb === "spend" || /\b(?:heart attack|stroke|surgery|operation)\b/.test(text);
    if (
      !isPlain &&
      isLight(rest) &&
      !/^(?:(?:up|away|down|over) \w|out of \w|here (?:from|in|with)|back from (?!it\b|there\b|that\b)\w|up (?:in|on|last|yesterday) \w|back (?:to|in with) \w|in (?:with \w|together))/.test(
        text,
      )
    )
      return null;
    return (
      frames.find(([pattern]) => pattern.test(text))?.[1] ??
      (/^(?:choose|leave)$/.test(verb) && isCapitalised(rest[0]) ? EPISODE : null)
    );
  }
  if (MENTAL.test(verb) || isLikingVerb(verb)) return MINOR.test(verb) && saysSomething(rest) ? DATED_EPISODE : null;
  if (isLight(rest)) return null;
  if (CHANGED_VERSION.test(verb) && TO_A_VERSION.test(textOf(rest))) return EPISODE;
  if (verb === "rename" && TO_A_NAME.test(textOf(rest))) return EPISODE;
  if (WORK_STEPS.test(verb) && rest[0]?.lower === "the") return DATED_EPISODE;
  return isEventVerb(verb) && !MINOR.test(verb) ? EPISODE : DATED_EPISODE;
}

/** "I've never smoked." */
const UNDONE = /^(?:smoke|drive|drink|ski|fly|swim|vote|gamble|vape|surf|dive|marry|cook)$/;
/** Particles that make another verb of a verb: "signed up for", "given up". */
const PARTICLE = /^(?:up|over|out of|on for|back|away|in with|together)\b/;

/** Judges "have lived …", "have been learning …", "have visited …". */
export function judgePerfect({ verb, rest, frame, isNegated, adverbs }: Predicate): Verdict | null {
  const isNeverDone = isNegated && adverbs.includes("never");
  if (verb === null || (rest.length === 0 && !(isNeverDone && UNDONE.test(verb)))) return null;
  if (rest.length === 0) return FACT;
  const text = lowerText(rest);
  const isLong = isLongstanding(text);
  if (isLikingVerb(verb))
    return isNeverDone || (!isNegated && (isLong || adverbs.includes("always"))) ? judgeLiking(verb, rest) : null;
  if (frame === "perfect-progressive" && verb === "look") return /^into (?!it|that|this)\w+/.test(text) ? FACT : null;
  if (
    isNegated &&
    adverbs.includes("never") &&
    verb === "try" &&
    rest.length > 0 &&
    !isPointing(rest) &&
    rest[0]?.lower !== "to"
  )
    return FACT;
  const event =
    isNegated || frame !== "perfect" ? undefined : EVENTS[verb]?.find(([pattern]) => pattern.test(text))?.[1];
  if (event && (PARTICLE.test(text) || (verb === "change" && !isPointing(rest)))) return event;
  if (MENTAL.test(verb) || verb === "see") {
    return isLong && /^(?:do|know|see|try)$/.test(verb) && !isPointing(rest) && !isNegated ? FACT : null;
  }
  if (!saysSomething(rest)) return null;
  if (verb === "have" && /^an? (?:\w+ )?(?:baby|son|daughter|boy|girl|surgery|operation|stroke)\b/.test(text))
    return EPISODE;
  if (isLong && (isLastingVerb(verb) || /^(?:have|be|own)$/.test(verb)))
    return /^(?:live|work)$/.test(verb) ? TRAIT : FACT;
  if (frame === "perfect-progressive") return isProgressiveFact(verb) || isHabitual(text) ? FACT : null;
  if (isNegated)
    return adverbs.includes("never") && (isEventVerb(verb) || /^(?:try|eat|drink|smoke|drive|fly|ride|own)$/.test(verb))
      ? FACT
      : null;
  return isEventVerb(verb) && !/^(?:have|take|make|get|give)$/.test(verb) ? EPISODE : null;
}
