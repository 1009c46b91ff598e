import { stem } from "../../language/stem.js";
import { fold, NUMBER_WORDS } from "../../language/words.js";
import { SLOT_PATTERNS, type SlotPattern } from "./slot-patterns.js";
import { isJob, isPlace, valueWords, type ValueKind } from "./slot-values.js";
import {
  ANYBODY,
  ATTRIBUTES,
  CLAUSE_WORDS,
  NOT_EMPLOYERS,
  NOT_THE_PRESENT_ONE,
  OPPOSITES,
  PHASES,
  RECURRING_EVENTS,
  SEVERAL_OF_A_KIND,
  SHAPES,
  TOOLS,
  VAGUE_SUBJECTS,
} from "./slot-words.js";
import { divideAtTail, wordsOfTail } from "./tails.js";
import { PASSING } from "./ending-patterns.js";
import { readAnswerLanguage } from "./answer-language.js";
import { datePartsOf, readStatement, type Statement } from "./statement.js";
import type { Claim } from "./slots.js";
import { isDateOrLanguage } from "./transitions.js";

/**
 * Reads what an English text says is the case now. Favours silence over error: null for the past, plans, questions, guesses and
 * reports, for texts about nobody in particular, and for anything the rules do not know.
 */
export function readClaim(text: string, statement = readStatement(text)): Claim | null {
  if (!statement) return readAnswerLanguage(text);
  const attribute = readAttribute(statement);
  if (attribute) return attribute;
  for (const pattern of SLOT_PATTERNS) {
    const claim = readPattern(statement, pattern);
    if (claim) return claim;
  }
  return readAnything(statement);
}

// -------------------------------------------------------------------------------------------------------------- reading

function readPattern(statement: Statement, pattern: SlotPattern): Claim | null {
  if (pattern.slot === "employer" && pattern.isNegative && isJourney(statement)) return null;
  const found = pattern.form.exec(pattern.isDated ? statement.dated : statement.text)?.groups;
  if (!found) return null;
  const subject = subjectOf(pattern, found["s"] ?? "");
  if (subject === null) return null;
  const value = pattern.value ?? readValue(pattern, found["v"] ?? "");
  if (value === null) return null;
  if (pattern.slot === "called" && pattern.isChange === true && isDateOrLanguage(value)) return null;
  const slot = slotOf(pattern, subject, value, found["k"]);
  if (slot === null || !holdsNow(statement, pattern)) return null;
  return {
    subject,
    slot,
    kind: pattern.kind,
    value,
    isNegative: statement.isNegative !== (pattern.isNegative ?? false),
    isChange: statement.isChange || (pattern.isChange ?? false),
    isMulti: pattern.isMulti ?? false,
    needsChange:
      (pattern.needsChange ?? false) ||
      mayBeSeveral(subject, pattern) ||
      (pattern.slot === "prefer" && oppositesOf(value) < 0),
    from: found["f"] ?? null,
    scope: statement.scope,
    since: pattern.isDated ? null : statement.since,
  };
}

/** With these somebody leaves a job; with a new sofa, a shop. */
const TAKEN_ALONG =
  / with (?:an?|the|some|two|three|his|her|their|\d+) (?!.{0,30}\b(?:heart|notice|package|severance|settlement|pay-?out|pension|bonus|references?|plan|feelings?|regrets?|smile|bang)\b)/i;
const LINE_OF_WORK = /\b(?:sector|industry|profession|service|company|firm|agency|startup|competitor|competition)$/i;

/** Who leaves the company for Berlin, for the dentist, or with a new sofa comes back. */
function isJourney({ text, dated }: Statement): boolean {
  if (!/\bleft /i.test(text)) return false;
  const [, goal = ""] = / for (.+)$/.exec(text) ?? [];
  if (PASSING.test(dated) || TAKEN_ALONG.test(text)) return true;
  return isPlace(goal) || (/^the \p{Ll}/u.test(goal) && !LINE_OF_WORK.test(goal));
}

/** "Our standup" and "the standup" are the same meeting. */
function subjectOf({ slot }: SlotPattern, found: string): string | null {
  return readSubject(slot === "time of day" ? found.replace(/^(?:user|we|the team)'s /i, "") : found);
}

/** A state with a bare year is about that year only: "lives in Lyon in 2019". */
function holdsNow(statement: Statement, pattern: SlotPattern): boolean {
  if (pattern.slot === "home since") return statement.hasSince || / since /.test(statement.text);
  return (
    statement.since === null ||
    statement.hasSince ||
    pattern.isDated === true ||
    pattern.isChange === true ||
    pattern.isNegative === true
  );
}

function slotOf({ slot }: SlotPattern, subject: string, value: string, of: string | undefined): string | null {
  const topic = of === undefined ? "" : valueWords(of).join(" ");
  switch (slot) {
    case "home since":
      return "home";
    case "home":
      return TOOLS.has(fold(value).split(" ")[0] ?? "") || /\p{Ll}\p{Lu}/u.test(value) ? null : slot;
    case "employer":
      return NOT_EMPLOYERS.test(fold(value)) ? null : slot;
    case "known job":
      return isJob(value) ? "job" : null;
    case "status":
      return subject === "user" ? null : slot;
    case "role":
      return /^\p{Lu}/u.test(of ?? "") ? `role ${topic}` : null;
    case "date":
      return `date ${of === undefined ? "" : stem(fold(of).replace(/^be /, ""))}`.trim();
    case "switch":
      return `switch ${topic}`.trim();
    case "use for":
    case "prefer for":
      return topic === "" || topic.split(" ").length > 5 ? null : `${slot} ${topic}`;
    case "prefer pair":
      return topic === "" ? null : `prefer ${[topic, valueWords(value).join(" ")].sort().join(" / ")}`;
    case "prefer":
      return `prefer ${[valueWords(value).at(-1) ?? "", ...(oppositesOf(value) < 0 ? [] : [oppositesOf(value)])].join(" ")}`;
    case "measure count":
    case "measure weight":
    case "measure":
    case "measure pay":
    case "measure price":
    case "measure sleep":
      return `${slot} ${unitOf(value, topic)}`.trim();
    default:
      return slot;
  }
}

/** The index of the opposites that a preference chooses between; negative for none. */
function oppositesOf(value: string): number {
  const words = valueWords(value);
  return words.length === 2 ? OPPOSITES.findIndex((group) => group.has(words[0] ?? "")) : -1;
}

const UNITS: ReadonlyMap<string, string> = new Map(
  "kg:kg kilo:kg kilogram:kg lb:lb pound:lb lbs:lb g:g gram:g cm:cm centimetre:cm centimeter:cm m:m metre:m meter:m €:eur euro:eur eur:eur $:usd dollar:usd usd:usd £:gbp gbp:gbp"
    .split(" ")
    .map((entry) => [entry.split(":")[0] ?? "", entry.split(":")[1] ?? ""]),
);

/** The unit of a number, normalised to one name. */
function unitOf(value: string, topic: string): string {
  const signs = /[€$£]/.exec(value)?.[0] ?? "";
  const words = [...(signs === "" ? [] : [signs]), ...valueWords(value.replace(/[\d.,]+/g, " ")), ...topic.split(" ")];
  return words
    .filter((word) => word !== "" && !NUMBER_WORDS.has(word) && !/^(?:about|around|roughly|approximately)$/.test(word))
    .map((word) => UNITS.get(word) ?? word)
    .join(" ");
}

const LONGEST_VALUE = 6;
/** Text after the value that qualifies it. */
const TAIL =
  /,? (?:with|since|because|after|as|near|where|which|who|so|starting|thanks|together|by|from|alone|due|via|through|despite) .*$/iu;
const PLACE_TAIL = /,? (?:in|on|at|for|to|close) .*$/iu;

/** In a tail, these words begin a statement of their own, which would be hidden with the value. */
const OWN_STATEMENT =
  /\b(?:living|based|born|raised|working|studying|married)\b|\b(?:and|but|where|who|which)\b.*\b(?:is|are|was|has|have|lives?|works?|likes?|loves?|owns?|plays?|runs?|speaks?|studies|teaches|drives?|uses?|wants?|moved|joined|started|prefers?|keeps?|writes?|does|goes|makes?|\p{L}+ing)\b/iu;

/** Someone who moves out for some time, or to another street, does not leave the town. */
const STAYS_NEAR = /\bfor (?:the|some)\b|\b(?:street|road|avenue|lane)\b/i;

/** The value alone; null when there is none, or more than one. */
function readValue({ kind, isName, isMulti, isNegative, slot, isDated }: SlotPattern, found: string): string | null {
  let value = isMulti ? found : found.replace(TAIL, "");
  if (kind === "place" || slot === "employer" || slot === "partner" || kind === "job")
    value = value.replace(PLACE_TAIL, "");
  const more = found.slice(value.length);
  if (OWN_STATEMENT.test(more)) return null;
  if (slot === "home" && isNegative && (STAYS_NEAR.test(more) || more.includes(` ${value}`))) return null;
  value = value.trim();
  if (
    slot === "home" &&
    /^(?:(?:an?|the) |(?:team|group|squad|department|platform|version|room|desk|building|block|wing|floor)\b)/i.test(
      value,
    )
  )
    return null;
  if (isDated === true) return isDateAlone(value) ? value : null;
  if (slot === "time of day") return value;
  // What was switched only in one place or for one person continues elsewhere.
  if (slot === "switch" && wordsOfTail(divideAtTail(found).tail).length > 0) return null;
  if (!isMulti && /\b(?:and|or|but|plus)\b|[&;:()]|\/(?!\p{L})/iu.test(value)) return null;
  if (kind !== "place" && value.includes(",") && kind !== "number") return null;
  if (isName === true && !/^(?:the )?[\p{Lu}\p{N}]/u.test(value)) return null;
  const words = valueWords(value).length;
  return words === 0 || words > LONGEST_VALUE ? null : value;
}

const DATE_WORD =
  /^(?:\d{1,2}(?:st|nd|rd|th)?|\d{4}(?:-\d\d){0,2}|\d{1,2}:\d\d|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|[a-z]+day|q[1-4]|of|the|early|late|mid|end|beginning|at|noon|am|pm|utc)$/;

function isDateAlone(value: string): boolean {
  return (
    Object.keys(datePartsOf(value)).length > 0 &&
    fold(value)
      .split(/[ ,]+/)
      .every((word) => DATE_WORD.test(word))
  );
}

const LONGEST_SUBJECT = 7;

/** The subject as a key; null for one that names nobody in particular, and for text that is more than a subject. */
function readSubject(found: string): string | null {
  const written = found
    .replace(/^(?:the|our) /i, "")
    .replace(/\bnew /, "")
    .trim();
  const words = written.split(" ");
  const folded = fold(written);
  if (written === "" || words.length > LONGEST_SUBJECT || /[:()"[\]{}<>@*#]/.test(written)) return null;
  if (VAGUE_SUBJECTS.has(folded) || VAGUE_SUBJECTS.has(fold(words[0] ?? ""))) return null;
  if (words.some((word, index) => CLAUSE_WORDS.has(index === 0 && !/^(?:will|may)$/i.test(word) ? fold(word) : word)))
    return null;
  const head = headOf(folded);
  if (ANYBODY.has(head) || words.some((word) => NOT_THE_PRESENT_ONE.has(word))) return null;
  return folded.replace(/\b(?:the|an?) /g, "");
}

function headOf(subject: string): string {
  const head =
    subject
      .replace(/ (?:of|for|from|named|called) .*$/, "")
      .split(" ")
      .at(-1) ?? "";
  return head.replace(/'s?$/, "");
}

function mayBeSeveral(subject: string, { slot }: Pick<SlotPattern, "slot">): boolean {
  const words = subject.split(/ |'s/);
  if (words.some((word) => SEVERAL_OF_A_KIND.has(word) || SEVERAL_OF_A_KIND.has(word.replace(/s$/, "")))) return true;
  return slot.startsWith("date") && words.some((word) => RECURRING_EVENTS.has(word));
}

// ----------------------------------------------------------------------------------------------------------- attributes

const POSSESSED =
  /^(?<s>[^,]{1,60}?)(?:'s|s') (?<a>[\p{L}-]+(?: [\p{L}-]+){0,3}) (?:is|are|was changed to|has changed to|changed to|has been changed to) (?<v>.+)$/iu;
const OF =
  /^(?:the )?(?<a>[\p{L}-]+(?: [\p{L}-]+){0,2}) (?:of|for) (?<s>[^,]{1,60}?) (?:is|was changed to|has changed to|changed to|was moved to|has been moved to) (?<v>.+)$/iu;
const FAVOURITE = /^(?:all[- ]time )?favou?rite (?<x>.+)$/i;

/** Reads "S's a is v" and "the a of S is v". */
function readAttribute(statement: Statement): Claim | null {
  const found = POSSESSED.exec(statement.dated)?.groups ?? OF.exec(statement.dated)?.groups;
  if (!found) return null;
  const subject = readSubject(found["s"] ?? "");
  const named = fold(found["a"] ?? "");
  const isReplaced = / (?:changed|moved) to /i.test(statement.dated);
  const attribute = subject === null ? null : attributeOf(attributeNamed(named));
  if (subject === null || attribute === null) return null;
  const kind = kindOf(attribute);
  const raw = (found["v"] ?? "").replace(/^(?:on|at|in|for) (?=.*\d|\p{L}+day)/iu, "");
  const value = readValue({ slot: attribute, kind, form: POSSESSED, ...(kind === "date" && { isDated: true }) }, raw);
  const shape = SHAPES.find(([of]) => of.test(attribute.split(" ").at(-1) ?? ""))?.[1];
  if (value === null || (shape && !shape.test(value)) || (kind === "job" && !isJob(value))) return null;
  if (kind === "phase" && !PHASES.some((phase) => phase.has(fold(value)))) return null;
  if (kind === "number" && !/^[^\d]{0,12}\d/.test(value)) return null;
  return {
    subject,
    slot: kind === "number" ? `${attribute} ${unitOf(value, "")}`.trim() : attribute,
    kind,
    value,
    isNegative: statement.isNegative,
    isChange: statement.isChange || isReplaced || /\bnew\b/.test(named),
    isMulti: false,
    needsChange: attribute === "nickname" || mayBeSeveral(subject, { slot: attribute }),
    from: null,
    scope: statement.scope,
    since: null,
  };
}

/** A person's unspecified `number` is a phone number, if it looks like one. */
function attributeNamed(named: string): string {
  const plain = named.replace(/\b(?:new|current|present) /g, "");
  return plain === "number" ? "phone number" : plain;
}

/** The slot of an attribute with its modifiers: `work email` is not `email`. */
function attributeOf(named: string): string | null {
  const favourite = FAVOURITE.exec(named)?.groups?.["x"];
  if (favourite !== undefined)
    return /\b(?:and|or)\b/.test(favourite)
      ? null
      : `favourite ${valueWords(favourite).join(" ").replace(/our\b/g, "or")}`;
  const words = named.split(" ");
  if (words.some((word) => NOT_THE_PRESENT_ONE.has(word) && !/^last name$/.test(named))) return null;
  for (let start = 0; start < words.length; start++) {
    const slot = ATTRIBUTES.get(words.slice(start).join(" "));
    if (slot !== undefined) return [...words.slice(0, start), slot].join(" ");
  }
  return null;
}

function kindOf(attribute: string): ValueKind {
  const last = attribute.split(" ").at(-1) ?? "";
  if (/^(?:birthday|deadline|launch|date)$/.test(last)) return "date";
  if (last === "status") return "phase";
  if (/^(?:age|height|weight|salary|rent|budget|price)$/.test(last)) return "number";
  if (/^(?:phone|email|postcode|url|website|username|handle|password|plate|version)$/.test(last)) return "exact";
  return last === "job" ? "job" : "words";
}

// ------------------------------------------------------------------------------------------------------------- anything

const LONGEST_ANYTHING = 14;

/** A statement without a known slot, replaced only by its opposite. */
function readAnything(statement: Statement): Claim | null {
  const { text, isNegative, isChange, scope, since } = statement;
  const words = valueWords(text.replace(/\b(?:is|are) (?=\p{L}+ing\b)/u, ""));
  if (words.length < 2 || words.length > LONGEST_ANYTHING || since !== null) return null;
  if (VAGUE_SUBJECTS.has(words[0] ?? "") || /[,:()]/.test(text)) return null;
  return {
    subject: "",
    slot: "says",
    kind: "words",
    value: words.map((word) => (word.endsWith("ed") ? word : stem(word))).join(" "),
    isNegative,
    isChange,
    isMulti: true,
    needsChange: false,
    from: null,
    scope,
    since: null,
  };
}
