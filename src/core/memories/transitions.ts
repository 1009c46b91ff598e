import { PEOPLE } from "../../language/english/people.js";
import { sentenceSpans } from "../../language/sentences.js";
import { fold } from "../../language/words.js";
import { isDate } from "./date-values.js";
import { isLanguage } from "./answer-language.js";
import { DATED } from "./ending-patterns.js";
import { VAGUE_SUBJECTS } from "./slot-words.js";
import { valueWords } from "./slot-values.js";
import type { Link, StatedValue } from "./stated-values.js";
import { isoOf, readStatement, type Statement } from "./statement.js";
import { divideAtTail, wordsOfTail } from "./tails.js";
import {
  ARROW,
  FOR_LAST,
  NAME,
  ONE_TIME,
  TRANSITIONS,
  UNDONE,
  WHEN_FIRST,
  WHY_LAST,
  type TransitionKind,
  type TransitionPattern,
} from "./transition-patterns.js";

/** What a text says became something else, both of which it names: "we switched builds from Jenkins to Buildkite". */
export interface Transition {
  readonly kind: TransitionKind;
  /** Who or what changed, as a key; empty for those who speak. */
  readonly subject: string;
  /** It is clearly a thing: what is said of people may stay so. */
  readonly isThing: boolean;
  /** The thing of theirs that changed, as a key; empty if it is not named. */
  readonly thing: string;
  readonly former: string;
  readonly present: string;
  /** The only place or time at which it changed. */
  readonly scope: string;
  /** Those who speak say it of what they do together. */
  readonly isOfGroup: boolean;
  /** ISO year, month or day of the change, if the text says so. */
  readonly when: string | null;
  /** It says that somebody changed jobs. */
  readonly isOfJob?: boolean;
  /** What it certainly tells of the present value, if not all. */
  readonly tells?: TransitionPattern["tells"];
}

/** Without one of these words, no text says it. */
const CHANGES =
  /[→>]|\b(?:from|renamed|rebranded|rebrands|relabell?ed|retitled|replaced|superseded|succeeded|swapped|exchanged|traded|ditched|dropped|called|named|known|left|quit|resigned)\b/i;
const MOST_WORDS = 6;
const LONGEST = 240;
const MOST_SENTENCES = 5;

/**
 * Reads what a text says became what, where each of its sentences says that of something else: a change of what another sentence
 * already changed does not count.
 */
export function readTransitions(raw: string, isOfGroup = false): readonly Transition[] {
  if (!CHANGES.test(raw)) return [];
  const whole = readTransition(raw, isOfGroup);
  if (whole) return [whole];
  const sentences = sentenceSpans(raw).map(({ start, end }) => raw.slice(start, end));
  const read = sentences.slice(0, MOST_SENTENCES).flatMap((sentence) => readTransition(sentence) ?? []);
  const isEach = read.length === sentences.length;
  const formers = new Set(read.map(({ former }) => fold(former)));
  return isEach && formers.size === read.length && !read.some(({ present }) => formers.has(fold(present))) ? read : [];
}

/** Reads what a sentence says became what. Null for plans, questions, guesses, reports, and for what was changed only in part. */
export function readTransition(raw: string, isOfGroup = false): Transition | null {
  if (raw.length > LONGEST || !CHANGES.test(raw)) return null;
  const text = withoutBack(raw);
  if (UNDONE.test(text)) return null;
  const read = readFrom(text, isOfGroup);
  return read !== null && isDate(read.former) && ONE_TIME.test(raw) ? null : read;
}

/** Who switches back from one to the other names both: "from Revolut back to N26", "back to N26 from Revolut". */
function withoutBack(text: string): string {
  return text
    .replace(/ back (?=from )/i, " ")
    .replace(/ (from|renamed) ([^,:;()]{1,60}?) back (?=to )/i, " $1 $2 ")
    .replace(/ back to ([^,:;().]{1,60}?) (from [^,:;().]{1,60})(?=[.!]?$)/i, " $2 to $1");
}

function readFrom(raw: string, isOfGroup: boolean): Transition | null {
  const [when = ""] = WHEN_FIRST.exec(raw.trim()) ?? [];
  const text = raw.trim().slice(when.length);
  const arrow = ARROW.exec(text.replace(/\.$/, ""))?.groups;
  if (arrow) return transitionOf({ kind: "move" }, arrow, { scope: "", dated: text }, isOfGroup);
  const statement = readStatement(text);
  if (!statement || statement.isNegative) return null;
  for (const pattern of TRANSITIONS) {
    const found = pattern.form.exec(statement.text.replace(WHY_LAST, ""))?.groups;
    if (!found || (pattern.needsChange && !statement.isChange)) continue;
    if (pattern.needs && !pattern.needs.test(withoutDate(found["p"] ?? ""))) continue;
    const since = statement.since ?? isoOf(when);
    return transitionOf(pattern, found, { ...statement, since }, isOfGroup || /^we\b/i.test(statement.text));
  }
  return null;
}

/** "Kestrel in May" */
function withoutDate(named: string): string {
  const { head, tail } = divideAtTail(named.trim());
  return wordsOfTail(tail).length === 0 ? head : named.trim();
}

function transitionOf(
  { kind, ...pattern }: Omit<TransitionPattern, "form">,
  { s = "", t = "", f = "", p = "" }: Readonly<Record<string, string | undefined>>,
  { dated, scope, since }: Pick<Statement, "dated" | "scope"> & Partial<Pick<Statement, "since">>,
  isOfGroup: boolean,
): Transition | null {
  const subject = OURSELVES.test(fold(s)) ? "" : keyOf(s, "");
  const present = kind === "leave" ? employerOf(p) : presentOf(p);
  if (present === null || isAnothers(subject, t)) return null;
  const { value, topic } = present;
  if (/^(?:no|none|nobody|nothing|neither)\b/i.test(value)) return null;
  if (kind === "rename" && !(subject === "" && mayBeName(value) && !isDateOrLanguage(value))) return null;
  const named = JOBS.test(t) ? "" : keyOf(t, subject);
  if (named !== "" && topic !== "") return null;
  const former = withUnitOf(value, f.trim());
  if ([former, value].some((one) => valueWords(one).length === 0 || valueWords(one).length > MOST_WORDS)) return null;
  if (fold(former) === fold(value) || SEVERAL.test(former)) return null;
  const when = isDate(former) ? null : (since ?? isoOf(DATED.exec(dated)?.[0] ?? ""));
  const thing = named === "" ? keyOf(topic, subject) : named;
  const isThing = thing !== "" || (/^(?:the|our|my|user's|we's) /i.test(s) && !PEOPLE.test(s));
  return {
    kind,
    subject,
    isThing,
    thing,
    former,
    present: value,
    scope,
    isOfGroup: isOfGroup || TEAM.test(fold(s)),
    when,
    isOfJob: JOBS.test(t),
    tells: isVague(value) ? "nothing" : pattern.tells,
  };
}

/** "Renamed Friday" says when, "to English" into which language. */
export function isDateOrLanguage(value: string): boolean {
  return isDate(value) || isLanguage(value.split(" ").at(-1) ?? "");
}

/** A plain word may be the name of something whose former name is one. */
function mayBeName(value: string): boolean {
  return NAME.test(value) || /^\p{Ll}+$/u.test(value);
}

/** "Someone", "something cheaper" */
function isVague(value: string): boolean {
  const [first = ""] = fold(value.replace(/^(?:an?|the) /i, "")).split(" ", 1);
  return VAGUE_SUBJECTS.has(first) || OURSELVES.test(first);
}

const FIGURE = /^[€$£]?\d[\d.,]*$/u;
const UNIT = /^[€$£]?\d[\d.,]*(?<unit> \p{L}.{0,40})$/u;

/** "From 300 to 600 requests a minute": both figures have the unit of the second. */
function withUnitOf(present: string, former: string): string {
  return FIGURE.test(former) ? `${former}${UNIT.exec(present)?.groups?.["unit"] ?? ""}` : former;
}

/** How those who speak are named, folded. */
export const OURSELVES = /^(?:user|we|(?:the |our )?team|)$/;
export const TEAM = /^(?:we|(?:the |our )?team)$/;
const JOBS = /^(?:(?:my|their|his|her) )?(?:jobs?|employers?|compan(?:y|ies))$/i;
const SEVERAL = /\b(?:and|or|plus|but)\b/i;
/** Afterwards something else happened to it. */
const GOES_ON = /\b(?:and|or|but|then|later|again|back|except|apart)\b/i;

/** What one's own is and what others have is told apart: "Netflix switched builds" says nothing about ours. */
function isAnothers(subject: string, thing: string): boolean {
  return thing !== "" && subject !== "" && !/^(?:their|his|her|its) /i.test(thing);
}

/** The present value without what says why; null if it is so for some uses only that cannot be told apart. */
export function presentOf(written: string): { readonly value: string; readonly topic: string } | null {
  const plain = written.trim();
  if (isDate(plain)) return { value: plain, topic: "" };
  const topic = FOR_LAST.exec(plain)?.groups?.["k"] ?? "";
  const value = topic === "" ? plain : plain.replace(FOR_LAST, "");
  if (GOES_ON.test(value) || wordsOfTail(divideAtTail(value).tail).length > 0) return null;
  return { value: divideAtTail(value).head, topic };
}

/** Who leaves for lunch comes back. */
function employerOf(written: string): { readonly value: string; readonly topic: "" } | null {
  const value = divideAtTail(written.trim()).head;
  const isNamed =
    /^\p{Lu}|\p{N}/u.test(value) ||
    /^(?:an?|another|the) .{0,30}\b(?:startup|start-up|company|firm|agency|\p{Lu})/u.test(value);
  return isNamed && !GOES_ON.test(value) ? { value, topic: "" } : null;
}

/** Names a subject in the same way whoever mentions it: "our builds", "the builds", "User's builds". */
export function keyOf(named: string, owner: string): string {
  const plain = named
    .trim()
    .replace(/^(?:their|his|her|its) /i, owner === "" ? "" : `${owner}'s `)
    .replace(/^(?:(?:user|we|the team|team)'s|my|our) /i, "");
  return valueWords(plain).join(" ");
}

const LINK_OF_PRESENT: Readonly<Record<TransitionKind, Link>> = {
  move: "at",
  switch: "use",
  replace: "use",
  rename: "name",
  leave: "work",
  set: "is",
};

/** What holds after a transition, which the next one may end. */
export function presentState({ kind, subject, thing, present, scope }: Transition): StatedValue {
  const named = thing === "" ? (subject === "" && kind !== "rename" ? "User" : subject) : thing;
  return { link: LINK_OF_PRESENT[kind], subject: named, topic: "", value: present, scope };
}

/** True for something that takes place at another time. */
export function isOfDates({ former }: Transition): boolean {
  return isDate(former);
}

const MOST_SEARCH_WORDS = 16;

/** Words by which the text index finds what a transition may end. */
export function wordsOfFormer({ subject, thing, former }: Transition): readonly string[] {
  const named = thing === "" && subject !== "" ? subject : thing;
  return [...new Set([...valueWords(former), ...valueWords(named)])].slice(0, MOST_SEARCH_WORDS);
}
