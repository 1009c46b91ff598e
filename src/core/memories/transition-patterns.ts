import { TOOL_ROLE } from "./ending-patterns.js";

/** What a transition does with what it names: that decides which statements of the former value it can end. */
export type TransitionKind =
  /** Something or somebody is somewhere else. */
  | "move"
  /** Something is done with or by something else. */
  | "switch"
  | "rename"
  /** Something is done with something else. */
  | "replace"
  /** Somebody works or belongs elsewhere. */
  | "leave"
  /** A figure is another. */
  | "set";

/**
 * How a transition that names both sides is phrased. Groups: `s` who or what changed, `t` the thing that somebody changed, `f`
 * the former value, `p` the present one.
 */
export interface TransitionPattern {
  readonly kind: TransitionKind;
  readonly form: RegExp;
  /** Only a statement that itself says that something changed. */
  readonly needsChange?: true;
  /** Only where the present value has this shape: who leaves Bosch for the airport comes back. */
  readonly needs?: RegExp;
  /** What it certainly tells of what took the place of the former value, if not all: that somebody has it, or nothing. */
  readonly tells?: "possession" | "nothing";
}

/** Colons occur in times only, commas in figures. */
const PART = "(?:[^,:;()]|[:,]\\d)";
const S = `(?<s>${PART}{1,60}?)`;
const T = `(?<t>${PART}{1,60}?)`;
const F = `(?<f>${PART}{1,60}?)`;
const P = `(?<p>${PART}{1,80})`;
const HAS = "(?:has |have )?(?:finally |fully |completely |officially |already )?";
const WAS = "(?:was|were|has been|have been|got|is|are) (?:finally |fully |completely |officially |already )?";
const FROM_TO = `,? from ${F} (?:over )?to ${P}`;
const AWAY = "(?: over| away)?";

const MOVED = "(?:moved|shifted|transferred|relocated|postponed|rescheduled|pushed|brought forward)";
const SWITCHED = "(?:switched|migrated|changed|ported|converted|rewrote|rewritten|transitioned|rerouted|redirected)";
const SET =
  "(?:raised|increased|lowered|reduced|decreased|cut|bumped|extended|shortened|upgraded|updated|downgraded|doubled|lengthened)";
const WENT = "(?:went (?:up|down)|rose|fell|dropped|grew|increased|decreased|shrank|climbed|sank)";
const RENAMED = "(?:renamed|rebranded|relabell?ed|retitled)";
const REPLACED = "(?:replaced|swapped out)";
const TRADED = "(?:swapped|exchanged|traded)";
const GAVE_UP = "(?:ditched|dropped)";
/** The present value is certainly an employer: who joins Paul, or is with Tom, need not work there. */
const AT_WORK =
  "(?:to work (?:at|for)|(?:and|then|and then) (?:has |have )?(?:now )?(?:works? (?:at|for)|started (?:work|working|a job) at))";
const JOINED =
  "(?:to join|(?:and|then|and then) (?:has |have )?(?:now )?(?:joined|started (?:at|with)|is (?:now )?(?:at|with)))";

function form(body: string): RegExp {
  return new RegExp(`^${body}$`, "iu");
}

/** Each word has a capital, a digit or a mark that plain words have not. */
const NAME_WORD = "[\\p{Ll}'’&]*[\\p{Lu}\\d._/-]\\S*";
const NAMED = `["'“‘\`]?(?:the )?${NAME_WORD}(?: (?:(?:of|the|and|&|de|la|le|van|von) )?${NAME_WORD})*`;
export const NAME = new RegExp(`^${NAMED}$`, "u");
/** What somebody left a job for, if it is surely one: not a company retreat, and not the bank. */
const EMPLOYER =
  /^(?:an? (?:[\p{L}-]+ ){0,3}(?:startup|start-up|company|firm|agency|competitor|rival|bank|lab)|(?:\p{Lu}\S* ){1,3}(?:Inc|GmbH|AG|Ltd|LLC|PLC|Corp|Labs?|Group|Bank)\.?)(?: (?:called|named) \p{Lu}.*| (?:in|from|near) \p{Lu}\S*)?$/u;

/** In the order they are tried; the first that fits is taken. */
export const TRANSITIONS: readonly TransitionPattern[] = [
  { kind: "rename", form: form(`${S} ${HAS}${RENAMED} ${T} from ${F} (?:to|as|into) ${P}`) },
  { kind: "rename", form: form(`${S} ${HAS}changed the name of ${T} from ${F} to ${P}`) },
  { kind: "rename", form: form(`${S} ${HAS}changed ${T}'s name from ${F} to ${P}`) },
  { kind: "rename", form: form(`${T} ${WAS}${RENAMED} from ${F} (?:to|as|into) ${P}`) },
  { kind: "rename", form: form(`${F} ${WAS}${RENAMED} (?:to|as|into) ${P}`) },
  { kind: "rename", needs: NAME, form: form(`${F} ${WAS}${RENAMED} ${P}`) },
  { kind: "rename", form: form(`${F} ${HAS}rebranded (?:itself )?(?:to|as|into) ${P}`) },
  { kind: "rename", form: form(`${S} ${HAS}${RENAMED} ${F} (?:to|as|into) ${P}`) },
  { kind: "rename", needsChange: true, needs: NAME, form: form(`${F} (?:is|are) (?:called|named|known as) ${P}`) },
  ...(["move", "switch"] as const).flatMap((kind): readonly TransitionPattern[] => {
    const verb = kind === "move" ? MOVED : SWITCHED;
    return [
      { kind, form: form(`${T} ${WAS}${verb}${AWAY}${FROM_TO}`) },
      { kind, form: form(`${S} ${HAS}${verb}${AWAY}${FROM_TO}`) },
      { kind, form: form(`${S} ${HAS}${verb} ${T}${AWAY}${FROM_TO}`) },
    ];
  }),
  { kind: "set", form: form(`${T} ${WAS}${SET}${FROM_TO}`) },
  { kind: "set", form: form(`${S} ${HAS}${SET} ${T}${FROM_TO}`) },
  { kind: "set", form: form(`${T} ${HAS}${WENT}${FROM_TO}`) },
  // Whoever replaced the CTO may also be those who dismissed him: "the board", "Globex".
  {
    kind: "replace",
    tells: "nothing",
    form: form(`${F} ${WAS}(?:replaced|succeeded) by (?<p>${PART}{1,60}?) as ${T}`),
  },
  // "Postgres was replaced by Tim"
  { kind: "replace", tells: "nothing", form: form(`${F} ${WAS}(?:replaced|superseded) by ${P}`) },
  { kind: "replace", form: form(`${F} ${WAS}(?:replaced|superseded) with ${P}`) },
  { kind: "replace", form: form(`${S} ${HAS}${REPLACED} ${F} (?:with|by|for|in favou?r of) ${P}`) },
  // "I swapped my Volvo with Ana" names the other owner, and "for a Brompton" need be no car.
  { kind: "replace", tells: "possession", form: form(`${S} ${HAS}${TRADED} ${F} (?:for|in favou?r of) ${P}`) },
  { kind: "replace", form: form(`${S} ${HAS}${GAVE_UP} ${F} in favou?r of ${P}`) },
  {
    kind: "replace",
    tells: "nothing",
    form: form(`(?<p>${PART}{1,60}?) ${HAS}(?:replaced|succeeded|(?:took|taken) over from) ${F} as ${T}`),
  },
  { kind: "leave", form: form(`${S} ${HAS}(?:left|quit|resigned from) ${F} ${AT_WORK} ${P}`) },
  { kind: "leave", tells: "nothing", form: form(`${S} ${HAS}(?:left|quit|resigned from) ${F} ${JOINED} ${P}`) },
  { kind: "leave", needs: EMPLOYER, form: form(`${S} ${HAS}(?:left|quit|resigned from) ${F} for ${P}`) },
];

/** "We went back to Jenkins": what that replaces is known from when it was given up. */
export const BACK_TO = form(`${S} ${HAS}(?:(?:went|gone)|(?:switched|moved|migrated|changed)(?: ${T})?) back to ${P}`);

/** "Builds: Jenkins → Buildkite" */
export const ARROW = /^(?<t>[^:?→\n]{1,60}): ?(?<f>[^:;?→\n]{1,60}?) ?(?:→|->|=>|-->) ?(?<p>[^:;?→\n]{1,60})$/u;

/** What says when it happened, at the beginning. */
export const WHEN_FIRST =
  /^(?:(?:last|this) (?:week|month|year|quarter|spring|summer|autumn|fall|winter|weekend|\p{L}+day)|recently|finally|today|(?:on|in|since|as of) (?:[^,]{0,20}?\d{1,4}|\p{L}+day|(?:early |mid-?|late )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}{0,6})),? (?=(?:we|i|the|our|my)\b)/iu;
/** Why or since when, at the end. */
export const WHY_LAST =
  /,? (?:because|so that|due to|thanks to|to (?:save|cut|reduce|get|avoid)|effective|as of|with effect)\b[^]*$/iu;
/** It was undone, or was not meant to last. */
export const UNDONE =
  /\b(?:revert(?:ed|ing)?|undid|undone|roll(?:ed|ing)? (?:\p{L}+ )?back|(?:went|came|gone|switched|moved|changed) back|back to|returned|by (?:mistake|accident)|accidentally|trial|as a test|for (?:an?|the|one|two|three|this|some) (?:\p{L}+ )?(?:moment|minute|hour|day|night|week|weekend|fortnight|month|year|quarter|season|summer|winter|semester|term|sprint|while|bit|time|trial|test|try|change|demo|experiment|event|trip|visit|meeting|talk|show|party|holiday|game)s?|(?:is|was) (?:ill|sick|injured|hurt|away|absent|suspended|on (?:leave|holiday|vacation))|until|temporar\p{L}+)\b/iu;
/** Of something that takes place at times, only one of them changed. */
export const ONE_TIME =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:week|month|time|\p{L}+day)|on (?:the |\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|because)|\btoday'?s\b/iu;
/** Which of its uses changed, at the end. */
export const FOR_LAST = / (?:for|as) (?<k>[^,:;()]{1,40})$/iu;
/** One of several, not the present one, one that stays for life, or a place that somebody who moves may keep. */
export const NOT_THE_ONE =
  /\b(?:backup|old|former|previous|second|other|favou?rite|spare|first|ex|native|home ?town|birth ?place|nationality|languages?|tongue|origins?|name|surname|offices?|flat|apartment|house|home|school|university|shop|garage|garden|club)\b/iu;
/** What somebody has one of at a time, and exchanges. */
export const EXCHANGED_ROLE =
  /\b(?:editor|ide|browser|search engine|terminal|shell|operating system|database|framework|library|tool|app|client|platform|gateway|host(?:ing)?|provider|carrier|operator|network|bank|broker|insurer|insurance|supplier|vendor|plan|subscription|gym|phone|laptop|computer|tablet|camera|keyboard|car|bike|calendar|password manager|backup service|tracker|dentist|doctor|gp|therapist|accountant|lawyer|hairdresser|vet|landlord|tutor)$/iu;
/** Such a person, of whom a name alone does not tell that somebody has this profession. */
export const PRACTITIONER = /\b(?:dentist|doctor|gp|therapist|accountant|lawyer|hairdresser|vet|landlord|tutor)$/iu;
/** What a group has one of at a time; its members may use others. */
export const TOOL_OF_GROUP = new RegExp(`^(?:${TOOL_ROLE})$`, "iu");
/** A place that somebody moves from. */
export const PLACE_OF_ONES_OWN =
  /\b(?:city|town|village|country|county|state|region|district|neighbou?rhood|location|base|address)$/iu;
