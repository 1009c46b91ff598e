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

/** What a text says is over, or holds. */
export interface State {
  readonly kind: EndingKind;
  /** Folded; empty if the text does not say whose it is. */
  readonly subject: string;
  /** As written, without its qualifiers; empty if the text does not name it. */
  readonly object: string;
  /** As written: the qualifiers that distinguish it from others of its kind; empty for none. */
  readonly tail: string;
  /** It is over regardless of any qualifiers. */
  readonly isForAll: boolean;
  /** Those who speak say it of what they do together. */
  readonly isOfGroup: boolean;
  /** The whole statement including its date. */
  readonly dated: string;
  /** The only place or time at which it holds. */
  readonly scope: string;
  /** ISO year, month or day that the text names; null for none. */
  readonly when: string | null;
}

const DETERMINER = /^(?:the|their|his|her|its|an?|any|my|our|all|this|that) /i;
const SEVERAL = /\b(?:and|or|plus|but)\b|[,&;:()]/i;
const LONGEST_OBJECT = 6;

/**
 * Reads what a statement says is over: a Volvo that was sold, a job that was quit, a couple that broke up. Null for a statement
 * that ends nothing, does not say which one, or is about another time of life or about today only.
 * @param isOfGroup true if it says what "we" do
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

/** Someone who no longer has the Volvo does not drive it either; someone who no longer uses something uses it for nothing. */
function readFormerThing(statement: Statement): State | null {
  const found = FORMER_THING.exec(statement.text)?.groups;
  if (found) return stateOf(statement, "thing", found["s"] ?? "", found["v"] ?? "");
  const used = FORMER_USE.exec(statement.text)?.groups;
  return used ? asWhole(statement, stateOf(statement, "activity", used["s"] ?? "", used["v"] ?? "")) : null;
}

/** One's own thing was exchanged for another; a thing that is merely named is no longer used. */
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

/** Something no longer used for one purpose or in one place may still be used elsewhere: null for that. */
function asWhole({ scope }: Statement, state: State | null): State | null {
  return state && scope === "" && state.tail === "" ? { ...state, isForAll: true } : null;
}

/** Case matters here: only names need no article. */
function isOneOfOnesOwn(value: string): boolean {
  return /^(?:the|their|his|her|its|my|our) /i.test(value) || /^[\p{Lu}\p{N}]/u.test(value);
}

/** Reads everything a statement says holds now that an ending could end. */
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

/** Reads "User and Anna broke up" as "User broke up with Anna". */
function coupleOf(statement: Statement, s: string, v: string): State | null {
  const [one = "", other = "", ...more] = s.split(/ and (?:their (?:girlfriend|boyfriend|partner|wife|husband) )?/i);
  if (more.length > 0 || (other !== "" && v !== "")) return null;
  return stateOf(statement, "couple", one, ANY_PARTNER.test(v) || isAnyPartner(other) ? "" : other || v);
}

function isAnyPartner(word: string): boolean {
  return /^(?:girlfriend|boyfriend|partner|wife|husband)$/i.test(word);
}

/**
 * True when the ending ends the held state. A house in Bonn is not the one in Ghent; "the house" may be either, so the caller
 * must end none of several that differ (`areOneState`). No single one of the paintings is all of them.
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
      if (ending.isForAll && BELONGS.test(held.dated)) return false;
      return isOneThing(ending, held) && !isOneOfSeveral(ending, held);
    case "thing":
    case "tool":
      return isOneThing(ending, held) && !isOneOfSeveral(ending, held);
  }
}

/** Who uses something else now may still be with those who make it. */
const BELONGS = / (?:belongs? to|volunteers? (?:at|for|with)|is (?:a member|part|on the board|in charge) of) /i;

/** A state without an owner may belong to the speakers. */
const OURSELVES = /^(?:user|we|team)?$/;

/** A pet is identified by its name, and so is a trip to Rome by its destination; an interview may be somebody else's. */
function isAnybodys(ending: State, held: State): boolean {
  const subjects = [ending.subject, held.subject];
  if (!subjects.includes("")) return false;
  if (ending.kind === "animal") return true;
  if (ending.kind !== "arrangement") return false;
  return /\p{Lu}/u.test(ending.object) || subjects.every((one) => OURSELVES.test(one));
}

/** A team's tool is over when "we" say so; what a single member says is about their own tools. */
function endsTool(ending: State, held: State): boolean {
  if (!ending.isForAll || !isOneThing(ending, held) || wordsOfTail(held.tail).length > 0) return false;
  if (ending.isOfGroup && OURSELVES.test(held.subject)) return true;
  return ending.subject === held.subject && (held.subject !== "user" || PERSONAL_TOOL.test(held.dated));
}

/** True when one ending may end them all: they are the same in other words. Of two cars it is unknown which was sold. */
export function areOneState(states: readonly State[]): boolean {
  return states.every((one, index) => states.slice(index + 1).every((other) => isOneState(one, other)));
}

function isOneState(one: State, other: State): boolean {
  if (one.subject !== other.subject) return false;
  if (one.kind === "animal") return petOf(one) === petOf(other);
  if (one.kind === "arrangement" && contradicts("date", one.dated, other.dated)) return false;
  return one.kind === "home" || one.object === "" || other.object === "" || isOneThing(one, other);
}

/** Someone who no longer has a cat, or any pets, has no cat named Flo. */
function isKindOf({ object }: State, animal: State): boolean {
  const named = valueWords(object).join(" ");
  return named !== "" && (named === valueWords(petOf(animal)).join(" ") || /^(?:pet|animal)s?$/i.test(object));
}

function petOf({ dated }: State): string {
  return ANY_PET.exec(dated)?.[0].toLowerCase() ?? "";
}

const RECURS = /\bof (?:the|every|each) (?:week|month|quarter|year)\b/i;

/** A recurring Monday meeting continues after one is cancelled, as does a daily one "at 9:15". */
function isOneTimeOf(ending: State, held: State): boolean {
  if (RECURS.test(held.dated)) return !GOES_ON.test(`${ending.object} ${held.object}`);
  if (AT_A_TIME.test(held.dated) && Object.keys(datePartsOf(held.dated)).length === 0) return true;
  return held.scope !== "" && ending.scope !== held.scope && !GOES_ON.test(`${ending.object} ${held.object}`);
}

/** True when it is somebody else's, on another day or at another time, or only the flight of a whole trip. */
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

/** "The flat" is the one lived in, "the flat in Mainz" the one there; "their parents' house" is only their parents'. */
function isSameHome(left: string, held: string): boolean {
  const [named = "", place] = left.split(" in ");
  const [owner = "", dwelling] = named.split(" ");
  if (place !== undefined) {
    const isSuch = dwelling === undefined || ANY_DWELLING.split("|").includes(owner) || includes(held, owner);
    return isSuch && liesIn(held, place) && includes(held, dwelling ?? owner);
  }
  return dwelling === undefined || includes(held, owner.replace(/'s?$/, ""));
}

/** Something that exists several times is not over when one of them is. */
function isOneOfSeveral(ending: State, held: State): boolean {
  const [one, several] = [ending, held].map(({ object }) => fold(object).split(" ").at(-1) ?? "") as [string, string];
  return several.length > one.length && valueWords(several).join(" ") === valueWords(one).join(" ");
}

function isIncluded(ending: State, held: State): boolean {
  return mayBeOfOne(ending.tail, held.tail) && includes(held.object, ending.object);
}

/** "My brother's Volvo" is not one's own. */
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

/** "The boat" matches the "old boat named Luna". */
function isKindOfNamed(kind: readonly string[], { object }: State): boolean {
  const [, named = ""] = /^(?:[\p{L}-]+ ){0,3}?([\p{L}-]+) (?:named|called) \p{Lu}/u.exec(object) ?? [];
  return named !== "" && kind.length === 1 && valueWords(named)[0] === kind[0];
}

function isCarByName([word = "", ...more]: readonly string[], { object, dated }: State): boolean {
  return more.length === 0 && ANY_CAR.test(word) && / drives? /i.test(dated) && /^\p{Lu}/u.test(object);
}

/**
 * "The Volvo" matches the "red Volvo XC60", but not a "Volvo dealership": only names and the words before them may be omitted.
 */
function isNamedWithin(short: State, long: State): boolean {
  const words = new Set(plainWords(long));
  if (!/\p{Lu}/u.test(short.object) || !plainWords(short).every((word) => words.has(word))) return false;
  const [head = ""] = long.object.split(" ").slice(-1);
  return /^[\p{Lu}\p{N}]/u.test(head) || plainWords(short).includes(valueWords(head)[0] ?? "");
}

function plainWords({ kind, object }: State): readonly string[] {
  return bareWords(kind, valueWords(object));
}

/** So that a subscription to Netflix equals a Netflix subscription. */
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
/** Words by which the text index finds what may have ended, by kind. */
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
