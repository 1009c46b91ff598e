import { PETS } from "./nouns.js";
import { isLight, isPointing, lowerText, saysSomething } from "./objects.js";
import type { Predicate } from "./predicate.js";
import { isEventVerb, isLastingVerb } from "./verbs.js";
import { isCapitalised, type Word } from "./words.js";
import { APPOINTMENT, FACT, PLAN, TRAIT, type Verdict } from "./verdict.js";

const PLANS = new Set(
  (
    "move start visit buy adopt marry study travel attend quit sell launch build learn run have leave join fly open retire host renovate " +
    "apply volunteer get"
  ).split(" "),
);
const PROGRESSIVES = new Set(
  (
    "learn study work live train write build plan move start look save get expect teach develop recover attend visit travel fly leave organize " +
    "organise host quit switch use raise renovate take volunteer run lead manage stay rent read try launch migrate open retire practise practice " +
    "design create marry buy sell join explore coach mentor do apply remodel"
  ).split(" "),
);
const TEMPORARY = new Set("visit travel fly stay attend host meet have see".split(" "));
/** Moods and talk: not a plan, even with a date. */
export const IDLE =
  /^(?:be|think|feel|hope|wonder|say|ask|tell|talk|know|guess|mean|suppose|bet|wish|want|try|look|get|wait|expect|plan|help|let|read|use|do|call|text|mention|consider|remember|miss|love|enjoy|see|hear|keep|make|talk|feel|relax|sit)$/;
export const AHEAD =
  /\b(?:tomorrow|tonight|next (?:week|weekend|month|year|spring|summer|fall|autumn|winter|\w+day)|this (?:week|month|weekend|spring|summer|fall|autumn|winter|\w+day)|(?:on|until|by) (?:\w+ )?(?:\w+day|\d{1,2}|the \d{1,2}\w{2})\b|in (?:an?|two|three|a few|\d+) (?:days?|weeks?|months?)|in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b/;
/** Verbs that take "to" without meaning "in order to". */
const TAKES_TO = /^(?:move|travel|learn|plan|train|try|get|fly|look|switch|migrate|work|study)$/;
const JOURNEY =
  /^(?:on (?:an? |my |our )?(?:\w+ )?(?:trip|cruise|vacation|holiday|hike|tour|retreat|honeymoon)|camping|hiking|skiing|fishing|to (?:an?|the|my) (?:\w+ )?(?:concert|wedding|conference|festival|party|dentist|doctor|game|match|funeral))\b/;
/** What must follow these verbs in the progressive for a fact. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  get: /^(?:married|divorced|engaged|(?:an?|my|our) (?:new |first |second )?(?:house|flat|apartment|car|degree|divorce|tattoo|promotion|phd|master|surgery|visa|passport|\w+ degree|bike)\b)/,
  look: /^(?:for (?!it|that|this|you|the)\w+ \w|into (?!it|that|this)\w)/,
  apply: /^(?:for|to) (?!it\b|this\b|that\b|the\b)\w/,
  save: /^(?:up )?for (?:an?|my|our)\b/,
  try: /^to (?:lose|quit|learn|conceive|stop|cut|save|eat|gain|build|become|find)\b/,
  expect: /\b(?:baby|child|twins|boy|girl)\b/,
  read: /^(?!it\b|this\b|that\b|your\b|the (?:docs|code|article|manual))\w/,
  use: /^(?!it\b|this\b|that\b|the\b|your\b)\w/,
  do: /^(?:an?|my) (?:\w+ ){0,2}(?:phd|master'?s?|mba|degree|internship|apprenticeship|residency|course|bootcamp|postdoc|semester|exchange|traineeship|placement)\b/,
  run: /^(?!(?:an?|my|our) (?:test|script|build|query|command|job|scan|check|model)\b)(?:an?|my|our|for (?!it)\w)\b/,
};

/** Whether this verb in the progressive may state a fact. */
export function isProgressiveFact(verb: string): boolean {
  return PROGRESSIVES.has(verb) || isLastingVerb(verb);
}

/** Judges "is learning Spanish", "is moving to Berlin": what is under way or planned. */
export function judgeProgressive({ verb, rest, isNegated }: Predicate): Verdict | null {
  if (verb !== null && !isNegated && rest.length === 0)
    return /^(?:freelance|study|breastfeed|job-hunt)$/.test(verb) ? FACT : null;
  if (verb === null || isNegated || rest.length === 0) return null;
  const text = lowerText(rest);
  if (verb === "get" && PETS.has(rest[1]?.lower ?? "")) return FACT;
  if (verb === "go")
    return JOURNEY.test(text) || (/^(?:back )?to\b/.test(text) && rest.some(isCapitalised)) ? APPOINTMENT : null;
  const isToUs = /^(?:me|us)$/.test(rest[0]?.lower ?? "") && AHEAD.test(text);
  if (TEMPORARY.has(verb)) return saysSomething(rest) || isToUs ? APPOINTMENT : null;
  if (verb === "freelance") return FACT;
  if (!PROGRESSIVES.has(verb)) return judgeUnderWay(verb, rest);
  const needed = NEEDED[verb];
  if (needed) return needed.test(text) ? FACT : judgeUnderWay(verb, rest);
  if (isPointing(rest) || isLight(rest)) return null;
  if (/^to \w/.test(text) && !TAKES_TO.test(verb)) return null;
  const isJob = /^(?:live|work)$/.test(verb) && /^(?:in|at|for|as)\b/.test(text);
  return isJob ? TRAIT : FACT;
}

/** With a date ahead, "is walking the Camino in May" is a plan, whatever the verb. */
function judgeUnderWay(verb: string, rest: readonly Word[]): Verdict | null {
  const text = lowerText(rest);
  if (verb === "get") return /^(?:an?|my|our) /.test(text) && !isLight(rest) && AHEAD.test(text) ? APPOINTMENT : null;
  if (verb === "give" && /^an? (?:\w+ )?(?:talk|lecture|speech|presentation|workshop)\b/.test(text)) return APPOINTMENT;
  return !IDLE.test(verb) &&
    saysSomething(/^(?:together|over|up|round|around|back|home)$/.test(rest[0]?.lower ?? "") ? rest.slice(1) : rest) &&
    AHEAD.test(lowerText(rest))
    ? APPOINTMENT
    : null;
}

/** Judges "will …" and "is going to …": a plan needs a date, or a verb that implies a plan. */
export function judgeFuture({ verb, rest, isNegated, adverbs, group }: Predicate): Verdict | null {
  const isAbsent =
    isNegated && verb === "be" && /^(?:available|in|at|around|there|home|able|back)\b/.test(lowerText(rest));
  if (isAbsent) return AHEAD.test(lowerText(rest)) ? APPOINTMENT : null;
  if (isNegated || adverbs.includes("probably") || rest.length === 0) return null;
  if (verb === null) return saysSomething(rest) && AHEAD.test(lowerText(rest)) ? APPOINTMENT : null;
  if (verb === "see" && /^(?:on|in|at|about|how|when|if|what)$/.test(rest[0]?.lower ?? "")) return null;
  if (verb === "be" || TEMPORARY.has(verb)) return APPOINTMENT;
  if (!saysSomething(rest)) return null;
  if (!PLANS.has(verb) || verb === "get") return isEventVerb(verb) ? APPOINTMENT : judgeUnderWay(verb, rest);
  return group.includes("going to") ? FACT : PLAN;
}
