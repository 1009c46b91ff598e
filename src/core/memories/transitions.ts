import { PEOPLE } from "../../language/english/people.js";
import { fold } from "../../language/words.js";
import { DATED } from "./ending-patterns.js";
import { valueWords } from "./slot-values.js";
import type { Link, StatedValue } from "./stated-values.js";
import { TOOLS } from "./slot-words.js";
import { datePartsOf, isoOf, readStatement, type Statement } from "./statement.js";
import { divideAtTail, wordsOfTail } from "./tails.js";
import {
  ARROW,
  FOR_LAST,
  NOT_THE_ONE,
  ONE_TIME,
  TRANSITIONS,
  UNDONE,
  WHEN_FIRST,
  WHY_LAST,
  type TransitionKind,
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
}

/** Without one of these words, no text says it. */
const CHANGES =
  /[→>]|\b(?:from|renamed|rebranded|rebrands|relabell?ed|retitled|replaced|superseded|swapped|exchanged|traded|ditched|dropped|called|named|known|left|quit|resigned)\b/i;
const MOST_WORDS = 6;
const LONGEST = 240;

/** Reads what a text says became what. Null for plans, questions, guesses, reports, and for what was changed only in part. */
export function readTransition(raw: string, isOfGroup = false): Transition | null {
  if (raw.length > LONGEST || !CHANGES.test(raw) || UNDONE.test(raw)) return null;
  const read = readFrom(raw, isOfGroup);
  return read !== null && isDate(read.former) && ONE_TIME.test(raw) ? null : read;
}

function readFrom(raw: string, isOfGroup: boolean): Transition | null {
  const text = raw.trim().replace(WHEN_FIRST, "");
  const arrow = ARROW.exec(text.replace(/\.$/, ""))?.groups;
  if (arrow) return transitionOf("move", arrow, { scope: "", dated: text }, isOfGroup);
  const statement = readStatement(text);
  if (!statement || statement.isNegative) return null;
  for (const { kind, form, needsChange } of TRANSITIONS) {
    const found = form.exec(statement.dated.replace(WHY_LAST, ""))?.groups;
    if (!found || (needsChange && !statement.isChange)) continue;
    return transitionOf(kind, found, statement, isOfGroup || /^we\b/i.test(statement.text));
  }
  return null;
}

function transitionOf(
  kind: TransitionKind,
  { s = "", t = "", f = "", p = "" }: Readonly<Record<string, string | undefined>>,
  { dated, scope, since }: Pick<Statement, "dated" | "scope"> & Partial<Pick<Statement, "since">>,
  isOfGroup: boolean,
): Transition | null {
  const subject = OURSELVES.test(fold(s)) ? "" : keyOf(s, "");
  const present = kind === "leave" ? employerOf(p) : presentOf(p);
  if (present === null || isAnothers(subject, t)) return null;
  const { value, topic } = present;
  const named = JOBS.test(t) ? "" : keyOf(t, subject);
  if (named !== "" && topic !== "") return null;
  const former = f.trim();
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
  };
}

const OURSELVES = /^(?:user|we|(?:the |our )?team|)$/;
const TEAM = /^(?:we|(?:the |our )?team)$/;
const JOBS = /^(?:(?:my|their|his|her) )?(?:jobs?|employers?|compan(?:y|ies))$/i;
const SEVERAL = /\b(?:and|or|plus|but)\b/i;
/** Afterwards something else happened to it. */
const GOES_ON = /\b(?:and|or|but|then|later|again|back)\b/i;

/** What one's own is and what others have is told apart: "Netflix switched builds" says nothing about ours. */
function isAnothers(subject: string, thing: string): boolean {
  return thing !== "" && subject !== "" && !/^(?:their|his|her|its) /i.test(thing);
}

/** The present value without what says why; null if it is so for some uses only that cannot be told apart. */
function presentOf(written: string): { readonly value: string; readonly topic: string } | null {
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
function keyOf(named: string, owner: string): string {
  const plain = named
    .trim()
    .replace(/^(?:their|his|her|its) /i, owner === "" ? "" : `${owner}'s `)
    .replace(/^(?:(?:user|we|the team|team)'s|my|our) /i, "");
  return valueWords(plain).join(" ");
}

// --------------------------------------------------------------------------------------------------------------- ending

/** Statements that say the same of the same thing have the same key; null for one that the transition does not end. */
export function endedState(transition: Transition, held: StatedValue): string | null {
  if (transition.scope !== held.scope) return null;
  if (transition.kind === "rename") return endedName(transition, held);
  if (held.link === "name" || (held.link === "home" && transition.kind === "set")) return null;
  const { subject, thing, isThing } = transition;
  if (thing !== "" && passesOn(transition, held)) return thing;
  if (!isFormer(transition, held)) return null;
  if (thing !== "") return isOfThing(transition, held) ? thing : null;
  if (isOf(transition, held.subject)) {
    if (isThing) return OF_THINGS.includes(held.link) ? subject : null;
    const mayEnd = OF_PEOPLE[transition.kind].includes(held.link) && !isOnlyThere(transition, held);
    return mayEnd ? `${subject} ${classOf(held)}` : null;
  }
  return isAttribute(transition, held) ? `${subject} use` : null;
}

const OF_THINGS: readonly Link[] = ["is", "at", "with", "done", "goes", "use", "habit"];
/** What somebody's own transition ends: who moves from Porto may still go there, work there and be interested in it. */
const OF_PEOPLE: Readonly<Record<Exclude<TransitionKind, "rename">, readonly Link[]>> = {
  move: ["at", "with", "work", "home", "member", "use", "use for", "does in", "habit"],
  switch: ["at", "with", "work", "home", "member", "goes", "use", "use for", "does in", "habit"],
  replace: ["use", "use for", "habit", "member"],
  leave: ["work", "member", "with"],
  set: [],
};

/** Many things are done in a place: only a tool makes it certain that it is done elsewhere now. */
function isOnlyThere({ former }: Transition, { link }: StatedValue): boolean {
  return link === "does in" && !TOOLS.has(fold(former).split(" ")[0] ?? "");
}

/** What holds of a thing in one way only has one class: of several, it is uncertain which one is meant. */
function classOf({ link }: StatedValue): string {
  if (link === "work" || link === "member") return "work";
  return link === "use for" || link === "does in" || link === "with" ? "use" : link;
}

/** "Tom is the team lead": what Tom was is said of somebody else. */
function passesOn({ kind, former, thing }: Transition, { subject, link, value }: StatedValue): boolean {
  return kind === "replace" && link === "is" && keyOf(subject, "") === wordsOf(former) && wordsOf(value) === thing;
}

function isFormer({ former, thing }: Transition, { value }: StatedValue): boolean {
  if (isDate(former)) return isSameDate(former, value);
  const said = wordsOf(value);
  if (said === wordsOf(former)) return true;
  return thing !== "" && said === `${wordsOf(former)} ${thing}`;
}

/** The words of a value, without what says whose or where it is, in which a thing and its purpose follow each other. */
function wordsOf(value: string): string {
  const plain = value.trim().replace(/^(?:their|his|her|its|my|our) /i, "");
  return valueWords(plain.replace(/ (?:for|as|to) (?:the |their |our |my )?/i, " ")).join(" ");
}

/** "Builds run on Jenkins", "we use Jenkins for builds", "the team runs builds on Jenkins" */
function isOfThing(transition: Transition, { subject, topic, value }: StatedValue): boolean {
  if (keyOf(subject, "") === transition.thing) return true;
  const isTheirs = isOf(transition, subject);
  return isTheirs && (keyOf(topic, "") === transition.thing || wordsOf(value).endsWith(` ${transition.thing}`));
}

/** What "we" do is also said of the team; what one of them does is said of that one only. */
function isOf({ subject, isOfGroup, thing }: Transition, named: string): boolean {
  if (subject !== "") return keyOf(named, "") === subject;
  return isOfGroup || thing !== "" ? OURSELVES.test(fold(named)) : /^user$/i.test(named);
}

/** "User's editor is Vim": a thing of one's own, that has a name. */
function isAttribute({ subject, kind }: Transition, { subject: named, link, value }: StatedValue): boolean {
  if (!/^(?:move|switch|replace)$/.test(kind) || (link !== "is" && link !== "with")) return false;
  const owner = `${subject === "" ? "user" : subject}'s `;
  const folded = fold(named);
  const attribute = folded.startsWith(owner) ? folded.slice(owner.length) : "";
  if (!/^[\p{L} -]{1,40}$/u.test(attribute) || PEOPLE.test(attribute) || NOT_THE_ONE.test(attribute)) return false;
  return /\p{Lu}|\d/u.test(value);
}

/** A name alone must be one that nothing else bears; "the flag pricing.v2" also says what it names. */
function endedName({ former, thing }: Transition, { link, subject, value }: StatedValue): string | null {
  const name = plainName(value);
  if (thing !== "") {
    const isSame = (link === "name" || link === "is") && keyOf(subject, "") === thing;
    return isSame && name === plainName(former) ? thing : null;
  }
  if (link !== "name") return null;
  const said = plainName(former.replace(/^(?:the|our|my|their) /i, ""));
  if (said === name) return /[\p{Lu}\d._/-]/u.test(former.replace(/^The /, "")) ? keyOf(subject, "") : null;
  const kind = said.startsWith(`${name} `)
    ? said.slice(name.length)
    : said.endsWith(` ${name}`) && said.slice(0, -name.length);
  if (kind === false) return null;
  const words = new Set(valueWords(subject));
  return valueWords(kind).every((word) => words.has(word)) ? keyOf(subject, "") : null;
}

function plainName(name: string): string {
  return fold(name.replace(/["'`“”‘’]/g, "").trim());
}

/** True for something that takes place at another time. */
export function isOfDates({ former }: Transition): boolean {
  return isDate(former);
}

const TIME = /^(?:at )?\d{1,2}:\d\d(?: ?[ap]m)?$/i;

function isDate(value: string): boolean {
  const words = valueWords(value);
  return (
    TIME.test(value.trim()) ||
    (words.length <= 5 &&
      words.some((word) => isPartOfDate(word)) &&
      words.every((word) => isPartOfDate(word) || /^\d/.test(word)))
  );
}

function isPartOfDate(word: string): boolean {
  return Object.keys(datePartsOf(word)).length > 0;
}

/** A weekday is that of a date on it. */
function isSameDate(former: string, held: string): boolean {
  if (wordsOf(former) === wordsOf(held)) return true;
  if (!isDate(held)) return false;
  const [one, other] = [withWeekday(former), withWeekday(held)];
  const shared = (["year", "month", "day", "quarter", "weekday"] as const).filter(
    (part) => one[part] !== undefined && other[part] !== undefined,
  );
  const tells = shared.some((part) => part !== "year");
  return tells && shared.every((part) => one[part] === other[part]);
}

function withWeekday(written: string) {
  const parts = datePartsOf(written);
  if (parts.year === undefined || parts.month === undefined || parts.day === undefined) return parts;
  const day = new Date(Date.UTC(parts.year, parts.month - 1, parts.day)).getUTCDay();
  return { ...parts, weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][day] };
}

const MOST_SEARCH_WORDS = 16;

/** Words by which the text index finds what a transition may end. */
export function wordsOfFormer({ subject, thing, former }: Transition): readonly string[] {
  const named = thing === "" && subject !== "" ? subject : thing;
  return [...new Set([...valueWords(former), ...valueWords(named)])].slice(0, MOST_SEARCH_WORDS);
}
