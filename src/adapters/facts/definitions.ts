import { EVALUATIVE } from "./nouns.js";
import type { SpecialFact } from "./special.js";
import { FACT } from "./verdict.js";
import type { Voice } from "./voice.js";

/** Where something is found: a URL, mail or network address, a telephone number, a path, a version. */
const ADDRESS =
  /^(?:https?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.-]+|(?:[\w-]+\.)+[a-z]{2,12}(?:[:/]\S*)?|\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?|\+?\d[\d ()/-]{6,20}\d|[\w-]+\/[\w./-]*[\d.][\w./-]*|[\w-]+(?:\/[\w.-]+){2,5}|~?\/[\w./-]+|v?\d+\.\d+(?:\.\d+)?)$/i;
/** "The VPN gateway is vpn.example.org", "The docs live at https://docs.example.org". */
const LOCATED =
  /^((?:the |our |my |this project's )?(?:[\p{L}\p{N}][\p{L}\p{N}'-]*(?: of| for| to)? ){1,6})((?:is|are|lives?|runs?|listens?|points?|goes|go|is reachable|is hosted|are hosted)(?: (?:at|on|under|to|in|via|called))?) (\S+(?: [\d()/-]+)*)$/iu;
/** "SLA means service level agreement", "ARR is short for annual recurring revenue". */
const MEANING =
  /^(?:"|'|the term "?)?([\p{L}\p{N}][\p{L}\p{N} &/-]{0,40}?)["']? (means|stands for|is short for|refers to|is defined as) ([\p{L}\p{N}"'].{2,160})$/iu;
/** "ARR is annual recurring revenue." */
const ACRONYM = /^(\p{Lu}[\p{Lu}\p{N}]{1,7}) (is|are) (\p{L}.{3,160})$/u;
/** "A sprint lasts two weeks." */
const MEASURED =
  /^((?:an?|each|every) \p{Ll}[\p{L}-]*(?: \p{L}[\p{L}-]*){0,2}) (is|lasts|takes|has|holds|costs|weighs) ((?:about |exactly |at most |at least )?(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?!of\b|more\b|thing)\p{L}.{1,60})$/iu;
/** "Support email: help@example.org". */
const LABELLED = /^([\p{L}][\p{L}\p{N} -]{1,40}): (\S+(?: [\d()/-]+)*)$/u;
/** The state of a record, which names nothing. */
const STATE_OF_RECORD =
  /^(?:due|done|start(?:ed)?|end(?:ed)?|completed|created|modified|updated|published|posted|sent|received|printed|saved|dates?|time|except|instead of|also on|valid (?:from|until))$/i;
const SUBJECT = "(?:the |our |my |all |every |each )?(?:[\\p{L}\\p{N}][\\p{L}\\p{N}'-]*(?: |$)){1,7}?";
const RULED = "protected|required|forbidden|prohibited|mandatory|optional|deprecated|disallowed|banned";
const HANDLED =
  "frozen|billed|preferred|allowed|approved|reviewed|signed|handled|stored|kept|encrypted|rotated|logged|hosted|deployed|released|owned|maintained|managed|paid|reimbursed|invoiced|disabled|enabled|retained|archived|shipped|tested|documented";
/** "The main branch is protected", "Customers in the EU are billed in euros", "Expenses need approval by the CFO". */
const POLICY = new RegExp(
  `^(${SUBJECT}) ?(?:(?:is|are|must be|has to be|have to be) (?:always |never |only |not )?(?:(?:${RULED})(?: .{2,100})?|(?:${HANDLED}) (?:in|by|over|to|with|every|before|after|within|on|from|for|under) (.{2,100}))|` +
    "(?:needs?|requires?|must have) (?:an? |the |two |three |written )?(?:approvals?|reviews?|reviewers?|permission|sign-?off|tickets?|password|token|admin rights)(?: .{2,100})?|(?:happens?|rotates?|expires?|renews?|resets?|runs?|recurs?) (?:every|on|once|twice|after) (.{2,60}))$",
  "iu",
);
/** "The meeting room is on the third floor." */
const SITUATED =
  /^((?:the |our |my )(?:[\p{L}\p{N}'-]+ ){1,4})(?:is|are) ((?:on the \p{L}+ floor|in the (?:basement|cellar|attic|east wing|west wing|back office)|next to the|opposite the|behind the|across from the)\b.{0,60})$/iu;
const OF_THE_TALK =
  /\b(?:i|you|your|yours|it|this|that|these|those|here|there|he|she|they|which|what|answer|question|problem|example|error|story|file|output|result|input)\b/i;

/** "The team agreed that Ida owns billing." */
const DECIDED =
  /^(?:the|our) (?:\p{L}+ )?(?:team|board|committee|council|group|company|family|management|staff) (?:has |have )?(?:agreed|decided|resolved|concluded|voted) (?:that|to|on|against|for) (.{3,160})$/iu;

/** The scope of a work rule. */
export const OF_THE_WORK = /\b(?:in|for|on) this (?:project|repository|repo|codebase|team|company|organi[sz]ation)$/i;

/**
 * Reads from somebody's own notes what something is called, means or measures, and where it is found; null for
 * statements about the conversation itself, and for opinions.
 */
export function readDefinition(text: string, { self, kind, isNote }: Voice): SpecialFact | null {
  if (kind !== "document" || isNote !== true) return null;
  const said = text.replace(/[.!]+$/, "").trim();
  const stated = readLocation(said) ?? readMeaning(said) ?? readMeasure(said) ?? readPolicy(said);
  if (stated === null) return null;
  return { text: upperFirst(stated.replace(/^(?:our|my) /i, `${self}'s `)), verdict: FACT };
}

function readLocation(said: string): string | null {
  const [, label = "", address = ""] = LABELLED.exec(said) ?? [];
  if (label !== "" && ADDRESS.test(address) && !OF_THE_TALK.test(label) && !STATE_OF_RECORD.test(label))
    return `the ${lowerFirst(label)} is ${address}`;
  const [, subject = "", , place = ""] = LOCATED.exec(said) ?? [];
  return subject !== "" && ADDRESS.test(place) && !OF_THE_TALK.test(subject) ? said : null;
}

function readMeaning(said: string): string | null {
  const [, term = "", , meaning = ""] = MEANING.exec(said) ?? [];
  if (term !== "" && !OF_THE_TALK.test(term) && !/^(?:you|it|that|this)\b/i.test(meaning))
    return isTerm(term) ? said.replace(/^(["'])(.+?)\1/, "$2") : null;
  const [, acronym = "", , full = ""] = ACRONYM.exec(said) ?? [];
  return acronym !== "" && !OF_THE_TALK.test(full) && !isOpinion(full) && initialsOf(full, acronym) ? said : null;
}

/** A name, an abbreviation, or a coined word: "no news means good news" defines nothing. */
function isTerm(term: string): boolean {
  return (
    /^(?:\p{Lu}|an? )/u.test(term) &&
    term.split(" ").length <= 4 &&
    !/^(?:No|Any|Every|More|Less|Being|\p{L}+ing)\b/u.test(term)
  );
}

/** "Annual recurring revenue" matches the initials ARR. */
function initialsOf(full: string, acronym: string): boolean {
  const initials = full
    .split(/[ -]/)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");
  return initials.includes(acronym);
}

function readMeasure(said: string): string | null {
  const [, subject = "", , measure = ""] = MEASURED.exec(said) ?? [];
  return subject !== "" && !OF_THE_TALK.test(subject) && !OF_THE_TALK.test(measure) ? said : null;
}

function readPolicy(said: string): string | null {
  const found = POLICY.exec(said) ?? SITUATED.exec(said);
  if (found && !OF_THE_TALK.test(said.replace(OF_THE_WORK, ""))) return said;
  const decision = DECIDED.exec(said)?.[1];
  return decision !== undefined && !OF_THE_TALK.test(decision) ? said : null;
}

function isOpinion(text: string): boolean {
  const [first = "", second = ""] = text.toLowerCase().split(" ");
  return EVALUATIVE.has(first) || (/^(?:an?|the)$/.test(first) && EVALUATIVE.has(second));
}

function upperFirst(text: string): string {
  return /^\p{Ll}[\p{L}]*[\p{Lu}\d]/u.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
