import { fold } from "../../language/words.js";
import {
  ANY_CAR,
  ANY_PARTNER,
  ANY_PET,
  ANY_DWELLING,
  ARRANGED,
  AT_A_TIME,
  CALLED_OFF,
  DATED,
  DIED,
  DIVORCED,
  ENDINGS,
  EXCHANGED,
  FLIGHT,
  FORMER_THING,
  FORMER_USE,
  GOES_ON,
  HOLDINGS,
  JOURNEY,
  LEFT,
  LONG_AGO,
  MARRIED,
  NEXT,
  PASSING,
  PERSONAL_TOOL,
  WAYS_OF_HAVING,
  type EndingKind,
} from "./ending-patterns.js";
import { contradicts, liesIn, valueWords } from "./slot-values.js";
import { datePartsOf, isoOf, type Statement } from "./statement.js";
import { divideAtTail, mayBeOfOne, wordsOfTail } from "./tails.js";

/** What a text says to be over, or to hold. */
export interface State {
  readonly kind: EndingKind;
  /** Folded; empty where the text does not say whose it is. */
  readonly subject: string;
  /** As it is written, without what says more about it; empty where the text does not name it. */
  readonly object: string;
  /** As it is written, what says more about it and tells it from others of its kind; empty for nothing. */
  readonly tail: string;
  /** It is over whatever is said about it. */
  readonly isForAll: boolean;
  /** Those who speak say it of what they do together. */
  readonly isOfGroup: boolean;
  /** The whole statement with its date. */
  readonly dated: string;
  /** Where or when alone it holds. */
  readonly scope: string;
  /** ISO year, month or day that the text names; null for none. */
  readonly when: string | null;
}

const DETERMINER = /^(?:the|their|his|her|its|an?|any|my|our|all|this|that) /i;
const SEVERAL = /\b(?:and|or|plus|but)\b|[,&;:()]/i;
const LONGEST_OBJECT = 6;

/**
 * Reads what a statement says to be over: a Volvo that was sold, a job that was quit, a couple that broke up. Null for what
 * ends nothing, for what does not say which one, and for what was over in another time of life or is over for today.
 * @param isOfGroup true where it was said of what "we" do
 */
export function readEnding(statement: Statement, isOfGroup = false): State | null {
  const ending = endingIn(statement);
  if (!ending || LONG_AGO.test(statement.dated)) return null;
  if (ending.kind === "activity" && PASSING.test(statement.dated)) return null;
  return { ...ending, isOfGroup: isOfGroup || /^(?:we|team)$/.test(ending.subject) };
}

function endingIn(statement: Statement): State | null {
  if (statement.isNegative) return statement.isChange ? readFormerThing(statement) : null;
  const text = statement.text.replace(NEXT, "");
  const off = CALLED_OFF.exec(text)?.groups;
  if (off) return stateOf(statement, "arrangement", off["s"] ?? "", off["v"] ?? "");
  const died = DIED.exec(text)?.groups;
  if (died) return stateOf(statement, "animal", died["s"] ?? "", died["v"] ?? "");
  const exchanged = readExchange(statement, text);
  if (exchanged) return exchanged;
  for (const { kind, form, isDefinite } of ENDINGS) {
    const found = form.exec(text)?.groups;
    if (!found) continue;
    const { s = "", v = "" } = found;
    if (isDefinite && !isOneOfOnesOwn(v)) return null;
    return kind === "couple" ? coupleOf(statement, s, v) : stateOf(statement, kind, s, v);
  }
  return null;
}

/** Who no longer has the Volvo does not drive it, either; who no longer uses something uses it for nothing. */
function readFormerThing(statement: Statement): State | null {
  const found = FORMER_THING.exec(statement.text)?.groups;
  if (found) return stateOf(statement, "thing", found["s"] ?? "", found["v"] ?? "");
  const used = FORMER_USE.exec(statement.text)?.groups;
  return used ? asWhole(statement, stateOf(statement, "activity", used["s"] ?? "", used["v"] ?? "")) : null;
}

/** A thing of one's own was given away for another; what is only named is not used any more. */
function readExchange(statement: Statement, text: string): State | null {
  for (const form of EXCHANGED) {
    const { s, v, n = "" } = form.exec(text)?.groups ?? {};
    if (s === undefined || v === undefined || !isOneOfOnesOwn(v)) continue;
    if (DETERMINER.test(v)) return stateOf(statement, "thing", s, v);
    const isSomewhere = wordsOfTail(divideAtTail(n).tail).length > 0;
    return isSomewhere ? null : asWhole(statement, stateOf(statement, "activity", s, v));
  }
  return null;
}

/** What is not used for one thing or at one place any more may be used for another: null for that. */
function asWhole({ scope }: Statement, state: State | null): State | null {
  return state && scope === "" && state.tail === "" ? { ...state, isForAll: true } : null;
}

/** Case counts here: only a name needs no article. */
function isOneOfOnesOwn(value: string): boolean {
  return /^(?:the|their|his|her|its|my|our) /i.test(value) || /^[\p{Lu}\p{N}]/u.test(value);
}

/** Reads all that a statement says to hold now of what an ending may end. */
export function readHoldings(statement: Statement): readonly State[] {
  if (statement.isNegative) return [];
  const held = HOLDINGS.flatMap(({ kind, form }) => {
    const found = form.exec(statement.text)?.groups;
    return found ? (stateOf(statement, kind, found["s"] ?? "", found["v"] ?? "") ?? []) : [];
  });
  const arranged = ARRANGED.exec(statement.dated)?.groups;
  const state = arranged && stateOf(statement, "arrangement", arranged["s"] ?? "", arranged["v"] ?? "");
  return state ? [...held, state] : held;
}

function stateOf({ dated, scope, since }: Statement, kind: EndingKind, s: string, v: string): State | null {
  const subject = fold(s).replace(/^the /, "");
  const written = v.trim().replace(DETERMINER, "");
  const named = kind === "arrangement" ? written.replace(JOURNEY, "") : written;
  const { head: object, tail: more } = kind === "home" ? { head: named, tail: "" } : divideAtTail(named);
  const tail = /^(?:at|in|on) /.test(scope) ? `${more} ${scope}` : more;
  if (SEVERAL.test(object) || valueWords(object).length > LONGEST_OBJECT) return null;
  if (v !== "" && valueWords(object).length === 0) return null;
  if (kind === "couple" && object !== "" && !/^\p{Lu}/u.test(object)) return null;
  if (kind === "animal" && !/^\p{Lu}/u.test(object)) return null;
  const when = since ?? isoOf(DATED.exec(dated)?.[0] ?? "");
  return { kind, subject, object, tail, isForAll: false, isOfGroup: false, dated, scope, when };
}

/** "User and Anna broke up" is what "User broke up with Anna" is. */
function coupleOf(statement: Statement, s: string, v: string): State | null {
  const [one = "", other = "", ...more] = s.split(/ and (?:their (?:girlfriend|boyfriend|partner|wife|husband) )?/i);
  if (more.length > 0 || (other !== "" && v !== "")) return null;
  return stateOf(statement, "couple", one, ANY_PARTNER.test(v) || isAnyPartner(other) ? "" : other || v);
}

function isAnyPartner(word: string): boolean {
  return /^(?:girlfriend|boyfriend|partner|wife|husband)$/i.test(word);
}

/**
 * True when what holds is what is over. A house in Bonn is not the one in Ghent; "the house" may be either, so it is up to the
 * caller to end none of several that are not one (`areOneState`). Of the paintings no single one is all.
 */
export function ends(ending: State, held: State): boolean {
  if (ending.kind === "thing" && held.kind === "animal")
    return ending.subject === held.subject && isKindOf(ending, held);
  if (ending.kind === "activity" && held.kind === "tool") return endsTool(ending, held);
  if (ending.kind !== held.kind) return false;
  if (ending.subject !== held.subject && !isAnybodys(ending, held)) return false;
  switch (ending.kind) {
    case "work":
      return ending.object === "" || isOneThing(ending, held) || isIncluded(ending, held);
    case "couple":
      if (DIVORCED.test(ending.dated) && !MARRIED.test(held.dated)) return false;
      return ending.object === "" || isOneThing(ending, held) || isIncluded(ending, held);
    case "home":
      return ending.object === "" || isSameHome(ending.object, held.object);
    case "arrangement":
      return isOneThing(ending, held) && !isOneTimeOf(ending, held) && !isOtherArrangement(ending, held);
    case "animal":
      return ending.object === held.object;
    case "activity":
      if (LEFT.test(ending.dated) && / uses? /i.test(held.dated)) return false;
      return isOneThing(ending, held) && !isOneOfSeveral(ending, held);
    case "thing":
    case "tool":
      return isOneThing(ending, held) && !isOneOfSeveral(ending, held);
  }
}

/** What is said to be nobody's may be that of those who speak. */
const OURSELVES = /^(?:user|we|team)?$/;

/** An animal goes by its name, and so does a trip to Rome; an interview may be somebody else's. */
function isAnybodys(ending: State, held: State): boolean {
  const subjects = [ending.subject, held.subject];
  if (!subjects.includes("")) return false;
  if (ending.kind === "animal") return true;
  if (ending.kind !== "arrangement") return false;
  return /\p{Lu}/u.test(ending.object) || subjects.every((one) => OURSELVES.test(one));
}

/** What a team uses is over when "we" say so; what only one of them says is of their own tools. */
function endsTool(ending: State, held: State): boolean {
  if (!ending.isForAll || !isOneThing(ending, held) || wordsOfTail(held.tail).length > 0) return false;
  if (ending.isOfGroup && OURSELVES.test(held.subject)) return true;
  return ending.subject === held.subject && (held.subject !== "user" || PERSONAL_TOOL.test(held.dated));
}

/** True when one ending may end all: they are the same by other words. Of two cars it is not known which was sold. */
export function areOneState(states: readonly State[]): boolean {
  return states.every((one, index) => states.slice(index + 1).every((other) => isOneState(one, other)));
}

function isOneState(one: State, other: State): boolean {
  if (one.subject !== other.subject) return false;
  if (one.kind === "animal") return petOf(one) === petOf(other);
  if (one.kind === "arrangement" && contradicts("date", one.dated, other.dated)) return false;
  return one.kind === "home" || one.object === "" || other.object === "" || isOneThing(one, other);
}

/** Who no longer has a cat, or any pets, has no cat named Flo. */
function isKindOf({ object }: State, animal: State): boolean {
  const named = valueWords(object).join(" ");
  return named !== "" && (named === valueWords(petOf(animal)).join(" ") || /^(?:pet|animal)s?$/i.test(object));
}

function petOf({ dated }: State): string {
  return ANY_PET.exec(dated)?.[0].toLowerCase() ?? "";
}

const RECURS = /\bof (?:the|every|each) (?:week|month|quarter|year)\b/i;

/** A meeting that was cancelled once goes on every Monday, and one that is "at 9:15" every day. */
function isOneTimeOf(ending: State, held: State): boolean {
  if (RECURS.test(held.dated)) return !GOES_ON.test(`${ending.object} ${held.object}`);
  if (AT_A_TIME.test(held.dated) && Object.keys(datePartsOf(held.dated)).length === 0) return true;
  return held.scope !== "" && ending.scope !== held.scope && !GOES_ON.test(`${ending.object} ${held.object}`);
}

/** It is somebody else's, on another day or at another time, or the flight alone of a whole trip. */
function isOtherArrangement(ending: State, held: State): boolean {
  const isNamedOfNobody = ending.subject === "" && held.subject !== "" && !OF_SOMEBODY.test(held.tail);
  if (isNamedOfNobody && OF_SOMEBODY.test(ending.tail)) return true;
  if (FLIGHT.test(ending.dated) && !FLIGHT.test(held.dated)) return true;
  return contradicts("date", ending.dated, held.dated) || areAtOtherTimes(ending.dated, held.dated);
}

const OF_SOMEBODY = /^,? of \p{Lu}/u;

function areAtOtherTimes(one: string, other: string): boolean {
  const [first, second] = [AT_A_TIME.exec(one)?.groups, AT_A_TIME.exec(other)?.groups];
  if (!first || !second) return false;
  const hours = [first, second].map(({ hour, half }) => (half === undefined ? Number(hour) : Number(hour) % 12));
  return hours[0] !== hours[1] || (first["minute"] ?? "00") !== (second["minute"] ?? "00");
}

/** "The flat" is the one that is lived in, "the flat in Mainz" the one there; "their parents' house" is theirs alone. */
function isSameHome(left: string, held: string): boolean {
  const [named = "", place] = left.split(" in ");
  const [owner = "", dwelling] = named.split(" ");
  if (place !== undefined) {
    const isSuch = dwelling === undefined || ANY_DWELLING.split("|").includes(owner) || includes(held, owner);
    return isSuch && liesIn(held, place) && includes(held, dwelling ?? owner);
  }
  return dwelling === undefined || includes(held, owner.replace(/'s?$/, ""));
}

/** What is there several times is not over when one of it is. */
function isOneOfSeveral(ending: State, held: State): boolean {
  const [one, several] = [ending, held].map(({ object }) => fold(object).split(" ").at(-1) ?? "") as [string, string];
  return several.length > one.length && valueWords(several).join(" ") === valueWords(one).join(" ");
}

function isIncluded(ending: State, held: State): boolean {
  return mayBeOfOne(ending.tail, held.tail) && includes(held.object, ending.object);
}

/** "My brother's Volvo" is none of one's own. */
const SOMEBODYS = /^(?:[\p{L}-]+ )?[\p{L}-]+(?:'s|s') /u;

function isOneThing(one: State, other: State): boolean {
  if (allWords(one) === allWords(other)) return true;
  if (SOMEBODYS.test(one.object) !== SOMEBODYS.test(other.object)) return false;
  if (!mayBeOfOne(one.tail, other.tail)) return false;
  const [first, second] = [plainWords(one), plainWords(other)];
  if (first.join(" ") === second.join(" ")) return true;
  if (one.kind === "thing" && (isCarByName(first, other) || isKindOfNamed(first, other))) return true;
  if (one.kind === "activity") return false;
  return isNamedWithin(one, other) || isNamedWithin(other, one);
}

/** "The boat" is the "old boat named Luna". */
function isKindOfNamed(kind: readonly string[], { object }: State): boolean {
  const [, named = ""] = /^(?:[\p{L}-]+ ){0,3}?([\p{L}-]+) (?:named|called) \p{Lu}/u.exec(object) ?? [];
  return named !== "" && kind.length === 1 && valueWords(named)[0] === kind[0];
}

function isCarByName([word = "", ...more]: readonly string[], { object, dated }: State): boolean {
  return more.length === 0 && ANY_CAR.test(word) && / drives? /i.test(dated) && /^\p{Lu}/u.test(object);
}

/** "The Volvo" is the "red Volvo XC60", and no "Volvo dealership": only names and what stands before them may be left out. */
function isNamedWithin(short: State, long: State): boolean {
  const words = new Set(plainWords(long));
  if (!/\p{Lu}/u.test(short.object) || !plainWords(short).every((word) => words.has(word))) return false;
  const [head = ""] = long.object.split(" ").slice(-1);
  return /^[\p{Lu}\p{N}]/u.test(head) || plainWords(short).includes(valueWords(head)[0] ?? "");
}

function plainWords({ kind, object }: State): readonly string[] {
  return bareWords(kind, valueWords(object));
}

/** A subscription to Netflix is a Netflix subscription. */
function allWords({ kind, object, tail }: State): string {
  const words = [...valueWords(object), ...wordsOfTail(tail)];
  return bareWords(kind, words).toSorted().join(" ");
}

function bareWords(kind: EndingKind, words: readonly string[]): readonly string[] {
  const bare = kind === "arrangement" ? words.filter((word) => !WAYS_OF_HAVING.test(word)) : words;
  return bare.length > 0 ? bare : words;
}

function includes(whole: string, part: string): boolean {
  const words = new Set(valueWords(whole));
  return valueWords(part).every((word) => words.has(word));
}

const MOST_SEARCH_WORDS = 16;
/** Words by which the text index finds what may have ended. */
const HELD_WORDS: Readonly<Record<EndingKind, string>> = {
  thing: "owns drives rides keeps",
  work: "works work working employed job",
  home: "lives living shares rents flat",
  couple: "dating married engaged relationship girlfriend boyfriend partner wife husband fiancee",
  activity: "plays attends takes member uses",
  tool: "uses",
  animal: "named called",
  arrangement: "booked planned scheduled subscribes",
};

/** Words by which the text index finds what an ending may end. */
export function wordsOfHeld({ kind, object, tail }: State): string[] {
  return [...new Set([...valueWords(object), ...wordsOfTail(tail), ...HELD_WORDS[kind].split(" ")])].slice(
    0,
    MOST_SEARCH_WORDS,
  );
}
