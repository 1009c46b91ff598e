import { localDate, type TimeZone } from "../../lib/time-zone.js";
import type { UnitWords } from "./evidence.js";
import { resolveRelativeDates } from "./relative-dates.js";

/** A day, month or year that a query names. */
export interface DateMention {
  /** 0 to 11, or null when only a year is named. */
  readonly month: number | null;
  readonly year: number | null;
  readonly day: number | null;
  /** How many months it spans from `month` on, 1 by default; 3 for a season. */
  readonly months?: number;
  /** True when it depends on the day the query is asked. */
  readonly isRelative?: boolean;
  /** Set when the query asks not about the date itself but about what came before it, or since or after it. */
  readonly side?: "before" | "since" | "after";
  /** The folded words of the query that name it. */
  readonly words: ReadonlySet<string>;
}

const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec";
const SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "((?:19|20)\\d\\d)";
const ISO_DATE = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/;
const DAY_FIRST = new RegExp(`\\b${DAY}(?:\\s+of)?\\s+(${MONTHS})\\b\\.?(?:,?\\s+${YEAR}\\b)?`);
const MONTH_FIRST = new RegExp(`\\b(${MONTHS})\\b\\.?\\s+${DAY}\\b(?!\\d)(?:,?\\s+${YEAR}\\b)?`);
const MONTH_YEAR = new RegExp(`\\b(${MONTHS})\\b\\.?,?\\s+(?:of\\s+)?${YEAR}\\b`);
/** A month on its own; `may` and `march` are also ordinary words, so they need a preposition. */
const MONTH_ONLY = new RegExp(
  `\\b(?:(?:in|since|until|before|after|during|by|of|from|for|early|late|mid|last|next|this)[\\s-]+(${MONTHS})|(${MONTHS.replace("march|", "").replace("may|", "")}))\\b`,
);
const YEAR_ONLY = new RegExp(`\\b(?:in|since|until|before|after|during|by|of|from|for)\\s+(?:the year\\s+)?${YEAR}\\b`);

/** The first date that a query names in words or as `YYYY-MM-DD`; null if there is none. */
export function findDateMention(text: string): DateMention | null {
  const lower = text.toLowerCase();
  const iso = ISO_DATE.exec(lower);
  if (iso) return mention(iso, iso[1], String(Number(iso[2]) - 1), iso[3]);
  const dayFirst = DAY_FIRST.exec(lower);
  if (dayFirst) return mention(dayFirst, dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
  const monthYear = MONTH_YEAR.exec(lower);
  if (monthYear) return mention(monthYear, monthYear[2], monthNumber(monthYear[1]), undefined);
  const monthFirst = MONTH_FIRST.exec(lower);
  if (monthFirst) return mention(monthFirst, monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2]);
  const month = MONTH_ONLY.exec(lower);
  if (month) return mention(month, undefined, monthNumber(month[1] ?? month[2]), undefined);
  const year = YEAR_ONLY.exec(lower);
  return year ? mention(year, year[1], undefined, undefined) : null;
}

const SEASON = /\b(?:spring|summer|autumn|fall|winter)$/;
const PAST = new RegExp(
  "\\b(?:yesterday|last night|the day before yesterday|(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of) " +
    "(?:day|week|month|year)s? ago|(?:last|past) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|fall|winter)|" +
    "(?:last|past|previous) (?:week|weekend|month|year))\\b",
);

/**
 * The first day, week, month, season or year before `now` that a query names, such as `last week` or `two days ago`; null if
 * there is none. In UTC.
 */
export function findPastMention(text: string, now: Date): DateMention | null {
  const [phrase] = PAST.exec(text.toLowerCase()) ?? [];
  const found = phrase === undefined ? null : findDateMention(resolveRelativeDates(phrase, now));
  if (!found || phrase === undefined) return null;
  const words = new Set(phrase.match(/[a-z0-9]+/g));
  return { ...found, words, isRelative: true, ...(SEASON.test(phrase) && { months: 3 }) };
}

function monthNumber(name: string | undefined): string | undefined {
  return name === undefined ? undefined : String(SHORT_MONTHS.indexOf(name.slice(0, 3)));
}

function mention(
  match: RegExpExecArray,
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): DateMention | null {
  const read = { month: whole(month), year: whole(year), day: whole(day) };
  if (read.month !== null && (read.month < 0 || read.month > 11)) return null;
  if (read.day !== null && (read.day < 1 || read.day > 31)) return null;
  const side = sideOf(match);
  return { ...read, words: new Set(match[0].match(/[a-z0-9]+/g) ?? []), ...(side && { side }) };
}

const SIDE = /(?:(\w+)\s+)?\b(before|prior to|after|since)\s*(?:the\s+)?$/;
const LONGEST_SIDE = 30;
/** `the week before 3 May` is talked about on 3 May or soon after it, and is a short time. */
const SPAN = /^(?:days?|nights?|mornings?|evenings?|weeks?|weekends?|months?|years?|\w+day)$/;

function sideOf({ index, input, 0: found }: RegExpExecArray): DateMention["side"] {
  const [own = ""] = /^(?:before|after|since)\b/.exec(found) ?? [];
  const [, previous = "", sign] = SIDE.exec(input.slice(Math.max(0, index - LONGEST_SIDE), index) + own) ?? [];
  if (sign === undefined || SPAN.test(previous)) return undefined;
  return sign === "since" || sign === "after" ? sign : "before";
}

function whole(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

const DAY_MS = 86_400_000;
/** An event is talked about for a while afterwards. */
const DAYS_AFTER = 14;

/** How well a unit fits a date, 0 to 1: by its own date, by the dates of its event, or by naming the date itself. */
export function matchDate(date: DateMention, { detail }: UnitWords, timeZone: TimeZone = "UTC"): number {
  const moments = momentsOf(detail, { withTold: date.isRelative === true, timeZone });
  if (date.side && date.year !== null) return moments.some((moment) => liesOnSide(date, moment)) ? ON_SIDE : 0;
  let best = namesDate(date, detail.text.toLowerCase()) ? 1 : 0;
  for (const moment of moments) best = Math.max(best, matchMoment(date, moment));
  return best;
}

/** The time before or after a date is long, so lying in it says little. */
const ON_SIDE = 0.5;

function liesOnSide({ side, year, month, day }: DateMention, moment: Date): boolean {
  const from = (years: number, months: number, days: number): number =>
    Date.UTC((year ?? 0) + years, (month ?? 0) + months, (day ?? 1) + days);
  if (side === "before") return moment.getTime() < from(0, 0, 0);
  if (side === "since") return moment.getTime() >= from(0, 0, 0);
  return moment.getTime() >= (month === null ? from(1, 0, 0) : day === null ? from(0, 1, 0) : from(0, 0, 1));
}

function namesDate(date: DateMention, text: string): boolean {
  const own = findDateMention(text);
  if (!own) return false;
  const differs = (one: number | null, other: number | null): boolean =>
    one !== null && other !== null && one !== other;
  if (date.month === null) return own.year === date.year;
  return own.month === date.month && !differs(own.year, date.year) && !differs(own.day, date.day);
}

/**
 * The moments of a unit: the date of a chunk, the event dates of a memory. Their UTC fields are the time in the zone.
 * @param options `withTold`: for a memory without event dates, when it was told: someone who asks about last week may well mean
 * that
 */
export function momentsOf(
  detail: UnitWords["detail"],
  { withTold, timeZone }: { readonly withTold: boolean; readonly timeZone: TimeZone },
): Date[] {
  const context = detail.memory?.metadata?.["temporalContext"];
  const events = isEventDates(context) ? context.eventDate : [];
  const told = withTold && events.length === 0 ? detail.memory?.createdAt : undefined;
  return [detail.chunk?.metadata?.date, ...events, told]
    .filter((each) => typeof each === "string")
    .map((each) => localDate(each, timeZone) ?? new Date(each))
    .filter((moment) => !Number.isNaN(moment.getTime()));
}

/**
 * The day, or the first day of the month, that a text names: a date with its year, or, if it is known when it was told, a date
 * relative to that, such as `last week` or `next month`. Null when it names none.
 */
export function dateSaidIn(text: string, told: Date | null): Date | null {
  const said = findDateMention(told ? resolveRelativeDates(text, told) : text);
  if (!said || said.year === null || said.month === null) return null;
  return new Date(Date.UTC(said.year, said.month, said.day ?? 1));
}

function isEventDates(value: unknown): value is { eventDate: readonly unknown[] } {
  return typeof value === "object" && value !== null && "eventDate" in value && Array.isArray(value.eventDate);
}

function matchMoment(date: DateMention, moment: Date): number {
  const year = moment.getUTCFullYear();
  const month = moment.getUTCMonth();
  if (date.month === null) return year === date.year ? 0.2 : 0;
  if (date.year !== null && date.day !== null) {
    const days = Math.floor(moment.getTime() / DAY_MS) - Date.UTC(date.year, date.month, date.day) / DAY_MS;
    if (days === 0) return 1;
    return days > 0 && days <= DAYS_AFTER ? 0.5 : 0;
  }
  const later = date.year === null ? (month - date.month + 12) % 12 : (year - date.year) * 12 + month - date.month;
  const months = date.months ?? 1;
  if (later >= 0 && later < months) return 0.5;
  return later === months ? 0.25 : 0;
}
