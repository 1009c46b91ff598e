import type { ParsedResult, ParsingOption, ParsingReference } from "chrono-node/en";
import type { CompletedDate, OpenDate } from "../../core/types.js";
import { dayOf, dayStart } from "./days.js";
import { describeDate, type Replacement } from "./meaning.js";
import { AFTER_PREPOSITION, resolvePeriods } from "./periods.js";
import { pointingAt, type Pointing } from "./pointing.js";

/** The date parser of chrono-node, passed in because it is loaded on first use. */
export type ParseDates = (text: string, reference: ParsingReference, option?: ParsingOption) => ParsedResult[];

/** A text whose relative dates have been made absolute. */
export interface DatedText {
  readonly text: string;
  /** The days that the text names, as `YYYY-MM-DD`, without duplicates. */
  readonly days: readonly string[];
  /** The last day of the dates that the text names, `YYYY-MM-DD`, or null when it names none. */
  readonly lastDay: string | null;
  readonly isDated: boolean;
  /** True for "until Friday". */
  readonly hasLimit: boolean;
  /** Dates that the words did not give in full, in the order of the text. */
  readonly completed: readonly CompletedDate[];
  /** Days and months whose year cannot be decided, in the order of the text. */
  readonly open: readonly OpenDate[];
  /** `DateContext.begun`, else the first day ahead that the text names, `YYYY-MM-DD`. */
  readonly begins: string | null;
}

/** What the dates of a text are relative to. */
export interface DateContext {
  /** Its UTC fields are what a clock showed where the text was written. */
  readonly reference: Date;
  readonly pointing: Pointing;
  readonly parse: ParseDates;
  /** True if it is unknown when the text was written: words that depend on that then stay as they are. */
  readonly isUndated?: boolean;
  /** The verbs that stand before the text. */
  readonly verbs?: string;
  /** When something began whose end the text may give: `YYYY-MM-DD`. */
  readonly begun?: string | null;
}

const DATE_SIGN =
  /\b(?:today|tonight|tomorrow|yesterday|weekend|ago|last|next|this|in (?:an?|\d+|two|three|four|five|six|few|several)|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan\w*|feb\w*|march|april|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|end of|the \d{1,2}(?:st|nd|rd|th))\b/i;
const NAMED_YEAR = /\b(?:in|since|until|from|during|before|after|of|around) (?:19|20)\d\d\b/;
const OWN_PREPOSITION = /\b(?:on|in|at|during|this)\s+$/i;
/** Before a month that `resolvePeriods` has left as it was. */
const UNCLEAR_MONTH = /\b(?:last|next)\s+$/i;
/** An end that the text gives lies after the beginning. */
const END_BEFORE = /\b(?:ends?|expires?|closes?|finish(?:es)?|returns?|lapses?|until|till|through)\b[^,;]{0,16}$/i;
const NAMED_MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d[/.]\d/i;
const ORDINAL = "(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)";
const WEEKDAY = "(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:days?)?\\b";
const OF_PERIOD =
  "(?: (?:of|in) (?:(?:the|each|every|this|that|a|any) )?(?:months?|quarters?|years?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\\b(?:,? \\d{4}\\b)?)";
const LAST_ONE = `(?:second to |second-to-|next to )?last ${WEEKDAY}${OF_PERIOD}`;
/** "The second Sunday of October", "every other Tuesday": recurring calendar days, not just the next day of that name. */
const ORDINAL_WEEKDAY = new RegExp(
  `\\b(?:(?:${ORDINAL}(?:,? (?:and |or )?${ORDINAL}){0,3}|every other|alternate) ${WEEKDAY}${OF_PERIOD}?|${LAST_ONE})`,
  "giu",
);
const YEARLESS_PARTS: readonly "year"[] = ["year"];
/**
 * Replaces the relative dates of a text with absolute ones. Absolute dates stay as written, and so do days and months whose
 * year cannot be decided.
 */
export function resolveDates(text: string, context: DateContext): DatedText {
  const { reference, pointing, parse, isUndated = false } = context;
  const today = dayStart(reference);
  const periods = isUndated ? { text, completed: [] } : resolvePeriods(text, today, pointing);
  let result = periods.text;
  const days = new Set<string>();
  const completed: CompletedDate[] = [];
  const open: OpenDate[] = [];
  let lastDay: Date | null = null;
  let isDated = result !== text || NAMED_YEAR.test(text);
  let hasLimit = false;
  const inWords = [...result.matchAll(ORDINAL_WEEKDAY)];
  isDated ||= inWords.length > 0;
  const found = DATE_SIGN.test(result)
    ? parse(
        withoutWords(result, inWords),
        { instant: reference, timezone: 0 },
        { forwardDate: pointing.direction === "future" },
      )
    : [];
  const begun = { day: context.begun ?? null };
  const replaced = found.map((match) => ({ match, replacement: replace(match, result, context, begun) }));
  for (const { match, replacement } of replaced.toReversed()) {
    if (!replacement) continue;
    if (isUndated && (replacement.open || replacement.date !== undefined)) {
      isDated = true;
      continue;
    }
    if (replacement.open) {
      isDated ||= pointing.direction !== "none";
      if (replacement.open.length > 0) open.unshift({ said: match.text, dates: replacement.open });
      continue;
    }
    isDated = true;
    for (const day of replacement.days) days.add(day);
    if (replacement.date !== undefined)
      completed.unshift({ said: match.text, date: replacement.date, parts: missingParts(match, replacement.date) });
    const isBeginning = /\b(?:from|starting|as of|beginning)\s+$/i.test(result.slice(0, match.index)) && !match.end;
    if (!isBeginning && replacement.lastDay && (!lastDay || replacement.lastDay > lastDay))
      lastDay = replacement.lastDay;
    hasLimit ||= /\b(?:until|till|til|through)\s+$/i.test(result.slice(0, match.index));
    result = write(result, match, replacement);
  }
  return {
    text: result,
    days: [...days].sort(),
    lastDay: lastDay && dayOf(lastDay),
    isDated,
    hasLimit,
    completed: [...periods.completed, ...completed],
    open,
    begins: begun.day,
  };
}

/** Blanks out the matches, so that the rest of the text keeps its place. */
function withoutWords(text: string, matches: readonly RegExpExecArray[]): string {
  let left = text;
  for (const { 0: said, index } of matches)
    left = `${left.slice(0, index)}${"_".repeat(said.length)}${left.slice(index + said.length)}`;
  return left;
}

/** What the words of one match stand for; records in `begun` the first day ahead. */
function replace(
  found: ParsedResult,
  text: string,
  { reference, pointing: base, verbs = "" }: DateContext,
  begun: { day: string | null },
): Replacement | null {
  const before = text.slice(0, found.index);
  if (UNCLEAR_MONTH.test(before) && found.start.isCertain("month")) return null;
  const start = dayStart(reference);
  const beginning = begun.day === null ? start : new Date(begun.day);
  const seen = pointingAt(before, base, Boolean(found.end));
  const isAfterBeginning = seen.direction === "future" && beginning > start && END_BEFORE.test(`${verbs} ${before}`);
  const pointing = isAfterBeginning ? { ...seen, isAfterBeginning } : seen;
  const today = isAfterBeginning ? beginning : start;
  const replacement = describeDate({
    found,
    words: found.text.toLowerCase(),
    text,

    pointing,
    reference,
    today,
  });
  if (pointing.direction === "future") begun.day ??= replacement?.days[0] ?? null;
  return replacement;
}

/** A day said with its month lacks only the year. */
function missingParts({ start, text }: ParsedResult, date: string): CompletedDate["parts"] {
  const isNamed = start.isCertain("month") && !start.isCertain("year") && NAMED_MONTH.test(text);
  if (isNamed || date.length === "YYYY".length) return YEARLESS_PARTS;
  return date.length === "YYYY-MM".length ? ["month", "year"] : ["day", "month", "year"];
}

/** Puts the phrase in place of the match, without repeating a preposition that is already there. */
function write(text: string, match: ParsedResult, replacement: Replacement): string {
  const { phrase, bare } = replacement;
  if (phrase === null || bare === null) return text;
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match.text.length);
  if (/^'s\b/.test(after)) return `${before}the ${bare}${after.slice(2)}`;
  if (AFTER_PREPOSITION.test(before) || /^ off\b/.test(after)) return `${before}${bare}${after}`;
  return `${before.replace(OWN_PREPOSITION, "")}${phrase}${after}`;
}
