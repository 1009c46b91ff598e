import type { CompletedDate } from "../../core/types.js";
import type { Pointing } from "./pointing.js";

/** A text in which one kind of period was given its year, and what was completed. */
export interface PeriodText {
  readonly text: string;
  readonly completed: readonly CompletedDate[];
}

const SEASON = /\b(last|this|next) (spring|summer|fall|autumn|winter)\b/i;
const SEASON_END: Readonly<Record<string, number>> = { spring: 6, summer: 9, fall: 12, autumn: 12, winter: 3 };
const RELATIVE_QUARTER = /\b(?:in |during )?(?:the )?(last|previous|this|next) quarter\b(?! of\b| past\b)/i;
const QUARTER = /\b(in|by|until|since|during) q([1-4])\b(?![ ,]+(?:of )?(?:19|20|fy|fiscal|')|['/-]\d)/i;
const FISCAL = /\b(?:fiscal|fy\d*)\b/i;

/** Adds the year to "last summer" and "next quarter", and to "in Q1" if that points back or ahead. */
export function resolvePeriods(text: string, today: Date, pointing: Pointing): PeriodText {
  const completed: CompletedDate[] = [];
  const note = (said: string, date: string, parts: CompletedDate["parts"]): void => {
    completed.push({ said, date, parts });
  };
  const resolved = text
    .replace(SEASON, (said, which: string, season: string) => {
      const year = yearOfSeason(which.toLowerCase(), season.toLowerCase(), today);
      note(said, String(year), ["year"]);
      return `in the ${season.toLowerCase()} of ${year}`;
    })
    .replace(RELATIVE_QUARTER, (said, which: string) => {
      const offset = { this: 0, next: 1 }[which.toLowerCase()] ?? -1;
      const quarter = quarterOf(today) + offset;
      note(said, monthsOf(quarter), ["month", "year"]);
      return `in ${written(quarter)}`;
    });
  if (FISCAL.test(text)) return { text: resolved, completed };
  const named = resolved.replace(QUARTER, (said, preposition: string, number: string) => {
    const quarter = meantQuarter(Number(number) - 1, pointing, today);
    if (quarter === null) return said;
    note(said.slice(preposition.length + 1), monthsOf(quarter), ["year"]);
    return `${preposition} ${written(quarter)}`;
  });
  return { text: named, completed };
}

function yearOfSeason(which: string, season: string, today: Date): number {
  const isOver = today.getUTCMonth() + 1 >= (SEASON_END[season] ?? 12);
  const offset = { last: isOver ? 0 : -1, this: 0, next: isOver ? 1 : 0 }[which] ?? 0;
  return today.getUTCFullYear() + offset;
}

/** Quarters are counted from the year 0. */
function meantQuarter(inYear: number, { direction, isOfAnyYear }: Pointing, today: Date): number | null {
  if (direction === "none" || isOfAnyYear === true) return null;
  const now = quarterOf(today);
  const ofThisYear = today.getUTCFullYear() * 4 + inYear;
  if (direction === "past") return ofThisYear > now ? ofThisYear - 4 : ofThisYear;
  return ofThisYear < now ? ofThisYear + 4 : ofThisYear;
}

function quarterOf(day: Date): number {
  return day.getUTCFullYear() * 4 + Math.floor(day.getUTCMonth() / 3);
}

function written(quarter: number): string {
  return `Q${(quarter % 4) + 1} ${Math.floor(quarter / 4)}`;
}

/** `2027-01/2027-03`. */
function monthsOf(quarter: number): string {
  const year = Math.floor(quarter / 4);
  const first = (quarter % 4) * 3 + 1;
  const month = (number: number): string => `${year}-${String(number).padStart(2, "0")}`;
  return `${month(first)}/${month(first + 2)}`;
}
