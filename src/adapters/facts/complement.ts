import {
  EVALUATIVE,
  EVENT_NOUNS,
  INTERESTS,
  LASTING_ADJECTIVES,
  LASTING_PARTICIPLES,
  PETS,
  RELATIVES,
} from "./nouns.js";
import type { Predicate } from "./predicate.js";
import type { Subject } from "./subject.js";
import { isHabitual, isPointing, lowerText } from "./objects.js";
import { DATED_EPISODE, EPISODE, FACT, LIKING, STAY, TRAIT, type Verdict } from "./verdict.js";
import { isEventVerb, readVerb } from "./verbs.js";
import { isCapitalised, type Word } from "./words.js";

const ARTICLES = new Set(["a", "an", "the", "one", "also"]);
/** Things whose value may be any word. */
const CODE_THINGS = new Set([
  "password",
  "port",
  "key",
  "address",
  "url",
  "branch",
  "domain",
  "endpoint",
  "username",
  "handle",
  "email",
]);
const NATURE_NOUNS = new Set("fan lover enthusiast addict".split(" "));
/** What happens to things and people once. */
const DONE_TO =
  /^(?:stolen|sold|killed|damaged|destroyed|repaired|cancell?ed|postponed|rescheduled|approved|rejected|delivered|moved to|hospitali[sz]ed|operated on|adopted|inspected|serviced)\b/;
const ARRANGED = /^(?:scheduled|due|booked|reserved|planned|set)$/;
/** Works, which are about something. */
const WORKS =
  /^(?:thesis|dissertation|book|podcast|blog|channel|research|project|paper|novel|course|phd|app|study|startup|talk|lecture|documentary)$/;
/** "I'm not allowed to drink alcohol." */
const NOT_ALLOWED =
  /^(?:allowed|able|permitted) to (?:have|eat|drink|drive|take|work|lift|swim|fly|run|use|smoke|travel)\b/;
/** When they are one's own, their location is a fact, however it is worded. */
const PLACES = new Set(
  "home house flat apartment office studio workshop shop store garage cellar desk boat houseboat cabin cottage farm garden mooring clinic practice bedroom".split(
    " ",
  ),
);
const STATIC_OWN =
  /^(?:name|surname|nickname|birthday|birthdate|birthplace|hometown|job|title|role|position|profession|occupation|career|anniversary|religion|nationality|pronouns|language|tongue|degree|major|employer|allergy|allergies|type|heritage|roots|diet)$/;

/** Done to somebody, these are mere talk. */
const UNEVENTFUL =
  /^(?:give|take|make|get|create|meet|interview|lose|hurt|catch|reach|learn|accept|reject|pass|start|finish|complete|close|open|work|live|design|build|write|break|tear|decide|agree)$/;

/** Nobody is allergic to these, or married to them. */
const IN_JEST =
  /^(?:allergic|addicted|married|intolerant|immune) to (?:(?:my|the|all|any|this|early|hard|small) )?(?:work|job|jobs|mondays?|mornings?|meetings?|bullshit|nonsense|stupidity|drama|exercise|housework|chores|commitment|people|idiots|bad \w+|fun|effort|hard work|small talk|deadlines|e-?mails?|computer|phone|desk|office|career|business)\b/;

const KIND_OF_PERSON =
  /^an? (?:very )?(?:big|avid|huge|early|heavy|light|keen|picky|fussy|slow|bad|good) (?:reader|eater|sleeper|riser|drinker|smoker|walker|gamer|cook|swimmer|runner|cyclist|singer|dancer)$/;
/** "I'm literally a ghost", "I'm a potato before coffee": a mood, dressed up. */
function isSaidInJest({ role }: Subject, { rest, adverbs, frame }: Predicate): boolean {
  if (role !== "self" || frame !== "be" || !/^an?$/.test(rest[0]?.lower ?? "")) return false;
  return (
    adverbs.includes("literally") ||
    /\b(?:today|tonight|right now|before (?:my )?(?:first )?(?:coffee|breakfast)|this (?:week|morning))$/.test(
      lowerText(rest),
    )
  );
}

function isPointingAbout(rest: readonly Word[]): boolean {
  return /^(?:it|that|this|you|them|these|those|the)$/.test(rest[1]?.lower ?? "");
}

/** Judges "is …", "was …" and "has been …" by the complement; null for a mood, an opinion or nothing at all. */
export function judgeComplement(subject: Subject, predicate: Predicate): Verdict | null {
  const { rest, frame } = predicate;
  const first = rest[0]?.lower ?? "";
  const isNever = predicate.adverbs.includes("never");
  if (first === "") return null;
  if (frame === "was") return predicate.isNegated ? null : judgeWas(subject, rest);
  if (frame === "been") return judgeBeen(rest, predicate.isNegated && !isNever, isNever);
  if (/^\d+(?:'|ft|cm|kg|lbs?)/.test(first) || /^\d+(?:\.\d+)? ?m tall\b/.test(lowerText(rest))) return FACT;
  if (/^colou?r blind\b/.test(lowerText(rest)) || KIND_OF_PERSON.test(lowerText(rest))) return TRAIT;
  if (/^on (?:an?|the) (?:[\w-]+ ){0,2}(?:budget|waiting list|committee|council|board|team)\b/.test(lowerText(rest)))
    return FACT;
  if (/^(?:closed|open|off) /.test(lowerText(rest)) && isHabitual(lowerText(rest))) return FACT;
  if (/^more of an? \w/.test(lowerText(rest))) return LIKING;
  if (
    /^the only (?!one|ones|thing|way|person|reason|time|problem|option|solution)\w/.test(lowerText(rest)) &&
    rest.length > 2
  )
    return TRAIT;
  if (predicate.isNegated && NOT_ALLOWED.test(lowerText(rest)))
    return rest.length > 2 && !isPointing(rest.slice(3)) ? FACT : null;
  if (subject.isFavourite && /\b(?:one|option|version|part)\b/.test(lowerText(rest))) return null;
  if (subject.isFavourite) return EVALUATIVE.has(first) && rest.length < 3 && !isCapitalised(rest[0]) ? null : LIKING;
  if (subject.role === "own" && (STATIC_OWN.test(subject.head) || subject.head === "age"))
    return isEvaluativePhrase(rest) ? null : { ...TRAIT, isStatic: subject.head !== "age" };
  if (/^(?:part|member) of (?:a|an|the|my|our)\b|^friends with \S/.test(lowerText(rest)) && rest.length > 3)
    return FACT;
  const interest = INTERESTS.get(first);
  if (interest) return judgeInterest(interest, rest);
  if (IN_JEST.test(lowerText(rest)) || isSaidInJest(subject, predicate)) return null;
  if (predicate.adverbs.includes("all") && first === "about" && rest.length > 1 && !isPointingAbout(rest))
    return LIKING;
  if (LASTING_ADJECTIVES.has(first) || /^(?:intolerant|allergic)$/.test(rest[1]?.lower ?? "")) return TRAIT;
  if (
    /^\d{1,3}$/.test(first) ||
    /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:-\w+)?$/.test(
      first,
    )
  )
    return judgeNumber(subject, rest);
  if (rest.slice(0, 5).some((word) => NATURE_NOUNS.has(word.lower)) && ARTICLES.has(first))
    return /\bof (?:it|them|this|that|him|her|yours)\b/.test(lowerText(rest)) ? null : LIKING;
  if (/^(?:an only child|hard of hearing)\b/.test(lowerText(rest))) return TRAIT;
  if (subject.role === "self" && isTogetherWith(rest)) return FACT;
  if (first === "half" && isCapitalised(rest[1])) return TRAIT;
  if (/^(?:on the board of|in charge of|between jobs|out of work)\b(?! (?:it|this|that)\b)/.test(lowerText(rest)))
    return FACT;
  if (subject.role === "own" && /^up (?:in|on|at)\b/.test(lowerText(rest))) return { ...FACT, needsDate: true };
  if (
    /^(?:closed|shut|unavailable|away|abroad|off|off work|out|out of office|out of the office|on call|on duty|gone|back (?:at|in|from|to) (?:the )?\w+|back) (?:(?:un)?till?|on|next|this|tomorrow|today|from|between|for)\b/.test(
      lowerText(rest),
    )
  )
    return STAY;
  if (subject.role === "own" && /^(?:down|up|back|now)$/.test(first) && /\d/.test(lowerText(rest))) return FACT;
  if (first === "about" && WORKS.test(subject.head) && rest.length > 1 && !isPointing(rest)) return FACT;
  if (isEvaluativePhrase(rest)) return null;
  if (EVENT_NOUNS.has(subject.head) && subject.role !== "relative") return FACT;
  if (CODE_THINGS.has(subject.head)) return FACT;
  if (LASTING_PARTICIPLES.has(first) && rest.length > 1) return judgeParticiple(subject, rest);
  if (/^(?:from|originally)$/.test(first)) return rest.slice(1).some(isCapitalised) ? TRAIT : null;
  if (/^(?:in|at|on|with)$/.test(first)) return judgePlace(subject, rest);
  if (ARTICLES.has(first) || /^(?:my|our|\p{L}+'s)$/u.test(first)) return judgeNounPhrase(subject, rest);
  if (subject.role === "self")
    return isCapitalised(rest[0]) && rest.length <= 3 && rest.every(isCapitalised) ? TRAIT : null;
  if (subject.role === "you") return null;
  if (subject.role === "relative") {
    const areSomething = subject.isPlural && rest.length === 1 && /[^s]s$/.test(first);
    return areSomething || (isCapitalised(rest[0]) && rest.length <= 8) ? TRAIT : null;
  }
  if (/^(?:\d|\$|€|£)/.test(first) || isCapitalised(rest[0])) return FACT;
  return subject.role === "own" && rest.length >= 1 && !/^(?:\w+ing|\w+ed)$/.test(first) ? FACT : null;
}

/** "I'm together with Anna since 2020." */
function isTogetherWith(rest: readonly Word[]): boolean {
  const name = /^together with (?:\S+ ?){1,2}?(?:since .+)?$/.exec(lowerText(rest)) ? rest.slice(2) : [];
  return isCapitalised(name[0]) && (name.length === 1 || isCapitalised(name[1]) || name[1]?.lower === "since");
}

function judgeNumber(subject: Subject, rest: readonly Word[]): Verdict | null {
  const second = rest[1]?.lower ?? "";
  const isAge = rest.length === 1 || /^(?:years?|now|and|months?|weeks?|today)$/.test(second);
  if (subject.role === "self" || subject.role === "relative" || subject.role === "you")
    return isAge || /^(?:cm|kg|feet|foot|pounds|lbs|meters|metres)$/.test(second) ? FACT : null;
  return FACT;
}

function judgeParticiple(subject: Subject, rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const second = rest[1]?.lower ?? "";
  if (/^(?:it|that|this|by (?:it|that)|up|out)$/.test(second)) return null;
  const isPerson = subject.role === "self" || subject.role === "relative" || subject.role === "you";
  if (isPerson)
    return /^(?:called|named|based|located|born|diagnosed|enrolled|employed|trained|certified|registered|scheduled|licensed|due)$/.test(
      first,
    )
      ? { ...TRAIT, isStatic: !/^(?:scheduled|due)$/.test(first), needsDate: first === "due" }
      : null;
  return { ...FACT, isStatic: /^(?:called|named)$/.test(first), isTemporary: ARRANGED.test(first) };
}

function judgeInterest(prepositions: readonly string[], rest: readonly Word[]): Verdict | null {
  const preposition = rest[1]?.lower ?? "";
  if (prepositions.length > 0 && !prepositions.includes(preposition)) return null;
  const object = rest[prepositions.length > 0 ? 2 : 1];
  if (!object || /^(?:it|that|this|these|those|you|your|what|how|hearing|seeing)$/.test(object.lower)) return null;
  return LIKING;
}

/** A named place, or a lasting condition such as "on a keto diet"; null for most others. */
function judgePlace(subject: Subject, rest: readonly Word[]): Verdict | null {
  const first = rest[0]?.lower ?? "";
  const text = lowerText(rest);
  if (
    /^(?:in (?:my|his|her|their) (?:early |mid |late |mid-)?\w*\d0'?s|on (?:a|the) [\w-]+ diet|on medication|in remission|in a (?:wheelchair|(?:[\w-]+ )?relationship)|in the (?:\w+ ){1,2}time ?zone)/.test(
      text,
    )
  )
    return FACT;
  if (/^(?:in|on|at|with) .*\b(?:until|till)\b/.test(text)) return STAY;
  if (/^on (?:vacation|holiday|leave|call|a business trip|maternity leave|paternity leave)/.test(text)) return STAY;
  const object = rest.find((word, index) => index > 0 && !/^(?:the|a|an)$/.test(word.lower));
  if (subject.role === "self" || subject.role === "relative") {
    return first === "in" && isCapitalised(object) ? STAY : null;
  }
  if (subject.role === "you") return null;
  if (subject.role === "own" && PLACES.has(subject.head) && object && !EVALUATIVE.has(object.lower)) return FACT;
  return isCapitalised(object) || /\d|\w\.\w+/.test(text) || EVENT_NOUNS.has(subject.head) ? FACT : null;
}

function judgeNounPhrase(subject: Subject, rest: readonly Word[]): Verdict | null {
  const text = lowerText(rest);
  const phrase = rest.slice(1);
  if (phrase.length === 0) return null;
  if (/^an? (?:family|team|couple|group|pair) of\b/.test(text)) return null;
  if (/\b(?:way|thing|time|day|reason|bit|lot|sign|idea|place to|moment)\b/.test(text)) return null;
  if (/^(?:my|our) favou?rite\b/.test(text)) return LIKING;
  if (/^(?:my|our)\b/.test(text))
    return phrase.some((word) => RELATIVES.has(word.lower) || PETS.has(word.lower)) || subject.role === "person"
      ? TRAIT
      : null;
  if (subject.role === "self" || subject.role === "you")
    return /^the (?:one|same|first|last|next|only (?:one|thing|way|person|reason))\b/.test(text) ? null : TRAIT;
  if (subject.role === "relative") return TRAIT;
  return { ...FACT, isStatic: subject.role === "person" };
}

function judgeWas(subject: Subject, rest: readonly Word[]): Verdict | null {
  const text = lowerText(rest);
  if (/^(?:born|raised)\b/.test(text)) return rest.length > 1 ? TRAIT : null;
  if (/^(?:diagnosed|promoted|hired|accepted|laid off|fired|elected|awarded|admitted|appointed|invited)\b/.test(text))
    return EPISODE;
  if (/^(?:bitten|stung|robbed|mugged|burgled|scammed) (?:by|in|at|on|last)\b/.test(text)) return EPISODE;
  if (/^in (?:the )?(?:army|navy|military|air force|marines|hospital|prison|jail|foster care|rehab|coma)\b/.test(text))
    return EPISODE;
  if (LASTING_ADJECTIVES.has(rest[0]?.lower ?? "") && /^\S+ (?:for|until|before|from) /.test(text)) return FACT;
  if (subject.role === "relative" && /^an? [\w-]+(?: \w+)?$/.test(text) && !isEvaluativePhrase(rest)) return FACT;
  if (subject.role !== "self" && DONE_TO.test(text)) return EPISODE;
  if (/^(?:stationed|employed|enrolled|based|posted|registered|married|engaged) (?:in|at|as|with|to|for)\b/.test(text))
    return FACT;
  if (
    /^(?:founded|built|written|designed|created|established|acquired|released|launched|renamed|named)\b/.test(text) &&
    rest.length > 1
  )
    return FACT;
  const done = readVerb(rest[0]?.lower ?? "", "participle");
  if (done !== null && isEventVerb(done) && !UNEVENTFUL.test(done) && rest.length > 1) return EPISODE;
  if (isEvaluativePhrase(rest)) return null;
  if (
    /^(?:a|an|the) /.test(text) &&
    /\b(?:for|until|from|in|at|of|before|back) /.test(text) &&
    !/\b(?:way|thing|time|day|bit|lot)\b/.test(text)
  )
    return subject.role === "thing" ? null : FACT;
  if (/^(?:in|at) /.test(text) && rest.some((word, index) => index > 0 && isCapitalised(word))) return DATED_EPISODE;
  return null;
}

function judgeBeen(rest: readonly Word[], isNegated: boolean, isNever: boolean): Verdict | null {
  if (isNegated) return null;
  const text = lowerText(rest);
  if (text.startsWith("to ")) return rest.slice(1).some(isCapitalised) ? EPISODE : null;
  const first = rest[0]?.lower ?? "";
  const lasts = /\b(?:since|for) |\bever since$/.test(text);
  if (isNever && rest.length > 1 && !EVALUATIVE.has(first) && !/^(?:told|asked|able|sure|one)$/.test(first))
    return FACT;
  if (LASTING_ADJECTIVES.has(first)) return TRAIT;
  if (LASTING_PARTICIPLES.has(first) || /^(?:diagnosed|promoted|hired|accepted)$/.test(first))
    return rest.length > 1 ? FACT : null;
  return lasts && /^(?:a|an|the|in|at|with|my|together|friends|best)$/.test(first) && !isEvaluativePhrase(rest)
    ? FACT
    : null;
}

function isEvaluativePhrase(rest: readonly Word[]): boolean {
  const phrase = rest.filter((word) => !ARTICLES.has(word.lower)).slice(0, 1);
  if (EVALUATIVE.has(rest[0]?.lower ?? "")) return true;
  return phrase.some((word) => EVALUATIVE.has(word.lower) && !isCapitalised(word));
}
