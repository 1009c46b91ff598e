import type { ParsedResult } from "chrono-node/en";
import { addDays, dayOf, endOfMonth, endOfYear, MONTHS, written } from "./days.js";
import type { Pointing } from "./pointing.js";
import { bothYears, completeRange, completeYear, firstFrom, type Yearless, type YearlessRange } from "./year.js";

const RANGE =
  /^(?:from )?(\d{1,2})(?:st|nd|rd|th)?(?: ([a-z]{3,9}))? (?:to|until|till|through|-|–) (\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})$/;

/** A day that the parser may take for an hour: "from 3 June at 9:00". */
const DAY_OF_MONTH = new RegExp(
  String.raw`\b\d{1,2}(?:st|nd|rd|th)? (?:${MONTHS.map((name) => name.slice(0, 3)).join("|")})`,
  "i",
);
/** In "from 3 June to 17 June" the parser takes the 3 for an hour. */
const CLOCK = /:\d\d|\d ?[ap]\.?m\b|\bat \d|\b(?:noon|midday|midnight|o['’]clock)\b/;
/** "Five years of Go experience" is no date; "five years ago" and "in five years" are. */
const DURATION =
  /^(?:an?|\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many) (?:days?|weeks?|months?|years?)$/;

/** What the words of a date stand for. */
export interface Replacement {
  /** With its preposition: `on 7 May 2023`. Null leaves the words unchanged. */
  readonly phrase: string | null;
  readonly bare: string | null;
  readonly days: readonly string[];
  readonly lastDay: Date | null;
  /** As `CompletedDate.date`; absent if the words give it in full. */
  readonly date?: string;
  /** The dates that could be meant if the year cannot be decided; empty if it could be any year. */
  readonly open?: readonly string[];
}

/** One date of a text. */
export interface Match {
  readonly found: ParsedResult;
  /** In lower case. */
  readonly words: string;
  /** The whole text that contains it. */
  readonly text: string;
  readonly pointing: Pointing;
  readonly reference: Date;
  /** The earliest day that a date ahead can be. */
  readonly today: Date;
}

/** What the words of one match stand for; null when they are not a date after all, or one that has to stay vague. */
export function describeDate(match: Match): Replacement | null {
  const { found, words, text, reference } = match;
  if (isNoDate(found, words, text)) return null;
  const { start } = found;
  const date = new Date(Date.UTC(start.get("year") ?? 0, (start.get("month") ?? 1) - 1, start.get("day") ?? 1));
  if (words.startsWith("end of")) return describeEnd(match, date);
  if (/\bweekend\b/.test(words)) return describeWeekend(date, words);
  if (/\bweeks?\b/.test(words)) return describeWeek(/\bthis\b/.test(words) ? reference : date, words);
  const range = start.isCertain("day") ? null : rangeInWords(words);
  if (range) return describeYearlessRange(range, match);
  if (!start.isCertain("day") && DAY_OF_MONTH.test(words)) return null;
  const isVague = /\b(?:few|couple|several|some)\b/.test(words);
  if ((start.isCertain("year") && !start.isCertain("month")) || /\b(?:this|next|last) year\b/.test(words))
    return around(`${isVague ? "around" : "in"} ${date.getUTCFullYear()}`, endOfYear(date), dayOf(date).slice(0, 4));
  if (!start.isCertain("day") && start.isCertain("month")) return describeMonth(match, date);
  const isDay =
    start.isCertain("day") ||
    start.isCertain("weekday") ||
    /\b(?:today|this (?:morning|afternoon|evening))\b/.test(words);
  if (!isDay) return null;
  if (/\b(?:few|couple|several|some) (?:of )?days\b/.test(words))
    return around(`around ${written(date)}`, date, dayOf(date));
  return describeDay(match, date);
}

/** "End of May" is that of the next or the last May; "end of the month" is that of this month. */
function describeEnd({ found, words, pointing, today }: Match, date: Date): Replacement | null {
  const isNamed = MONTHS.some((month) => words.includes(month.slice(0, 3).toLowerCase()));
  let month = date;
  if (isNamed && !found.start.isCertain("year")) {
    const said: Yearless = { month: date.getUTCMonth(), day: null };
    const completed = completeYear(said, pointing, today);
    if (!completed) return stillOpen(said, pointing, today);
    month = new Date(Date.UTC(completed.getUTCFullYear(), said.month + 1, 0));
  }
  const end = `end of ${MONTHS[month.getUTCMonth()] ?? ""} ${month.getUTCFullYear()}`;
  return { phrase: end, bare: end, days: [], lastDay: month, date: dayOf(month).slice(0, 7) };
}

function isNoDate(match: ParsedResult, words: string, text: string): boolean {
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match.text.length);
  if (/^(?:for|within|now|right now|\d+ ?(?:min|sec|hour))|\bbefore$/.test(words)) return true;
  if (DURATION.test(words)) return true;
  // "We use Node 20 until 3 May": 20 is not a day.
  if (/^\d{1,2} (?:until|till|til) /.test(words) && !/\b(?:from|on|the)\s$/i.test(before)) return true;
  // "sat", "sun", "may" and "march" are ordinary words too.
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
  const common = { days, lastDay: sunday, date: days.join("/") };
  if (words === "weekend") return { phrase: bare, bare, ...common };
  return { phrase: `on the ${bare}`, bare: `the ${bare}`, ...common };
}

/** A named week is exact to the week; a number of weeks is an estimate. */
function describeWeek(date: Date, words: string): Replacement {
  if (!/\b(?:last|past|next|this|following)\b/.test(words))
    return around(`around ${written(date)}`, addDays(date, 6), dayOf(date));
  const monday = addDays(date, -((date.getUTCDay() + 6) % 7));
  const sunday = addDays(monday, 6);
  const bare = `the week of ${written(monday)}`;
  return { phrase: `in ${bare}`, bare, days: [], lastDay: sunday, date: `${dayOf(monday)}/${dayOf(sunday)}` };
}

function describeMonth({ found, words, text, pointing, today }: Match, date: Date): Replacement | null {
  if (/\b\d{4}\b/.test(words)) return { phrase: null, bare: null, days: [], lastDay: endOfMonth(date) };
  const isRelative = [...found.start.tags()].some((tag) => tag.startsWith("result/relativeDate"));
  let month = date;
  if (!isRelative) {
    if (!/\b(?:in|since|until|by|before|after|last|next|this|from|early|late|mid)\s/i.test(text)) return null;
    const said: Yearless = { month: date.getUTCMonth(), day: null };
    if (found.end?.isCertain("month") === true) return describeMonths(said, found.end, { pointing, today });
    const completed = completeYear(said, pointing, today);
    if (!completed) return stillOpen(said, pointing, today);
    month = completed;
  }
  const bare = `${MONTHS[month.getUTCMonth()] ?? ""} ${month.getUTCFullYear()}`;
  const isVague = /\b(?:few|couple|several|some)\b/.test(words);
  return {
    phrase: `${isVague ? "around" : "in"} ${bare}`,
    bare,
    days: [],
    lastDay: endOfMonth(month),
    date: dayOf(month).slice(0, 7),
  };
}

/** "From March to May". */
function describeMonths(
  first: Yearless,
  end: ParsedResult["start"],
  { pointing, today }: Pick<Match, "pointing" | "today">,
): Replacement {
  const range = completeRange({ first, last: { ...yearlessOf(end), day: null } }, pointing, today);
  if (!range) return stillOpen(first, pointing, today);
  const [from, to] = range.map((month) => `${MONTHS[month.getUTCMonth()] ?? ""} ${month.getUTCFullYear()}`);
  const bare = `${from ?? ""} to ${to ?? ""}`;
  const date = range.map((month) => dayOf(month).slice(0, 7)).join("/");
  return { phrase: `from ${bare}`, bare, days: [], lastDay: endOfMonth(range[1]), date };
}

function describeDay(match: Match, found: Date): Replacement | null {
  const { words, pointing, reference } = match;
  const { start, end } = match.found;
  const isWeekday = start.isCertain("weekday") && !start.isCertain("day");
  if (isWeekday && !/\b(?:last|next|this)\b/.test(words) && pointing.direction === "none") return null;
  if (start.isCertain("month") && !start.isCertain("year")) return describeYearless(match);
  if (isInFigures(words)) return inFigures(match, found);
  let date = found;
  if (isWeekday && pointing.direction === "past" && date > reference && !/\bnext\b/.test(words))
    date = addDays(date, -7);
  // The parser looked for days of the clause's own verb, which may point back.
  if (isWeekday && pointing.direction === "future" && date < match.today && !/\blast\b/.test(words))
    date = addDays(date, 7);
  if (isWeekday && pointing.isMoved === true && dayOf(date) === dayOf(reference)) date = addDays(date, 7);
  const isRange = end && !isSameDay(start, end);
  if (isRange && end.isCertain("day"))
    return describeRange(date, end.isCertain("year") ? dateOf(end) : firstFrom(yearlessOf(end), date), match);
  if (isRange && end.isCertain("weekday"))
    return describeRange(date, new Date(dateOf(end).getTime() + date.getTime() - found.getTime()), match);
  const isWritten = start.isCertain("year") && /\b\d{4}\b/.test(words) && start.isCertain("month");
  const common = { days: [dayOf(date)], lastDay: date };
  if (isWritten) return { phrase: null, bare: null, ...common };
  const bare = `${written(date)}${hoursOf(match)}`;
  return { phrase: `on ${bare}`, bare, ...common, date: dayOf(date) };
}

/** A day and month, or a range of them, without a year. */
function describeYearless(match: Match): Replacement | null {
  const { words, pointing, today } = match;
  const { start, end } = match.found;
  const said = yearlessOf(start);
  if (end && end.isCertain("day") && !isSameDay(start, end)) {
    const last = yearlessOf(end);
    if (!end.isCertain("year")) return describeYearlessRange({ first: said, last }, match);
    const range = rangeTo(said, dateOf(end));
    return range ? describeRange(range[0], range[1], match) : stillOpen(said, pointing, today);
  }
  const date = completeYear(said, pointing, today);
  if (isInFigures(words)) return inFigures(match, date);
  if (!date) return stillOpen(said, pointing, today);
  const bare = `${written(date)}${hoursOf(match)}`;
  return { phrase: `on ${bare}`, bare, days: [dayOf(date)], lastDay: date, date: dayOf(date) };
}

function describeYearlessRange(said: YearlessRange, match: Match): Replacement | null {
  const { pointing, today } = match;
  const range = completeRange(said, pointing, today);
  return range ? describeRange(range[0], range[1], match) : stillOpen(said.first, pointing, today);
}

/** "From 3 July to 6 July", of which the parser reads only a month. */
function rangeInWords(words: string): YearlessRange | null {
  const [, day, month, lastDay, lastMonth] = RANGE.exec(words) ?? [];
  const [first, last] = [yearlessIn(day, month ?? lastMonth), yearlessIn(lastDay, lastMonth)];
  return first && last && { first, last };
}

function yearlessIn(day = "", name = ""): Yearless | null {
  const month = name === "" ? -1 : MONTHS.findIndex((each) => each.toLowerCase().startsWith(name.slice(0, 3)));
  return month === -1 ? null : { month, day: Number(day) };
}

/** "From 28 December to 3 January 2027". */
function rangeTo(said: Yearless, end: Date): readonly [Date, Date] | null {
  const start = firstFrom(said, addDays(end, -365));
  return start && [start, end];
}

/** `3/4` may be a day in April or in March, so numeric dates stay as they are written. */
function isInFigures(words: string): boolean {
  return /\d[/.]\d/.test(words) && !/^\d{4}/.test(words);
}

function inFigures({ found: { start } }: Match, date: Date | null): Replacement {
  const isSure = (start.get("day") ?? 0) > 12 && date !== null;
  return {
    phrase: null,
    bare: null,
    days: isSure ? [dayOf(date)] : [],
    lastDay: isSure ? date : null,
    ...(isSure && !start.isCertain("year") && { date: dayOf(date) }),
  };
}

function describeRange(first: Date, last: Date | null, { found, words }: Match): Replacement | null {
  if (!last) return null;
  const { start, end } = found;
  const hasClock = CLOCK.test(words);
  const timeIn = (said: ParsedResult["start"]): string => (hasClock ? timeOf(said) : "");
  const bare = `${written(first)}${timeIn(start)} to ${written(last)}${end ? timeIn(end) : ""}`;
  const days = [dayOf(first), dayOf(last)];
  const isWritten = (words.match(/\b\d{4}\b/g) ?? []).length === 2;
  return { phrase: `from ${bare}`, bare, days, lastDay: last, ...(!isWritten && { date: days.join("/") }) };
}

/** Leaves the words as they were said. */
function stillOpen(said: Yearless, { isOfAnyYear }: Pointing, today: Date): Replacement {
  const length = said.day === null ? "YYYY-MM".length : "YYYY-MM-DD".length;
  const open = isOfAnyYear === true ? [] : bothYears(said, today).map((date) => dayOf(date).slice(0, length));
  return { phrase: null, bare: null, days: [], lastDay: null, open };
}

function yearlessOf(said: ParsedResult["start"]): Yearless {
  const weekday = said.isCertain("weekday") ? said.get("weekday") : null;
  return {
    month: (said.get("month") ?? 1) - 1,
    day: said.get("day") ?? 1,
    ...(weekday !== null && { weekday }),
  };
}

function dateOf(said: ParsedResult["start"]): Date {
  return new Date(Date.UTC(said.get("year") ?? 0, (said.get("month") ?? 1) - 1, said.get("day") ?? 1));
}

function isSameDay(one: ParsedResult["start"], other: ParsedResult["start"]): boolean {
  return dayOf(dateOf(one)) === dayOf(dateOf(other));
}

/** The time of day, or the range of times. */
function hoursOf({ found: { start, end }, words }: Match): string {
  if (/\bago\b/.test(words)) return "";
  if (!end?.isCertain("hour") || !start.isCertain("hour")) return timeOf(start);
  return ` from ${clockOf(start)} to ${clockOf(end)}`;
}

function timeOf(said: ParsedResult["start"]): string {
  return said.isCertain("hour") ? ` at ${clockOf(said)}` : "";
}

function clockOf(said: ParsedResult["start"]): string {
  return `${pad(said.get("hour") ?? 0)}:${pad(said.get("minute") ?? 0)}`;
}

function around(phrase: string, lastDay: Date, date: string): Replacement {
  return { phrase, bare: phrase.replace(/^(?:in|around) /, ""), days: [], lastDay, date };
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
