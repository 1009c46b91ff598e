import { fold } from "../../language/words.js";
import { spellOut } from "./near-duplicates.js";

/** A text that says how something is now, with everything around that removed. */
export interface Statement {
  /** In the third person and positive: `I no longer live in Lyon` is `User lives in Lyon`. */
  readonly text: string;
  /** The same including its final date, which may be what it states. */
  readonly dated: string;
  /** It says that this does not hold. */
  readonly isNegative: boolean;
  /** It itself says that something has changed. */
  readonly isChange: boolean;
  /** The only place or time at which it holds, folded; empty for always. */
  readonly scope: string;
  /** Since when it holds, as ISO year, month or day, if the text says so. */
  readonly since: string | null;
  /** `since` was given with that very word, so the text is about now. */
  readonly hasSince: boolean;
}

const LONGEST = 240;
const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAYS = "mon|tues|wednes|thurs|fri|satur|sun";

const OPENING =
  /^(?:(?:actually|correction|update|sorry|no wait|oh wait|wait|as of (?:now|today)|from now on|now|currently|nowadays|these days)\s*[,:-]\s*|(?:well|by the way|fyi|note|remember)\s*[,:-]\s*|(?:as of now|from now on|nowadays|these days|currently|now) (?=\S))/i;
const PLAIN_OPENING = /^(?:well|by the way|fyi|note|remember)/i;
const ABBREVIATION = /\b(Dr|Mr|Mrs|Ms|Prof|St|Ltd|Inc|Co|No|Jr|Sr)\./g;

/** What makes a text a guess, a plan, a recollection, a report, a comparison or an addition. */
const NOT_ABOUT_NOW = new RegExp(
  "\\b(?:maybe|perhaps|possibly|probably|likely|supposedly|apparently|allegedly|reportedly|might|could|would|should|shall|ought|must|" +
    "needs?|needed|if|unless|whether|wants?|wanted|wish(?:es)?|plans? (?:to|on)|(?<!\\bfor )planning(?! (?:meetings?|calls?|sessions?|workshops?|days?|poker|boards?|tools?|teams?|docs?|sheets?)\\b)|intends?|hop(?:e|es|ing)|thinks?|thinking|considers?|" +
    "considering|wonders?|wondering|dreams?|dreaming|pretends?|imagines?|going to|about to|trying|tries|used to|formerly|previously|" +
    "in the past|back then|back in|at th(?:e|at) time|until|till|once|ever|originally|initially|growing up|" +
    "as an? (?:child|kid|teenager|student|teen)|for now|for the (?:moment|time being|summer|winter|day|week|weekend|month|year)|for an? (?:while|day|week|month|year)|temporar\\w+|" +
    "sometimes|often|usually|mostly|mainly|occasionally|rarely|seldom|hardly|barely|partly|half|part[- ]time|also|too|as well|either|" +
    "additionally|besides|another|both|one of|among|says?|said|told|tells|claims?|claimed|heard|believes?|guess(?:es)?|supposes?|almost|nearly|not|never|without|" +
    "neither|nor|nothing|nobody|more than|less than|\\w+er than|years? ago|decades? ago|character|novel|fictional|alternat\\w+|" +
    "in (?:his|her|their) (?:youth|childhood|teens|twenties|thirties|forties)|this (?:week|month|year|summer|winter|spring|autumn|fall|semester|quarter|weekend|morning|evening)|" +
    "tonight|tomorrow|yesterday|next (?:week|month|year|summer|winter|spring|autumn|fall|time)|joke|joking)\\b",
  "i",
);
/** These are also names when capitalised. */
const NOT_ABOUT_NOW_SMALL = /\b(?:may|will)\b/;
const RANGE = new RegExp(
  `\\b(?:from|between) (?:[^,]*\\d{4}[^,]* (?:to|and|until|till|-)|(?:${MONTHS}|(?:${DAYS})day|summer|winter|spring|autumn)s? (?:to|and|until|-)) `,
  "i",
);
const RESCHEDULED = /\b(?:moved|postponed|rescheduled|pushed|delayed|changed|slipped|brought forward)\b/i;

const SCOPE = new RegExp(
  "\\s*,?\\s*\\b(?:at (?:work|home|school|night|university|college|weekends|the (?:office|weekend))|" +
    `on (?:weekends|weekdays|weeknights|holidays?|vacation|business|trips|the (?:go|road|weekend)|(?:${DAYS})days)|` +
    "in (?:the )?(?:summers?|winters?|spring|autumn|fall|mornings?|evenings?|afternoons?|public|private|meetings)|" +
    "(?:during|while|when|whenever|every|each|before|after) [\\p{L}\\p{N}' -]+|abroad)\\b",
  "giu",
);

const EVERY_DAY = new RegExp(`^(?:every|each) ((?:${DAYS})day)$`);

const NOW =
  /\s*,?\s*\b(?:now|currently|presently|nowadays|these days|at the moment|right now|as of (?:now|today)|recently|just|again|today)\b(?!-)/gi;
const SINCE = new RegExp(
  `\\s*,?\\s*\\b(since|in the week of|(?:as of|starting|effective)(?: from)?|in|on) ((?:late |early |mid-?)?(?:(?:\\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:${MONTHS})(?: \\d{1,2}(?:st|nd|rd|th)?)?,? )?(?:19|20)\\d\\d(?:-\\d\\d(?:-\\d\\d)?)?)$`,
  "i",
);
const LAST =
  /\s*,?\s*\b(?:last (?:week|month|weekend|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:a few|two|three|several|some|\d) (?:days|weeks|months) ago|a (?:week|month) ago|earlier this (?:week|month|year))$/i;

/** Someone who no longer only does something still does it, and what is so for now or occasionally replaces nothing. */
const GOES_BEYOND =
  /\b(?:for now|now and (?:then|again))\b|\bno longer (?:only|just|merely|simply|solely|exclusively|always|really|even|both|all)\b/i;

/** Reads a text as a statement about now; null for anything else, and for text with more than one statement. */
export function readStatement(raw: string): Statement | null {
  if (raw.length > LONGEST || /[?;\n]/.test(raw) || GOES_BEYOND.test(raw)) return null;
  let text = spellOut(raw)
    .replace(/\s+/g, " ")
    .replace(ABBREVIATION, "$1")
    .trim()
    .replace(/[.!]+$/, "");
  let isChange = false;
  for (let match = OPENING.exec(text); match; match = OPENING.exec(text)) {
    isChange ||= !PLAIN_OPENING.test(match[0]);
    text = text.slice(match[0].length);
  }
  if (/[.!:] /.test(text) || text === "") return null;
  text = thirdPerson(text);
  const corrected = text.replace(
    /,? (?:and )?(?:instead of|rather than) [^,]+$|, (?:and )?not (?:(?:in|at|for|on|as|by) )?[^,]+$/i,
    "",
  );
  isChange ||= corrected !== text;
  const { text: positive, isNegative, isOver } = withoutNegation(corrected);
  text = positive.replace(/\b(?:instead)$/i, "").trim();
  isChange ||= isOver || text !== positive;
  text = text.replace(/\bwill (launch|ship|start|begin|end|open|close|happen|expire)\b/, (_, verb: string) =>
    present(verb),
  );
  const isRescheduled = RESCHEDULED.test(text);
  if (RANGE.test(text) && !isRescheduled) return null;
  const today = text.replace(NOW, "");
  isChange ||= /\b(?:now|currently|nowadays|these days|right now|as of|recently|just|again)\b/i.test(text);
  text = today.replace(/^\s*,?\s*/, "").replace(/\s+,/g, ",");
  if (NOT_ABOUT_NOW.test(text) || NOT_ABOUT_NOW_SMALL.test(text)) return null;
  text = text.replace(LAST, "");
  const since = SINCE.exec(text);
  const dated = text;
  if (since) text = text.slice(0, since.index);
  const scopes: string[] = [];
  text = text.replace(SCOPE, (found, offset: number) => {
    if (offset === 0) return found;
    scopes.push(fold(found.replace(/^[\s,]+/, "")).replace(EVERY_DAY, "on $1s"));
    return "";
  });
  return {
    text: text.trim(),
    dated: dated.trim(),
    isNegative,
    isChange,
    scope: scopes.sort().join(" "),
    since: since ? isoOf(since[2] ?? "") : null,
    hasSince: /^(?:since|as|starting|effective)/i.test(since?.[1] ?? ""),
  };
}

function thirdPerson(text: string): string {
  return text
    .replace(/^(?:the user|i)\b(?!')/i, "User")
    .replace(/^(?:my|the user's)\b/i, "User's")
    .replace(/^our\b/i, "We's")
    .replace(/^User am\b/, "User is")
    .replace(/^User have\b/, "User has");
}

/** Removes a negation of the verb; other negations stay, and make the text unfit. */
function withoutNegation(text: string): { text: string; isNegative: boolean; isOver: boolean } {
  const without = text.replace(/,? \b(?:any ?more|any longer)\b/i, "");
  const isOver = without !== text || /\bno longer\b/i.test(text);
  const positive = without
    .replace(/\b(?:does|do) no longer (\p{L}+)/iu, (_, verb: string) => present(verb))
    .replace(
      /\bno longer (live|work|like|love|use|prefer|drive|eat|have|want|need|play|drink|own|study|speak)\b/i,
      (_, verb: string) => present(verb),
    )
    .replace(/\bno longer /i, "")
    .replace(/\b(?:does|do) not (?!only\b|just\b|always\b|really\b|even\b)(\p{L}+)/iu, (_, verb: string) =>
      present(verb),
    )
    .replace(/\b(is|are|can) not (?!only\b|just\b|always\b|really\b|even\b)/i, "$1 ");
  if (positive !== without) return { text: positive, isNegative: true, isOver };
  const ended = without.replace(/\b(?:has |have )?(?:stopped|quit|gave up|given up) (?=\p{L}+ing\b)/iu, "");
  // For a plan, "going to" would say that nothing holds yet.
  const held = ended.replace(/\bgoing to\b/i, "goes to").replace(/\busing\b/i, "uses");
  if (ended !== without) return { text: held, isNegative: true, isOver: true };
  return { text: without, isNegative: false, isOver: false };
}

function present(verb: string): string {
  const known = fold(verb);
  if (known === "have") return "has";
  if (/[^aeiou]y$/.test(known)) return `${known.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh|o)$/.test(known) ? `${known}es` : `${known}s`;
}

const MONTH_NUMBERS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The ISO form of a written date, as precise as it is: `29 April 2024` is `2024-04-29`, `2024` stays. */
export function isoOf(written: string): string | null {
  const plain = /\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b/.exec(written)?.[0];
  if (plain) return plain;
  const { year, month, day } = datePartsOf(written);
  if (year === undefined) return null;
  if (month === undefined) return String(year);
  const two = (value: number) => String(value).padStart(2, "0");
  return day === undefined ? `${year}-${two(month)}` : `${year}-${two(month)}-${two(day)}`;
}

export interface DateParts {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** 1 to 4. */
  readonly quarter?: number;
  /** Three letters of its English name. */
  readonly weekday?: string;
}

/** What a text says about a date. Dates with slashes or dots are read differently in different countries, so they are ignored. */
export function datePartsOf(text: string): DateParts {
  const folded = fold(text);
  const plain = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/.exec(folded);
  if (plain)
    return {
      year: Number(plain[1]),
      month: Number(plain[2]),
      ...(plain[3] !== undefined && { day: Number(plain[3]) }),
    };
  const year = /\b((?:19|20)\d\d)\b/.exec(folded)?.[1];
  const month = new RegExp(`\\b(?:${MONTHS})\\b`).exec(folded)?.[0];
  const day =
    month === undefined ? undefined : /\b(\d{1,2})(?:st|nd|rd|th)?\b(?!\d)/.exec(folded.replace(/\b\d{4}\b/, ""))?.[1];
  const quarter = /\bq([1-4])\b/.exec(folded)?.[1];
  const weekday = new RegExp(`\\b(${DAYS})day\\b`).exec(folded)?.[1];
  return {
    ...(year !== undefined && { year: Number(year) }),
    ...(month !== undefined && { month: MONTH_NUMBERS.indexOf(month.slice(0, 3)) + 1 }),
    ...(day !== undefined && { day: Number(day) }),
    ...(quarter !== undefined && { quarter: Number(quarter) }),
    ...(weekday !== undefined && { weekday: weekday.slice(0, 3) }),
  };
}
