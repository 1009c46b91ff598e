import type { Pointing } from "./pointing.js";

/** A day or a month that was said without its year. Months count from 0. */
export interface Yearless {
  readonly month: number;
  /** Null for the month as a whole. */
  readonly day: number | null;
  /** From 0 for Sunday, if it was said with the day: it usually fits only one year. */
  readonly weekday?: number;
}

/** A range of days that was said without a year. */
export interface YearlessRange {
  readonly first: Yearless;
  readonly last: Yearless;
}

/** What was arranged but is not done yet hardly ever lies further ahead. */
const NEAR_DAYS = 274;
/** A day that has only just passed may be meant as well as the same day next year. */
const JUST_PASSED_DAYS = 31;
/** If a longer range is under way, it is unclear whether this one or the next one is meant. */
const LONGEST_UNDER_WAY_DAYS = 92;
const DAY_MS = 86_400_000;

/**
 * The first day of what was said, in the year that is meant, seen from `today`: the last one for what happened, the next one
 * for what is going to happen. Null when two years are equally possible, and for a day that the year does not have.
 */
export function completeYear(
  said: Yearless,
  { direction, isNear, isOfAnyYear, isAfterBeginning }: Pointing,
  today: Date,
): Date | null {
  if (isOfAnyYear === true) return null;
  if (said.weekday !== undefined) return onItsWeekday(said, said.weekday, today);
  if (direction === "none") return null;
  const [last, next] = lastAndNext(said, today);
  if (direction === "past") return last;
  if (!next) return null;
  if (isAfterBeginning === true) return next;
  if (isNear === true && daysBetween(today, next) > NEAR_DAYS) return null;
  const end = last && endOf(said, last);
  return end && end < today && daysBetween(end, today) <= JUST_PASSED_DAYS ? null : next;
}

/**
 * The days of a range in the year that is meant, as in `completeYear`: a range that is under way may have begun last year,
 * and one that happened is over.
 */
export function completeRange(
  { first, last }: YearlessRange,
  pointing: Pointing,
  today: Date,
): readonly [Date, Date] | null {
  const [begun] = lastAndNext(first, today);
  const over = begun && firstFrom(last, begun);
  if (pointing.isOfAnyYear !== true && begun && over) {
    if (pointing.direction === "future" && over >= today)
      return daysBetween(begun, over) <= LONGEST_UNDER_WAY_DAYS ? [begun, over] : null;
    if (pointing.direction === "past" && over > today) {
      const earlier = inYear(first, begun.getUTCFullYear() - 1);
      const end = earlier && firstFrom(last, earlier);
      return earlier && end && [earlier, end];
    }
  }
  const start = completeYear(first, pointing, today);
  const end = start && firstFrom(last, start);
  return start && end && [start, end];
}

/** The first such day on or after `day`; null when the year does not have it. */
export function firstFrom(said: Yearless, day: Date): Date | null {
  const inSameYear = inYear(said, day.getUTCFullYear());
  return inSameYear && inSameYear >= day ? inSameYear : inYear(said, day.getUTCFullYear() + 1);
}

/** Whichever of the last and the next one falls on the weekday that was said, if only one does. */
function onItsWeekday(said: Yearless, weekday: number, today: Date): Date | null {
  const fitting = bothYears(said, today).filter((date) => date.getUTCDay() === weekday);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** Both days that could be meant, the last one and the next one, if their years have them. */
export function bothYears(said: Yearless, today: Date): Date[] {
  const both = lastAndNext(said, today).filter((date) => date !== null);
  return [...new Map(both.map((date) => [date.getTime(), date])).values()];
}

/** What has begun counts as the last one; what is not over yet also counts as the next one. */
function lastAndNext(said: Yearless, today: Date): readonly [Date | null, Date | null] {
  const year = today.getUTCFullYear();
  const now = inYear(said, year);
  const last = now && now <= today ? now : inYear(said, year - 1);
  const next = now && endOf(said, now) < today ? inYear(said, year + 1) : now;
  return [last, next];
}

function inYear({ month, day }: Yearless, year: number): Date | null {
  const date = new Date(Date.UTC(year, month, day ?? 1));
  return date.getUTCMonth() === month ? date : null;
}

function endOf({ month, day }: Yearless, first: Date): Date {
  return day === null ? new Date(Date.UTC(first.getUTCFullYear(), month + 1, 0)) : first;
}

function daysBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / DAY_MS;
}
