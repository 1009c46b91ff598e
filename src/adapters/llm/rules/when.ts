import type { ParsedResult, ParsingOption, ParsingReference } from "chrono-node/en";

/** The date parser of chrono-node, handed in because it is loaded on first need. */
export type ParseDates = (text: string, reference: ParsingReference, option?: ParsingOption) => ParsedResult[];

/** Which way an unfinished date ("on Friday", "in May") points; `none` leaves it as it is. */
export type Direction = "past" | "future" | "none";

/** A text whose relative dates were written out. */
export interface DatedText {
  readonly text: string;
  /** `YYYY-MM-DD`, each once, of the days that the text names. */
  readonly days: readonly string[];
  /** The last day of what the text names, `YYYY-MM-DD`, or null when it names no date. */
  readonly lastDay: string | null;
  readonly isDated: boolean;
  /** True for "until Friday". */
  readonly hasLimit: boolean;
}

interface Replacement {
  /** With its preposition: `on 7 May 2023`. Null leaves the words as they are. */
  readonly phrase: string | null;
  readonly bare: string | null;
  readonly days: readonly string[];
  readonly lastDay: Date | null;
}

const DATE_SIGN =
  /\b(?:today|tonight|tomorrow|yesterday|weekend|ago|last|next|this|in (?:an?|\d+|two|three|four|five|six|few|several)|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan\w*|feb\w*|march|april|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|end of|the \d{1,2}(?:st|nd|rd|th))\b/i;
const NAMED_YEAR = /\b(?:in|since|until|from|during|before|after|of|around) (?:19|20)\d\d\b/;
const SEASON = /\b(last|this|next) (spring|summer|fall|autumn|winter)\b/i;
const SEASON_END: Readonly<Record<string, number>> = { spring: 6, summer: 9, fall: 12, autumn: 12, winter: 3 };
const BARE_AFTER =
  /\b(?:by|until|till|since|before|after|from|to|of|through|around|between|about|late|early|mid|for)\s+$/i;
const OWN_PREPOSITION = /\b(?:on|in|at|during|this)\s+$/i;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 86_400_000;

/** Writes the relative dates of a text out as absolute ones, seen from a day. Absolute dates stay as they are written. */
export function resolveDates(text: string, reference: Date, direction: Direction, parse: ParseDates): DatedText {
  let result = resolveSeason(text, reference);
  const days = new Set<string>();
  let lastDay: Date | null = null;
  let isDated = result !== text || NAMED_YEAR.test(text);
  let hasLimit = false;
  const found = DATE_SIGN.test(result)
    ? parse(result, { instant: reference, timezone: 0 }, { forwardDate: direction === "future" })
    : [];
  for (const match of found.toReversed()) {
    const replacement = describe(match, result, reference, direction);
    if (!replacement) continue;
    isDated = true;
    for (const day of replacement.days) days.add(day);
    const isBeginning = /\b(?:from|starting|as of|beginning)\s+$/i.test(result.slice(0, match.index)) && !match.end;
    if (!isBeginning && replacement.lastDay && (!lastDay || replacement.lastDay > lastDay))
      lastDay = replacement.lastDay;
    hasLimit ||= /\b(?:until|till|til|through)\s+$/i.test(result.slice(0, match.index));
    result = write(result, match, replacement);
  }
  return { text: result, days: [...days].sort(), lastDay: lastDay && dayOf(lastDay), isDated, hasLimit };
}

function resolveSeason(text: string, reference: Date): string {
  return text.replace(SEASON, (words, which: string, season: string) => {
    const end = SEASON_END[season.toLowerCase()];
    if (end === undefined) return words;
    const isOver = reference.getUTCMonth() + 1 >= end;
    const year = reference.getUTCFullYear();
    const offset = { last: isOver ? 0 : -1, this: 0, next: isOver ? 1 : 0 }[which.toLowerCase()] ?? 0;
    return `in the ${season.toLowerCase()} of ${year + offset}`;
  });
}

/** What the words of one match stand for; null when they are no date after all, or one that has to stay vague. */
function describe(match: ParsedResult, text: string, reference: Date, direction: Direction): Replacement | null {
  const words = match.text.toLowerCase();
  if (isNoDate(match, words, text)) return null;
  const { start } = match;
  const date = new Date(Date.UTC(start.get("year") ?? 0, (start.get("month") ?? 1) - 1, start.get("day") ?? 1));
  const isRelative = [...start.tags()].some((tag) => tag.startsWith("result/relativeDate"));
  if (words.startsWith("end of")) {
    const end = `end of ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
    return { phrase: end, bare: end, days: [], lastDay: date };
  }
  if (/\bweekend\b/.test(words)) return describeWeekend(date, words);
  if (/\bweeks?\b/.test(words)) return describeWeek(/\bthis\b/.test(words) ? reference : date, words);
  const isVague = /\b(?:few|couple|several|some)\b/.test(words);
  if (start.isCertain("year") && !start.isCertain("month"))
    return around(`${isVague ? "around" : "in"} ${date.getUTCFullYear()}`, endOfYear(date));
  if (/\b(?:this|next|last) year\b/.test(words)) return around(`in ${date.getUTCFullYear()}`, endOfYear(date));
  if (!start.isCertain("day") && start.isCertain("month"))
    return describeMonth(date, words, isRelative, direction, reference, text);
  const isDay =
    start.isCertain("day") ||
    start.isCertain("weekday") ||
    /\b(?:today|this (?:morning|afternoon|evening))\b/.test(words);
  if (!isDay) return null;
  if (/\b(?:few|couple|several|some) (?:of )?days\b/.test(words)) return around(`around ${written(date)}`, date);
  return describeDay(match, date, words, direction, reference);
}

function isNoDate(match: ParsedResult, words: string, text: string): boolean {
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match.text.length);
  if (/^(?:for|within|now|right now|\d+ ?(?:min|sec|hour))|\bbefore$/.test(words)) return true;
  // "sat", "sun", "may" and "march" are words of their own.
  if (
    /^(?:[a-z]{3}|march|second)$/.test(match.text) ||
    (/^(?:sun|sat|mar|may)$/.test(words) && !/\b(?:in|of|since|until|by|last|next|this)\s$/i.test(before))
  )
    return true;
  if (
    /^(?:april|june|august|may)$/.test(words) &&
    !/\b(?:in|of|since|until|by|before|after|last|next|this|from|to|early|late|mid)\s$/i.test(before)
  )
    return true;
  return (
    /\b(?:every|each|other|most|black)\s+$/i.test(before) ||
    /^ (?:mornings|afternoons|evenings|nights)\b/i.test(after) ||
    (words === "friday" && /\bgood\s+$/i.test(before)) ||
    /^[a-z]/i.test(after)
  );
}

function describeWeekend(date: Date, words: string): Replacement {
  const saturday = date.getUTCDay() === 0 ? addDays(date, -1) : date;
  const sunday = addDays(saturday, 1);
  const days = [dayOf(saturday), dayOf(sunday)];
  const bare = `weekend of ${written(saturday)}`;
  if (words === "weekend") return { phrase: bare, bare, days, lastDay: sunday };
  return { phrase: `on the ${bare}`, bare: `the ${bare}`, days, lastDay: sunday };
}

/** A named week is known to the week; a number of weeks is a guess. */
function describeWeek(date: Date, words: string): Replacement {
  if (!/\b(?:last|past|next|this|following)\b/.test(words)) return around(`around ${written(date)}`, addDays(date, 6));
  const monday = addDays(date, -((date.getUTCDay() + 6) % 7));
  const bare = `the week of ${written(monday)}`;
  return { phrase: `in ${bare}`, bare, days: [], lastDay: addDays(monday, 6) };
}

function describeMonth(
  date: Date,
  words: string,
  isRelative: boolean,
  direction: Direction,
  reference: Date,
  text: string,
): Replacement | null {
  const end = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
  if (/\b\d{4}\b/.test(words)) return { phrase: null, bare: null, days: [], lastDay: end };
  if (
    !isRelative &&
    (direction === "none" || !/\b(?:in|since|until|by|before|after|last|next|this|from|early|late|mid)\s/i.test(text))
  )
    return null;
  const year = isRelative ? date.getUTCFullYear() : yearFor(date, direction, reference, 28);
  const bare = `${MONTHS[date.getUTCMonth()] ?? ""} ${year}`;
  const isVague = /\b(?:few|couple|several|some)\b/.test(words);
  return {
    phrase: `${isVague ? "around" : "in"} ${bare}`,
    bare,
    days: [],
    lastDay: new Date(Date.UTC(year, date.getUTCMonth() + 1, 0)),
  };
}

function describeDay(
  match: ParsedResult,
  found: Date,
  words: string,
  direction: Direction,
  reference: Date,
): Replacement | null {
  const { start, end } = match;
  const isWeekday = start.isCertain("weekday") && !start.isCertain("day");
  const isYearless = start.isCertain("month") && !start.isCertain("year");
  if ((isYearless || (isWeekday && !/\b(?:last|next|this)\b/.test(words))) && direction === "none") return null;
  if (/\d[/.]\d/.test(words) && !/^\d{4}/.test(words)) {
    const isUnsure = (start.get("day") ?? 0) <= 12;
    return { phrase: null, bare: null, days: isUnsure ? [] : [dayOf(found)], lastDay: isUnsure ? null : found };
  }
  let date = found;
  if (isYearless)
    date = new Date(Date.UTC(yearFor(found, direction, reference, 0), found.getUTCMonth(), found.getUTCDate()));
  if (isWeekday && direction === "past" && date > reference && !/\bnext\b/.test(words)) date = addDays(date, -7);
  if (end && end.isCertain("day")) return describeRange(date, end.date(), isYearless);
  if (end && end.isCertain("weekday"))
    return describeRange(date, new Date(end.date().getTime() + date.getTime() - found.getTime()), false);
  const isWritten = start.isCertain("year") && /\b\d{4}\b/.test(words);
  const hasTime = start.isCertain("hour") && !/\bago\b/.test(words);
  const time = hasTime ? ` at ${pad(start.get("hour") ?? 0)}:${pad(start.get("minute") ?? 0)}` : "";
  const bare = isWritten ? null : `${written(date)}${time}`;
  return { phrase: bare === null ? null : `on ${bare}`, bare, days: [dayOf(date)], lastDay: date };
}

function describeRange(first: Date, end: Date, isYearless: boolean): Replacement {
  const last = new Date(
    Date.UTC(isYearless ? first.getUTCFullYear() : end.getUTCFullYear(), end.getUTCMonth(), end.getUTCDate()),
  );
  const bare = `${written(first)} to ${written(last)}`;
  return { phrase: `from ${bare}`, bare, days: [dayOf(first), dayOf(last)], lastDay: last };
}

function around(phrase: string, lastDay: Date): Replacement {
  return { phrase, bare: phrase.replace(/^(?:in|around) /, ""), days: [], lastDay };
}

/** Puts the phrase in the place of the match; a preposition that stands before it already is not said twice. */
function write(text: string, match: ParsedResult, replacement: Replacement): string {
  const { phrase, bare } = replacement;
  if (phrase === null || bare === null) return text;
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match.text.length);
  if (/^'s\b/.test(after)) return `${before}the ${bare}${after.slice(2)}`;
  if (BARE_AFTER.test(before) || /^ off\b/.test(after)) return `${before}${bare}${after}`;
  return `${before.replace(OWN_PREPOSITION, "")}${phrase}${after}`;
}

function yearFor(date: Date, direction: Direction, reference: Date, slackDays: number): number {
  const year = reference.getUTCFullYear();
  const inYear = new Date(Date.UTC(year, date.getUTCMonth(), date.getUTCDate()));
  const today = new Date(Date.UTC(year, reference.getUTCMonth(), reference.getUTCDate()));
  if (direction === "past") return inYear > today ? year - 1 : year;
  return addDays(inYear, slackDays) < today ? year + 1 : year;
}

function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

function endOfYear(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), 11, 31));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function written(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
