import type { CompletedDate } from "../../core/types.js";
import { MONTHS } from "./days.js";
import type { Pointing } from "./pointing.js";

/** A text in which one kind of period was given its year, and what was completed. */
export interface PeriodText {
  readonly text: string;
  readonly completed: readonly CompletedDate[];
}

const DETERMINED = "(?<!\\b(?:the|our|my|your|his|her|its|their|every|each) )";
const SEASON = new RegExp(
  `${DETERMINED}\\b(?:(in|during) )?(last|this|next) (spring|summer|fall|autumn|winter)\\b`,
  "gi",
);
/** The first month of each season, counted from 0. It lasts three months. */
const SEASON_START: Readonly<Record<string, number>> = { spring: 2, summer: 5, fall: 8, autumn: 8, winter: 11 };
const SEASON_MONTHS = 3;
/** Not "the next March meeting". The months of names that are other words too are capitalised. */
const MONTH = new RegExp(`${DETERMINED}\\b(?:(in|during) )?(last|next) (${MONTHS.join("|")})\\b(?!,? \\d)`, "g");
/** In November it is unclear which one "next December" and "last October" mean. */
const UNCLEAR_MONTHS = 1;
/** A date after one of these needs no preposition of its own. */
export const AFTER_PREPOSITION =
  /\b(?:by|until|till|since|before|after|from|to|of|through|around|between|about|late|early|mid|for)\s+$/i;
const RELATIVE_QUARTER = /\b(?:in |during )?(?:the )?(last|previous|this|next) quarter\b(?! of\b| past\b)/i;
const QUARTER = /\b(in|by|until|since|during) q([1-4])\b(?![ ,]+(?:of )?(?:19|20|fy|fiscal|')|['/-]\d)/i;
const FISCAL = /\b(?:fiscal|fy\d*)\b/i;

/** Adds the year to "last summer", "last June" and "next quarter", and to "in Q1" if that points back or ahead. */
export function resolvePeriods(text: string, today: Date, pointing: Pointing): PeriodText {
  const completed: CompletedDate[] = [];
  const note = (said: string, date: string, parts: CompletedDate["parts"]): void => {
    completed.push({ said, date, parts });
  };
  const resolved = text
    .replace(
      SEASON,
      (said, preposition: string | undefined, which: string, name: string, at: number, whole: string) => {
        const season = name.toLowerCase();
        const year = yearOfSeason(which.toLowerCase(), season, { today, pointing });
        note(said, season === "winter" ? `${year}/${year + 1}` : String(year), ["year"]);
        return `${inUnless(preposition, whole.slice(0, at))}the ${season} of ${writtenYear(season, year)}`;
      },
    )
    .replace(MONTH, (said, preposition: string | undefined, which: string, name: string, at: number, whole: string) => {
      const month = meantMonth(which, MONTHS.indexOf(name), today);
      if (month === null) return said;
      note(said, monthOf(month), ["year"]);
      return `${inUnless(preposition, whole.slice(0, at))}${name} ${Math.floor(month / 12)}`;
    })
    .replace(RELATIVE_QUARTER, (said, which: string, at: number, whole: string) => {
      const offset = { this: 0, next: 1 }[which.toLowerCase()] ?? -1;
      const quarter = quarterOf(today) + offset;
      note(said, monthsOf(quarter), ["month", "year"]);
      return `${inUnless(undefined, whole.slice(0, at))}${written(quarter)}`;
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

/** "Since last summer" has its preposition already. */
function inUnless(preposition: string | undefined, before: string): string {
  return preposition === undefined && AFTER_PREPOSITION.test(before) ? "" : "in ";
}

/** The year in which the season begins that is meant. */
function yearOfSeason(
  which: string,
  season: string,
  { today, pointing }: { readonly today: Date; readonly pointing: Pointing },
): number {
  const start = SEASON_START[season] ?? 0;
  const month = today.getUTCMonth();
  const year = today.getUTCFullYear();
  const newest = month >= start ? year : year - 1;
  const isUnderWay = (year - newest) * 12 + month - start < SEASON_MONTHS;
  if (which === "next") return newest + 1;
  if (which === "last") return isUnderWay ? newest - 1 : newest;
  if (isUnderWay || pointing.direction === "past") return newest;
  return pointing.direction === "future" ? newest + 1 : year;
}

/** A winter lies in two years. */
function writtenYear(season: string, year: number): string {
  return season === "winter" ? `${year}/${String((year + 1) % 100).padStart(2, "0")}` : String(year);
}

/**
 * The last or next month of a name, or null if it is unclear which one is meant. Months are counted from the year 0.
 * @param inYear counted from 0
 */
function meantMonth(which: string, inYear: number, today: Date): number | null {
  const now = today.getUTCFullYear() * 12 + today.getUTCMonth();
  const ahead = (inYear - today.getUTCMonth() + 12) % 12;
  if (which === "next") return ahead > 0 && ahead <= UNCLEAR_MONTHS ? null : now + (ahead === 0 ? 12 : ahead);
  const ago = ahead === 0 ? 12 : 12 - ahead;
  return ago <= UNCLEAR_MONTHS ? null : now - ago;
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
  return `${monthOf(year * 12 + first - 1)}/${monthOf(year * 12 + first + 1)}`;
}

/** `2027-01`. */
function monthOf(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
}
