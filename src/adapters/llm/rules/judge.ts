import type { MemoryKind } from "../../../core/types.js";
import { judgeComplement } from "./complement.js";
import { EVALUATIVE, EVENT_NOUNS, LIGHT_OBJECTS, PETS, RELATIVES } from "./nouns.js";
import type { Predicate } from "./predicate.js";
import type { Subject } from "./subject.js";
import { isEventVerb, isLastingVerb, isLikingVerb, readVerb } from "./verbs.js";
import { isCapitalised, type Word } from "./words.js";

/** What kind of fact a clause states. */
export interface Verdict {
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  /** Only worth keeping when the clause is dated. */
  readonly needsDate?: boolean;
  /** Over after the day it speaks of, when that day is not past. */
  readonly isTemporary?: boolean;
}

const FACT: Verdict = { kind: "fact", isStatic: false };
const TRAIT: Verdict = { kind: "fact", isStatic: true };
const LIKING: Verdict = { kind: "preference", isStatic: true };
const EPISODE: Verdict = { kind: "episode", isStatic: false };
const PLAN: Verdict = { kind: "fact", isStatic: false, needsDate: true };
const APPOINTMENT: Verdict = { kind: "episode", isStatic: false, needsDate: true, isTemporary: true };

const STATIC_VERBS = new Set(
  "live work study own speak suffer belong teach come major specialize specialise identify reside".split(" "),
);
const ABILITIES = new Set(
  "speak play read write cook code swim drive sing dance ski surf bake draw paint sew knit juggle program ride fly".split(
    " ",
  ),
);
const INABILITIES = new Set(
  "eat drink stand tolerate swim drive have digest see hear walk ride dance cook sing handle consume bear sleep".split(
    " ",
  ),
);
const PLANS = new Set(
  "move start visit buy adopt marry study travel attend quit sell launch build learn run have leave join fly open retire host renovate apply volunteer".split(
    " ",
  ),
);
const PROGRESSIVES = new Set(
  (
    "learn study work live train write build plan move start look save get expect teach develop recover attend visit travel fly leave organize " +
    "organise host quit switch use raise renovate take volunteer run lead manage stay rent read try launch migrate open retire practise practice"
  ).split(" "),
);
const TEMPORARY_PROGRESSIVES = new Set("visit travel fly stay attend host meet have see".split(" "));
const PRONOUN_OBJECTS = new Set(
  "it that this these those him her them you me us one ones so there here how when what where the".split(" "),
);
const CHAT_VERBS = new Set(
  "know ask say see hear talk tell share thank go do make sure think feel mention show point check let try help give be get catch keep stay".split(
    " ",
  ),
);
const FREQUENCY =
  /\b(?:every (?:other )?(?:single )?(?:day|morning|evening|night|week|weekend|month|year|summer|winter|spring|fall|autumn|\w+day)|each (?:day|morning|week|month|year|night)|daily|weekly|monthly|yearly|(?:once|twice|\w+ times) (?:a|per) (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|at weekends|in the mornings?|(?:most|some) (?:days|mornings|evenings|weekends)|for a living)\b/;
const DURATION =
  /\b(?:since|for (?:over |about |almost |nearly |more than |the (?:last|past) )?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|twenty|many|several|a few|the) ?\w* ?(?:years?|months?|weeks?|decades?|days?))\b/;

/** Decides whether a clause states something worth remembering; null when it does not. */
export function judge(subject: Subject, predicate: Predicate): Verdict | null {
  if (subject.role === "you" && !/^(?:be|present)$/.test(predicate.frame)) return null;
  const verdict = judgeFrame(subject, predicate);
  if (!verdict) return null;
  const isNamedThing = subject.role === "thing" || subject.role === "own";
  if (isNamedThing && EVENT_NOUNS.has(subject.head) && verdict.kind === "fact" && predicate.frame !== "past") {
    return { ...verdict, kind: "episode", isStatic: false, needsDate: true, isTemporary: true };
  }
  return verdict;
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
      return judgePresent(subject, predicate);
    case "past":
      return judgePast(predicate);
    case "perfect":
    case "perfect-progressive":
      return judgePerfect(predicate);
    case "future":
      return judgeFuture(predicate);
    case "used-to":
      return predicate.verb !== null &&
        (isLastingVerb(predicate.verb) || /^(?:be|have|love|like|go|hate)$/.test(predicate.verb))
        ? FACT
        : null;
    case "ability":
      return judgeAbility(predicate);
    case "obligation":
      return predicate.verb !== null && !CHAT_VERBS.has(predicate.verb) ? APPOINTMENT : null;
    case "other":
      return null;
  }
}

function judgeProgressive(predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  if (verb === null || predicate.isNegated || !PROGRESSIVES.has(verb))
    return verb !== null && /^(?:have|see|meet)$/.test(verb) ? APPOINTMENT : null;
  const first = rest[0]?.lower ?? "";
  if (verb === "get")
    return /^(?:married|divorced|engaged)$/.test(first) || /^(?:a|an|my|our)$/.test(first) ? FACT : null;
  if (verb === "look")
    return first === "for" && !/^(?:it|that|this|you|the)$/.test(rest[1]?.lower ?? "") && rest.length > 2 ? FACT : null;
  if (verb === "try")
    return first === "to" &&
      /^(?:lose|quit|learn|conceive|stop|cut|save|eat|gain|build|become|find)$/.test(rest[1]?.lower ?? "")
      ? FACT
      : null;
  if (verb === "take" || verb === "run" || verb === "start" || verb === "leave" || verb === "use") {
    return rest.length === 0 || isLightObject(rest) || (PRONOUN_OBJECTS.has(first) && first !== "the") ? null : FACT;
  }
  if (verb === "expect") return /\b(?:baby|child|twins|boy|girl)\b/.test(lowerText(rest)) ? FACT : null;
  if (TEMPORARY_PROGRESSIVES.has(verb)) return APPOINTMENT;
  if (rest.length === 0 || hasPronounObject(rest)) return null;
  return /^(?:live|work|study)$/.test(verb) && !/^(?:on|hard|late)$/.test(first)
    ? { ...FACT, isStatic: verb !== "study" }
    : FACT;
}

function judgePresent(subject: Subject, predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  const text = lowerText(rest);
  if (verb === null) return subject.role === "self" && FREQUENCY.test(text) && !hasPronounObject(rest) ? FACT : null;
  if (isLikingVerb(verb)) return judgeLiking(rest);
  if (verb === "have" || verb === "need") return judgeHaving(subject, predicate, verb);
  if (verb === "want") return judgeWanting(rest);
  if (verb === "plan" || verb === "intend" || verb === "aim")
    return rest.length >= 2 && /^(?:to|on)$/.test(rest[0]?.lower ?? "") ? FACT : null;
  if (verb === "know") return isCapitalised(rest[0]) && rest.length <= 4 ? TRAIT : null;
  if (verb === "believe")
    return rest[0]?.lower === "in" && rest.length > 1 && !PRONOUN_OBJECTS.has(rest[1]?.lower ?? "") ? TRAIT : null;
  if (verb === "come")
    return rest[0]?.lower === "from" &&
      isCapitalised(rest.find((word, index) => index > 0 && !/^(?:the|a)$/.test(word.lower)))
      ? TRAIT
      : null;
  if (verb === "go") return judgeGoing(rest, text);
  if (verb === "do")
    return (FREQUENCY.test(text) ||
      /^(?:yoga|pilates|crossfit|karate|judo|volunteer|research|ballet|gymnastics)/.test(text)) &&
      !PRONOUN_OBJECTS.has(rest[0]?.lower ?? "")
      ? FACT
      : null;
  if (verb === "dream") return rest[0]?.lower === "of" && rest.length > 2 ? FACT : null;
  if (subject.role === "thing" || subject.role === "own" || subject.role === "person")
    return judgeThing(predicate, subject);
  if (rest.length === 0 && !/^(?:smoke|drink|garden|bake|paint|vape|exercise|jog|meditate|code)$/.test(verb))
    return null;
  if (hasPronounObject(rest) && !FREQUENCY.test(text)) return null;
  if (isLightObject(rest)) return null;
  if (isLastingVerb(verb)) return isPassing(verb, text) ? null : { kind: "fact", isStatic: STATIC_VERBS.has(verb) };
  return FREQUENCY.test(text) ? FACT : null;
}

/** "I live for this", "I work on it": the verb is lasting, what it says is not. */
function isPassing(verb: string, text: string): boolean {
  if (verb === "live") return /^(?:for|to|and learn|it up)\b/.test(text);
  if (verb === "follow") return /^(?:up|along|through)\b/.test(text);
  if (verb === "read" || verb === "see" || verb === "watch")
    return !FREQUENCY.test(text) && !/^(?:a lot of|mostly|only|\w+s\b)/.test(text);
  if (verb === "care" || verb === "depend" || verb === "rely" || verb === "report") return !/^(?:for|to)\b/.test(text);
  if (verb === "keep") return !/^(?:a|an|bees|my|our|kosher|chickens)\b/.test(text);
  if (verb === "take")
    return (
      !/^(?:\d|care of my|medication|insulin|the (?:bus|train|subway|metro|tube|tram|ferry)|my)/.test(text) &&
      !FREQUENCY.test(text)
    );
  if (
    verb === "sleep" ||
    verb === "wake" ||
    verb === "drink" ||
    verb === "eat" ||
    verb === "wear" ||
    verb === "suffer" ||
    verb === "share"
  ) {
    return /^(?:in|well|better|up to|on it)$/.test(text);
  }
  return /^(?:on it|as well|well|out|hard|too much|better|best|together)\b/.test(text);
}

function judgeLiking(rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const second = rest[1]?.lower ?? "";
  if (first === "" || (PRONOUN_OBJECTS.has(first) && first !== "the")) return null;
  if (first === "the")
    return /^(?:idea|way|thought|sound|look|color|colors|vibe|energy|fact|part)$/.test(second) || rest.length < 2
      ? null
      : LIKING;
  if (first === "to" && CHAT_VERBS.has(second)) return null;
  if (
    /^(?:your|seeing|hearing|that|knowing|our|each|everything|everyone|both|all|if|every|being|talking|having)$/.test(first)
  )
    return null;
  return LIKING;
}

function judgeHaving(subject: Subject, predicate: Predicate, verb: "have" | "need"): Verdict | null {
  const { rest } = predicate;
  const text = lowerText(rest);
  const first = rest[0]?.lower ?? "";
  if (verb === "need") return first === "to" && !CHAT_VERBS.has(rest[1]?.lower ?? "") ? APPOINTMENT : null;
  if (rest.length === 0 || PRONOUN_OBJECTS.has(first) || isLightObject(rest)) return null;
  const nouns = rest.map((word) => word.lower);
  if (nouns.some((noun) => EVENT_NOUNS.has(noun)) && !/\b(?:allergy|experience)\b/.test(text))
    return FREQUENCY.test(text) ? FACT : APPOINTMENT;
  if (/\b(?:appointments?|to)\b/.test(nouns.slice(1, 5).join(" ")) && !/\ballerg/.test(text)) return null;
  if (
    nouns.slice(0, 5).some((noun) => RELATIVES.has(noun) || PETS.has(noun)) ||
    /\b(?:allerg|intoleran|diabetes|asthma|degree|phd|condition|disease|disorder|adhd|siblings|celiac)/.test(text)
  )
    return TRAIT;
  const isCounted =
    /^(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d[\d,.]*|several|many|no|my|our|any)$/.test(first) ||
    isCapitalised(rest[0]);
  if (predicate.isNegated && subject.role === "self") return isCounted || rest.length <= 3 ? FACT : null;
  return isCounted ? FACT : null;
}

function judgeWanting(rest: readonly Word[]): Verdict | null {
  const [first, second, third] = rest.map((word) => word.lower);
  if (first === "to")
    return second !== undefined &&
      rest.length > 2 &&
      (!CHAT_VERBS.has(second) || (second === "be" && /^(?:a|an)$/.test(third ?? ""))) &&
      !/^(?:come|thank)$/.test(second) &&
      !/^(?:it|that|this|you|them|your)$/.test(third ?? "")
      ? FACT
      : null;
  return null;
}

function judgeGoing(rest: readonly Word[], text: string): Verdict | null {
  if (!/^(?:to|by)\b/.test(text)) return FREQUENCY.test(text) && rest.length > 2 ? FACT : null;
  if (/^by\b/.test(text)) return { ...TRAIT };
  if (FREQUENCY.test(text)) return FACT;
  return /^to (?:\w+ ){0,3}(?:school|university|college|church|mosque|synagogue|temple|therapy)\b/.test(text)
    ? FACT
    : null;
}

/** What a project, an organisation or a named person does in the present. */
function judgeThing(predicate: Predicate, subject: Subject): Verdict | null {
  const { verb, rest } = predicate;
  if (
    verb === null ||
    rest.length === 0 ||
    hasPronounObject(rest) ||
    isLightObject(rest) ||
    (predicate.isNegated && subject.role === "own" && !isLastingVerb(verb))
  )
    return null;
  const isKnown =
    isLastingVerb(verb) ||
    /^(?:start|begin|end|expire|cost|support|require|include|contain|provide|cover|close|open|launch|run|allow|accept|return|connect|rely|weigh|measure|consist|offer|focus|call|listen|expose|happen|arrive|leave|depart|last)$/.test(
      verb,
    );
  if (!isKnown || EVALUATIVE.has(rest[0]?.lower ?? "")) return null;
  return { kind: "fact", isStatic: subject.role === "person" && STATIC_VERBS.has(verb) };
}

function judgePast(predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  if (
    predicate.isNegated ||
    rest.length === 0 ||
    predicate.adverbs.includes("almost") ||
    predicate.adverbs.includes("nearly")
  )
    return null;
  const text = lowerText(rest);
  if (verb === null) return hasPronounObject(rest) ? null : { ...EPISODE, needsDate: true };
  if (
    isLikingVerb(verb) ||
    /^(?:be|say|tell|think|know|feel|want|need|hear|hope|wish|guess|believe|mean|understand|wonder|suppose|bet|appreciate|look|seem|sound|help|let|ask|remember|notice|forget|show|talk|love|walk|try|realize|expect|dream|come|fall|change|turn|call|wait)$/.test(
      verb,
    )
  ) {
    const isDatedEvent =
      /^(?:try|hear|show|walk|call|come|talk)$/.test(verb) && !hasPronounObject(rest) && !isLightObject(rest);
    return isDatedEvent ? { ...EPISODE, needsDate: true } : null;
  }
  if (/^(?:it|that|this|those|these|him|her|them|you|here|there|so|your|how|what)$/.test(rest[0]?.lower ?? ""))
    return null;
  if (verb === "grow") return /^up (?:in|on|near|with|as)\b/.test(text) ? TRAIT : null;
  if (verb === "graduate" || verb === "major") return /^(?:from|in|with|at)\b/.test(text) ? TRAIT : { ...EPISODE };
  if (isLightObject(rest)) return null;
  if (verb === "get")
    return /^(?:a|an|my|our|two|three|married|engaged|divorced|promoted|fired|hired|accepted|laid|diagnosed|into)\b/.test(
      text,
    )
      ? EPISODE
      : null;
  if (verb === "have")
    return /\b(?:surgery|baby|operation|accident|stroke|heart attack|son|daughter|twins)\b/.test(text)
      ? EPISODE
      : { ...EPISODE, needsDate: true };
  if (verb === "make" || verb === "take" || verb === "give")
    return /^(?:a|an|my|our|up|part|some|the|two|three)\b/.test(text) ? EPISODE : null;
  if (verb === "go")
    return /^(?:to|on|through|camping|hiking|swimming|skiing|fishing|shopping|climbing|kayaking|surfing|vegan|vegetarian)\b/.test(
      text,
    ) || FREQUENCY.test(text)
      ? EPISODE
      : { ...EPISODE, needsDate: true };
  if (verb === "start" || verb === "begin" || verb === "stop" || verb === "quit")
    return /^(?:to|feeling|thinking|wondering|talking|crying|laughing|off|out)\b/.test(text) ? null : EPISODE;
  if (verb === "decide" || verb === "agree" || verb === "choose")
    return /^(?:to|on|not|that|against|a|the|our)\b/.test(text) || isCapitalised(rest[0]) ? EPISODE : null;
  return isEventVerb(verb) ? EPISODE : { ...EPISODE, needsDate: true };
}

function judgePerfect(predicate: Predicate): Verdict | null {
  const { verb, rest, frame } = predicate;
  if (verb === null || rest.length === 0) return null;
  const text = lowerText(rest);
  if (/^(?:think|wonder|hear|feel|see|mean|do|get|say|tell|look|notice|want|know|try|talk|find|come)$/.test(verb)) {
    const isExperience =
      (verb === "do" || verb === "know" || verb === "see" || verb === "try") &&
      DURATION.test(text) &&
      !hasPronounObject(rest);
    return isExperience && !predicate.isNegated ? FACT : null;
  }
  if (hasPronounObject(rest) || isLightObject(rest)) return null;
  if (DURATION.test(text) && (isLastingVerb(verb) || /^(?:have|be|own)$/.test(verb)))
    return { kind: "fact", isStatic: /^(?:live|work)$/.test(verb) };
  if (frame === "perfect-progressive") return isLastingVerb(verb) || PROGRESSIVES.has(verb) ? FACT : null;
  if (predicate.isNegated) return predicate.adverbs.includes("never") && isEventVerb(verb) ? FACT : null;
  return isEventVerb(verb) && !/^(?:have|take|make|get|give)$/.test(verb) ? EPISODE : null;
}

function judgeFuture(predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  if (verb === null || predicate.isNegated || predicate.adverbs.includes("probably") || rest.length === 0) return null;
  if (verb === "be" || TEMPORARY_PROGRESSIVES.has(verb)) return APPOINTMENT;
  if (hasPronounObject(rest) || isLightObject(rest)) return null;
  if (!PLANS.has(verb)) return isEventVerb(verb) ? APPOINTMENT : null;
  return predicate.group.includes("going to") ? FACT : PLAN;
}

function judgeAbility(predicate: Predicate): Verdict | null {
  const { verb, rest } = predicate;
  if (verb === null || hasPronounObject(rest) || isLightObject(rest)) return null;
  if (predicate.isNegated)
    return INABILITIES.has(verb) && (rest.length > 0 || /^(?:swim|drive|cook|dance|sing)$/.test(verb))
      ? verb === "stand" || verb === "bear"
        ? LIKING
        : TRAIT
      : null;
  return ABILITIES.has(verb) && rest.length > 0 && rest.length <= 6 ? TRAIT : null;
}

function hasPronounObject(rest: readonly Word[]): boolean {
  const first = rest[0]?.lower ?? "";
  if (first === "the") return false;
  const second = rest[1]?.lower ?? "";
  return (
    PRONOUN_OBJECTS.has(first) ||
    (/^(?:to|for|with|on|at|in|about|of|from|like|by)$/.test(first) &&
      /^(?:it|that|this|these|those|him|her|them|you|there|here)$/.test(second))
  );
}

/** "a lot of fun", "a great time": the noun says nothing. Looks at the first words only. */
function isLightObject(rest: readonly Word[]): boolean {
  return rest
    .slice(0, 3)
    .some(
      (word, index) =>
        LIGHT_OBJECTS.has(word.lower) && (index < 2 || !/^(?:of|in|at|to|for|from|with)$/.test(rest[1]?.lower ?? "")),
    );
}

function lowerText(words: readonly Word[]): string {
  return words.map((word) => word.lower).join(" ");
}

/** Whether a word starts a verb phrase that can share the subject of the clause before it. */
export function sharesSubject(word: string, tense: "base" | "past" | "third"): boolean {
  return readVerb(word, tense) !== null;
}
