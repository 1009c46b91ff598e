import { EVALUATIVE, EVENT_NOUNS, PETS, RELATIVES } from "./nouns.js";
import { isAvoided } from "./avoided.js";
import { CHAT_VERBS, judgeLiking } from "./likings.js";
import { isHabitual, isLight, isPointing, lowerText, saysSomething } from "./objects.js";
import type { Predicate } from "./predicate.js";
import type { Subject } from "./subject.js";
import { isLastingVerb, isLikingVerb, readVerb } from "./verbs.js";
import { APPOINTMENT, FACT, LIKING, TRAIT, type Verdict } from "./verdict.js";
import { isCapitalised, type Word } from "./words.js";

const STATIC_VERBS = new Set(
  "live work study own speak suffer belong teach come major specialize specialise identify reside".split(" "),
);
/** Verbs that need no object: "I smoke". */
const BARE_VERBS = /^(?:smoke|drink|garden|bake|paint|vape|exercise|jog|meditate|code)$/;
/** Verbs that state something lasting of a project, an organisation or a thing. */
const THING_VERBS =
  /^(?:start|begin|end|expire|cost|support|require|include|contain|provide|cover|close|open|launch|run|allow|accept|return|connect|rely|weigh|measure|consist|offer|focus|call|listen|expose|happen|arrive|leave|depart|last|move|hold|need|target)$/;
const ILLNESS =
  /\b(?:allerg\w*|intoleran\w*|diabetes|asthma|dementia|alzheimer's|parkinson's|cancer|lupus|fibromyalgia|endometriosis|eczema|psoriasis|autism|dyslexia|ptsd|ocd|ibs|gout|osteoporosis|an(?:a)?emia|phobia|a fear of|glaucoma|cataracts?|degree|phd|condition|disease|disorder|adhd|siblings|celiac|epilepsy|arthritis|migraines|hay fever|insomnia|anxiety|depression|pacemaker|scoliosis|tinnitus|hypertension|(?:high|low) (?:blood pressure|cholesterol|iron|blood sugar)|trouble (?:sleeping|hearing|seeing|breathing)|bad (?:back|knees?|hip|shoulder|heart|eyesight|hearing))\b/;
const COUNTED = /^(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d[\d,.]*|several|many|no|my|our|any|dual)$/;
/**
 * Verbs whose meaning depends on what follows, with what must follow for a fact, in lower case.
 * Verbs that are not listed state something whatever follows.
 */
const NEEDED: Readonly<Record<string, RegExp>> = {
  live: /^(?!for\b|to\b|and learn|it up)/,
  follow: /^(?!up\b|along\b|through\b)/,
  read: /^(?:a lot of|mostly|only|\w+s\b)/,
  watch: /^(?:every|all|a lot of|mostly|only|\w+s\b)/,
  care: /^for\b/,
  depend: /^on\b/,
  rely: /^on\b/,
  report: /^(?:to|directly to)\b/,
  keep: /^(?:an?|bees|my|our|kosher|chickens)\b/,
  spend: /^(?!$)(?:my|our|the|most|all)\b.*\b(?:summers|winters|weekends|holidays|evenings)\b/,
  restore: /^(?!it\b|the\b|this\b|that\b)\w/,
  repair: /^(?:\w+ )?\w+s\b/,
  take: /^(?:over (?!it\b)|(?:about |around |roughly |over |under )?\d|care of my|(?:\w+ ){1,2}(?:classes|lessons)\b|medication|insulin|blood thinners|antidepressants|antihistamines|beta blockers|statins|painkillers|supplements|vitamins?|the pill|\w+ (?:pills|tablets|drops)|the (?:bus|train|subway|metro|tube|tram|ferry)\b|my)/,
  weigh: /^(?:about |around |roughly |almost |nearly |over |under |just )*\d/,
  cost: /\d/,
  wake: /^up\b.*\d/,
  dream: /^of \w+ing\b/,
  plan: /^(?:to|on) \w/,
  intend: /^to \w/,
  aim: /^to \w/,
};
const HABIT_ADVERB =
  /^(?:usually|always|often|never|rarely|typically|generally|normally|mostly|mainly|only|exclusively|hardly|seldom|regularly|frequently|occasionally)$/;
/** Figures of speech: "I live under a rock". */
const FIGURE =
  /^(?:under a rock|on (?:caffeine|coffee|spite|fumes|adrenaline|love)|in a bubble|in the moment|in my (?:own )?head|on coffee|on the edge|in fear|fluent (?:sarcasm|nonsense|emoji)|my (?:own )?(?:life|words|best life)|the dream)\b/;
const EMPTY_OBJECT = /^(?:on it|as well|well|out|hard|too much|better|best|together|in|up to)\b$/;

/** "I find small talk exhausting." */
const FOUND =
  /^(?!the |your ).+ (?:exhausting|disgusting|boring|relaxing|fascinating|annoying|stressful|soothing|revolting|overrated|irritating|calming|tiring|confusing|unbearable)$/;
/** "I don't go to the gym any more". */
const GIVEN_UP = /\w (?:any ?more|any longer|these days|nowadays)\b/;
/** "We have dinner at half past six." */
const CLOCK_TIME =
  /\b(?:at|around|from|by) (?:\d{1,2}\b|half past|quarter (?:past|to)|noon|midnight|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b)/;
const MEALS = /^(?:breakfast|lunch|dinner|supper|tea|brunch)\b/;
/** In the present tense, these speak of a day to come: "we move in on Friday". */
const TIMETABLE =
  /^(?:land|move|leave|fly|start|return|travel|arrive|depart|finish|begin|get|receive|meet|collect|host|celebrate|sign)$/;
const DATE_AHEAD =
  /\b(?:tomorrow|tonight|next \w+|this \w+day|(?:on|in) (?:\w+ )?(?:\w+day|\d{1,2}|january|february|march|april|may|june|july|august|september|october|november|december))\b/;
/** "I always …" with these is just talk. */
const NO_HABIT =
  /^(?:forget|say|think|feel|know|wonder|get|end|mean|hope|want|need|remember|agree|tell|ask|hear|see|find|look|seem|sound|make|give|be|do|lose|try|let|bet|guess|trust|appreciate|miss|notice|understand|wish|believe|expect|worry)$/;

function isUsually({ verb, adverbs, rest }: Predicate): boolean {
  if (verb !== null && NO_HABIT.test(verb)) return false;
  return (
    adverbs.some((adverb) => HABIT_ADVERB.test(adverb)) &&
    rest.length > 0 &&
    !rest.some((word) => /^(?:you|your)$/.test(word.lower))
  );
}

/** Judges the present tense: what somebody likes, has, does for a living or as a habit. */
export function judgeHabit(subject: Subject, predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  const text = lowerText(rest);
  if (verb === "split") return /^(?:my|our) (?:time|weeks?|years?) between\b/.test(text) ? FACT : null;
  if (
    verb !== null &&
    predicate.isNegated &&
    GIVEN_UP.test(text) &&
    !/\byour?\b/.test(text) &&
    !NO_HABIT.test(verb) &&
    !isPointing(rest)
  )
    return FACT;
  if (verb === "take" && /^over (?:the|an?|my|our)\b/.test(text)) return FACT;
  if (
    /^(?:ride|drive|walk|bike|cycle|run|commute)$/.test(verb ?? "") &&
    / to (?:work|school|the office|class|uni\w*)\b/.test(` ${text}`)
  )
    return FACT;
  if (
    verb === "work" &&
    /^(?:night|day|early|late|double|split|rotating|weekend|part|long) ?(?:shifts?|hours|days|nights)\b/.test(text)
  )
    return FACT;
  if (verb === "work" && /^\w+ (?:days|hours|nights|shifts) (?:a|per) (?:day|week|month)\b/.test(text)) return FACT;
  if (verb === "use" && rest.at(-1)?.lower === "pronouns") return TRAIT;
  if (verb !== null && predicate.isNegated && isAvoided(verb, rest)) return FACT;
  if (
    verb !== null &&
    predicate.isNegated &&
    rest.length === 0 &&
    /^(?:drive|cook|swim|dance|gamble|fly|exercise|drink|smoke|ski)$/.test(verb)
  )
    return TRAIT;
  if (verb === "eat" && text === "out" && isUsually(predicate)) return FACT;
  const isUsual = isHabitual(text) || isUsually(predicate);
  if (verb === null) return subject.role === "self" && isUsual && !isPointing(rest) ? FACT : null;
  if (predicate.adverbs.includes("no longer") && isLastingVerb(verb) && saysSomething(rest))
    return STATIC_VERBS.has(verb) ? TRAIT : FACT;
  if (subject.role === "self" && TIMETABLE.test(verb) && DATE_AHEAD.test(text) && !isHabitual(text)) return APPOINTMENT;
  if (isLikingVerb(verb)) return judgeLiking(verb, rest);
  const special = SPECIAL_VERBS[verb];
  if (special) return special(rest, text, predicate, subject);
  if (verb === "wake") return NEEDED["wake"]?.test(text) === true || isHabitual(text) ? FACT : null;
  if (text === "a lot" && (BARE_VERBS.test(verb) || /^(?:cook|travel|read|run|cycle|swim|hike)$/.test(verb)))
    return FACT;
  const isKept = predicate.adverbs.some((adverb) => /^(?:still|never|no longer)$/.test(adverb));
  if (
    rest.length === 0 &&
    isKept &&
    /^(?:drive|work|drink|smoke|dance|swim|sing|cook|exercise|paint|travel|ski)$/.test(verb)
  )
    return FACT;
  if (rest.length === 0 ? !BARE_VERBS.test(verb) : !saysSomething(rest) && !(isHabitual(text) && !isPointing(rest)))
    return null;
  const needed = NEEDED[verb];
  if (needed && !needed.test(text) && !(verb === "spend" ? isUsual : isHabitual(text))) return null;
  if (subject.role === "thing" || subject.role === "own" || subject.role === "person")
    return judgeThing(predicate, subject);
  if (!isLastingVerb(verb) && !needed) return isUsual ? FACT : null;
  if (EMPTY_OBJECT.test(text) || FIGURE.test(text)) return null;
  const isDiet = predicate.isNegated && /^(?:eat|drink|smoke)$/.test(verb);
  return STATIC_VERBS.has(verb) || isDiet ? TRAIT : FACT;
}

type JudgeVerb = (rest: readonly Word[], text: string, predicate: Predicate, subject: Subject) => Verdict | null;

const SPECIAL_VERBS: Readonly<Record<string, JudgeVerb>> = {
  get: (_rest, text) =>
    /^(?:\w+ )?(?:migraines|headaches|seasick|carsick|airsick|hay fever|panic attacks|nosebleeds|heartburn|hives|cramps)\b/.test(
      text,
    )
      ? TRAIT
      : (isHabitual(text) && /^(?:up|home|paid)\b/.test(text)) || /^up (?:at|around|before|by) \w/.test(text)
        ? FACT
        : null,
  pay: (_rest, text) => (/\d.* (?:a|per) (?:month|week|year)\b/.test(text) ? FACT : null),
  ride: (rest, text) =>
    /^(?:horses|bikes|motorbikes|motorcycles|an? |my )/.test(text) || (isHabitual(text) && !isPointing(rest))
      ? FACT
      : null,
  hold: (rest, text) =>
    rest.length < 8 &&
    /\b(?:passport|degree|licen[cs]e|master's|phd|doctorate|citizenship|visa|bachelor's|certificate|diploma|record)\b/.test(
      text,
    )
      ? TRAIT
      : null,
  find: (rest, text) => (FOUND.test(text) && !isPointing(rest) ? LIKING : null),
  earn: (_rest, text) => (/\d|^(?:my|our) living\b/.test(text) ? FACT : null),
  turn: (_rest, text) =>
    /^(?:\d+|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/.test(
      text,
    )
      ? APPOINTMENT
      : null,
  have: (rest, text, predicate) => judgeHaving(rest, text, predicate),
  need: (rest, text, _predicate, { role }) =>
    role !== "self" && role !== "you" && /^(?:about |around |roughly )?\d/.test(text)
      ? FACT
      : rest[0]?.lower === "to"
        ? CHAT_VERBS.test(rest[1]?.lower ?? "")
          ? null
          : APPOINTMENT
        : role !== "self" && role !== "you" && saysSomething(rest)
          ? APPOINTMENT
          : null,
  want: (rest, _text, _predicate, { role }) =>
    role === "self" || role === "you" || rest[0]?.lower === "to"
      ? judgeWanting(rest)
      : saysSomething(rest)
        ? FACT
        : null,
  speak: (rest, text) => (rest.slice(0, 5).some(isCapitalised) || /^\w+ languages$/.test(text) ? TRAIT : null),
  know: (rest) => (isCapitalised(rest[0]) && rest.length <= 4 ? TRAIT : null),
  believe: (rest) => (rest[0]?.lower === "in" && rest.length > 1 && !isPointing(rest) ? TRAIT : null),
  come: (rest, text, _predicate, { role }) =>
    /^from an? (?:\w+ ){0,2}family\b/.test(text) || (rest[0]?.lower === "from" && rest.slice(1).some(isCapitalised))
      ? TRAIT
      : role !== "self" && isHabitual(text)
        ? FACT
        : null,
  go: (_rest, text, { adverbs }) =>
    judgeGoing(
      text,
      adverbs.some((adverb) => HABIT_ADVERB.test(adverb)),
    ),
  do: (rest, text) => {
    const isHobby =
      isHabitual(text) ||
      /^(?:the (?:school run|dishes|cooking|shopping|laundry|ironing|cleaning|gardening|bookkeeping|accounting|taxes|books|finances)|(?:\w+ )?(?:bookkeeping|accounting|translations?|research|gardening|woodworking|photography|pottery|consulting|shift work|night shifts|carpentry|pottery|martial arts|translating|tutoring))\b/.test(
        text,
      ) ||
      /^(?:yoga|pilates|crossfit|karate|judo|volunteer|research|ballet|gymnastics)\b/.test(text);
    return isHobby && !isPointing(rest) ? FACT : null;
  },
};

function judgeHaving(rest: readonly Word[], text: string, predicate: Predicate): Verdict | null {
  if (ILLNESS.test(text) && !isPointing(rest)) return TRAIT;
  if (!saysSomething(rest)) return null;
  if (isHabitual(text) || (MEALS.test(text) && CLOCK_TIME.test(text))) return FACT;
  const nouns = rest.map((word) => word.lower);
  if (nouns.slice(0, 6).some((noun) => EVENT_NOUNS.has(noun))) return isHabitual(text) ? FACT : APPOINTMENT;
  if (nouns[0] === "to" || nouns.slice(1, 5).some((noun, index) => noun === "to" && isTask(nouns[index + 2])))
    return null;
  if (nouns.slice(0, 5).some((noun) => RELATIVES.has(noun) || RELATIVES.has(noun.replace(/s$/, "")) || PETS.has(noun)))
    return TRAIT;
  if (MOMENTS.test(text)) return null;
  const isCounted = COUNTED.test(nouns[0] ?? "") || isCapitalised(rest[0]) || isKindOfThing(rest);
  return isCounted || (predicate.isNegated && rest.length <= 3 && nouns[0] !== "the") ? FACT : null;
}

const MOMENTS =
  /^(?:\w+ )?(?:minutes?|seconds?|tabs?|windows?|files?|errors?|tokens?|messages?|hours? left|days? left)\b/;
const ABSTRACT =
  /^(?:doubts|concerns|issues|problems|questions|thoughts|feelings|ideas|hopes|dreams|fears|memories|regrets|plans|reasons|troubles|difficulties|comments|suggestions|options|results|errors|tests|changes|details|updates|news|guests|words|options|points|goals|mixed|friends|visitors|days|times|things|ways|chances|nerves|manners|yes)$/;

/** "solar panels on the roof": things of a kind, not particular ones. */
function isKindOfThing(rest: readonly Word[]): boolean {
  const end = rest.findIndex(({ lower }) => /^(?:on|in|at|with|from|for|of|and|that|which|to)$/.test(lower));
  const noun = end === -1 ? rest : rest.slice(0, end);
  const last = noun.at(-1)?.lower ?? "";
  return (
    noun.length >= (/[^s]s$/.test(last) ? 1 : 2) &&
    noun.length <= 3 &&
    !noun.some(({ lower }) => ABSTRACT.test(lower) || EVALUATIVE.has(lower) || lower === "the")
  );
}

/** What somebody asks of a service is not a wish worth keeping. */
const SERVICE =
  /^to (?:update|change|cancel|check|return|report|reset|close|open|order|book|track|confirm|correct|add|remove|edit) (?:my|our|the|an?) (?:\w+ )?(?:details|account|address|order|password|subscription|booking|reservation|email|e-mail|settings|profile|plan|appointment|problem|refund|payment|card)\b/;

/** "things to do", but not "a subscription to the paper". */
function isTask(word: string | undefined): boolean {
  return word !== undefined && readVerb(word, "base") !== null;
}

function judgeWanting(rest: readonly Word[]): Verdict | null {
  const [first, second = "", third = ""] = rest.map((word) => word.lower);
  if (SERVICE.test(lowerText(rest))) return null;
  if (first !== "to" || rest.length < 3 || /^(?:it|that|this|you|them|your)$/.test(third)) return null;
  const isAmbition = second === "be" && /^an?$/.test(third);
  return isAmbition || !CHAT_VERBS.test(second) ? FACT : null;
}

function judgeGoing(text: string, isHabit: boolean): Verdict | null {
  if (
    /^to (?:bed|sleep) (?:at|around|before|after|by) (?:\w+ )?(?:\d|nine|ten|eleven|twelve|midnight|one|two|half)/.test(
      text,
    )
  )
    return FACT;
  if (isHabit && /^to (?:bed|sleep) (?:at|around|before|after|by)\b/.test(text)) return FACT;
  if (text.startsWith("by ")) return TRAIT;
  if (isHabitual(text)) return FACT;
  return /^to (?:\w+ ){0,3}(?:school|elementary|academy|kindergarten|daycare|preschool|university|college|church|mosque|synagogue|temple|therapy)\b/.test(
    text,
  )
    ? FACT
    : null;
}

function judgeThing({ verb, rest, isNegated }: Predicate, subject: Subject): Verdict | null {
  const isLasting = verb !== null && isLastingVerb(verb);
  if (verb === null || isLight(rest) || (isNegated && subject.role === "own" && !isLasting)) return null;
  const isBusiness =
    /^(?:make|sell|manufacture|produce|build|deliver)$/.test(verb) &&
    /^(?:company|business|startup|firm|employer|shop)$/.test(subject.head);
  if (isBusiness) return FACT;
  const isAmount = /^(?:stay|remain|rise|drop|increase|go)$/.test(verb) && /\d/.test(lowerText(rest));
  const isTakingOver = verb === "take" && rest[0]?.lower === "over";
  const isJudged = EVALUATIVE.has(rest[0]?.lower ?? "") && !isTakingOver;
  if ((!isLasting && !isAmount && !THING_VERBS.test(verb)) || isJudged) return null;
  return subject.role === "person" && STATIC_VERBS.has(verb) ? TRAIT : FACT;
}
