const DAY_MS = 86_400_000;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/** The month in which each season begins in the northern hemisphere; winter belongs to the year in which it begins. */
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };

const AGO = new RegExp(
  `\\b(\\d{1,3}|an?|${COUNTS.join("|")}|a couple of|a few)\\s+(day|week|month|year)s?\\s+ago\\b`,
  "gi",
);
const DAYS = /\b(the day before yesterday|yesterday|last night|today|tonight|this morning|tomorrow)\b/gi;
const SPANS = /\b(last|past|previous|this|next)\s+(week|weekend|month|year)\b/gi;
const NAMED = new RegExp(
  `\\b(?:this\\s+)?(last|past|next)\\s+(${WEEKDAYS.join("|")}|${Object.keys(SEASONS).join("|")})\\b`,
  "gi",
);

/**
 * Replaces relative days, weeks, months, seasons and years in a text (`yesterday`, `two weeks ago`, `last March`) with dates:
 * `on 19 November 2026`, `in the week of 9 November 2026`, `in March 2026`. In UTC; English only.
 */
export function resolveRelativeDates(text: string, now: Date): string {
  return text
    .replace(DAYS, (phrase) => onDay(addDays(now, DAY_OFFSETS[phrase.toLowerCase()] ?? 0)))
    .replace(AGO, (phrase, count: string, unit: string) => {
      const number = countOf(count.toLowerCase());
      return number === null ? phrase : back(now, number, unit.toLowerCase());
    })
    .replace(SPANS, (_phrase, which: string, unit: string) => span(now, which.toLowerCase(), unit.toLowerCase()))
    .replace(NAMED, (_phrase, which: string, name: string) => named(now, which.toLowerCase(), name.toLowerCase()));
}

const DAY_OFFSETS: Readonly<Record<string, number>> = {
  "the day before yesterday": -2,
  yesterday: -1,
  "last night": -1,
  tomorrow: 1,
};

/** Null if it is not a definite number, such as `a few`. */
function countOf(text: string): number | null {
  if (text === "a" || text === "an") return 1;
  if (text === "a couple of") return 2;
  if (text === "a few") return null;
  const word = COUNTS.indexOf(text);
  return word >= 0 ? word : Number(text);
}

function back(now: Date, count: number, unit: string): string {
  if (unit === "day") return onDay(addDays(now, -count));
  if (unit === "week") return inWeek(addDays(now, -7 * count));
  if (unit === "month") return inMonth(now.getUTCFullYear(), now.getUTCMonth() - count);
  return `in ${now.getUTCFullYear() - count}`;
}

function span(now: Date, which: string, unit: string): string {
  const steps = which === "this" ? 0 : which === "next" ? 1 : -1;
  if (unit === "week") return inWeek(addDays(now, 7 * steps));
  if (unit === "weekend") return onDay(addDays(monday(addDays(now, 7 * steps)), 5));
  if (unit === "month") return inMonth(now.getUTCFullYear(), now.getUTCMonth() + steps);
  return `in ${now.getUTCFullYear() + steps}`;
}

/** The nearest day or season of that name before or after today. */
function named(now: Date, which: string, name: string): string {
  const isNext = which === "next";
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday >= 0) {
    const before = (now.getUTCDay() - weekday + 7) % 7 || 7;
    return onDay(addDays(now, isNext ? 7 - (before % 7) : -before));
  }
  const first = SEASONS[name] ?? 0;
  const hasBegun = now.getUTCMonth() >= first;
  const year = now.getUTCFullYear() + (isNext ? (hasBegun ? 1 : 0) : hasEnded(now, first) ? 0 : -1);
  return `from ${monthOf(year, first)}, ${name}`;
}

/** True when this year's season that begins in the given month is over. */
function hasEnded(now: Date, first: number): boolean {
  return now.getUTCMonth() >= first + 3;
}

function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

function monday(date: Date): Date {
  return addDays(date, -((date.getUTCDay() + 6) % 7));
}

function onDay(date: Date): string {
  return `on ${dayOf(date)}`;
}

function inWeek(date: Date): string {
  return `in the week of ${dayOf(monday(date))}`;
}

function inMonth(year: number, month: number): string {
  return `in ${monthOf(year, month)}`;
}

function dayOf(date: Date): string {
  return `${date.getUTCDate()} ${monthOf(date.getUTCFullYear(), date.getUTCMonth())}`;
}

/** Months count from 0 and may lie outside the year. */
function monthOf(year: number, month: number): string {
  const date = new Date(Date.UTC(year, month, 1));
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
