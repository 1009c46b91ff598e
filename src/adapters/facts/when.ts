import type { ParsedResult, ParsingOption, ParsingReference } from "chrono-node/en";
import type { CompletedDate, OpenDate } from "../../core/types.js";
import { dayOf, dayStart } from "./days.js";
import { describeDate, type Replacement } from "./meaning.js";
import { resolvePeriods } from "./periods.js";
import { pointingAt, type Pointing } from "./pointing.js";

/** The date parser of chrono-node, handed in because it is loaded on first need. */
export type ParseDates = (text: string, reference: ParsingReference, option?: ParsingOption) => ParsedResult[];

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
  /** What the words did not say in full, in their order. */
  readonly completed: readonly CompletedDate[];
  /** Days and months whose year nothing decides, in their order. */
  readonly open: readonly OpenDate[];
  /** The first day ahead that the text or `DateContext.begun` names, `YYYY-MM-DD`. */
  readonly begins: string | null;
}

/** From where the dates of a text are seen. */
export interface DateContext {
  /** Its UTC fields are what a clock showed where the text was written. */
  readonly reference: Date;
  readonly pointing: Pointing;
  readonly parse: ParseDates;
  /** True where nobody knows when the text was written: then words that need that stay as they are. */
  readonly isUndated?: boolean;
  /** The verbs that stand before the text. */
  readonly verbs?: string;
  /** When that began of which the text may say the end: `YYYY-MM-DD`. */
  readonly begun?: string | null;
}

const DATE_SIGN =
  /\b(?:today|tonight|tomorrow|yesterday|weekend|ago|last|next|this|in (?:an?|\d+|two|three|four|five|six|few|several)|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan\w*|feb\w*|march|april|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|end of|the \d{1,2}(?:st|nd|rd|th))\b/i;
const NAMED_YEAR = /\b(?:in|since|until|from|during|before|after|of|around) (?:19|20)\d\d\b/;
const BARE_AFTER =
  /\b(?:by|until|till|since|before|after|from|to|of|through|around|between|about|late|early|mid|for)\s+$/i;
const OWN_PREPOSITION = /\b(?:on|in|at|during|this)\s+$/i;
/** What is said to end does so after it began. */
const END_BEFORE = /\b(?:ends?|expires?|closes?|finish(?:es)?|returns?|lapses?|until|till|through)\b[^,;]{0,16}$/i;
const NAMED_MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d[/.]\d/i;
const ORDINAL = "(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)";
const WEEKDAY = "(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:days?)?\\b";
const OF_PERIOD =
  "(?: (?:of|in) (?:(?:the|each|every|this|that|a|any) )?(?:months?|quarters?|years?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\\b(?:,? \\d{4}\\b)?)";
const LAST_ONE = `(?:second to |second-to-|next to )?last ${WEEKDAY}${OF_PERIOD}`;
/** "The second Sunday of October", "every other Tuesday": days of a calendar that come again, and not the next of that name. */
const ORDINAL_WEEKDAY = new RegExp(
  `\\b(?:(?:${ORDINAL}(?:,? (?:and |or )?${ORDINAL}){0,3}|every other|alternate) ${WEEKDAY}${OF_PERIOD}?|${LAST_ONE})`,
  "giu",
);
const YEARLESS_PARTS: readonly "year"[] = ["year"];
/**
 * Writes the relative dates of a text out as absolute ones, seen from a day. Absolute dates stay as they are written, and so
 * do days and months whose year nothing decides.
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

/** The same with nothing at their places, so that all others stay where they are. */
function withoutWords(text: string, matches: readonly RegExpExecArray[]): string {
  let left = text;
  for (const { 0: said, index } of matches)
    left = `${left.slice(0, index)}${"_".repeat(said.length)}${left.slice(index + said.length)}`;
  return left;
}

/** What the words of one match stand for, noting in `begun` when what lies ahead begins. */
function replace(
  found: ParsedResult,
  text: string,
  { reference, pointing: base, verbs = "" }: DateContext,
  begun: { day: string | null },
): Replacement | null {
  const before = text.slice(0, found.index);
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

/** A day that was said with its month lacks the year alone. */
function missingParts({ start, text }: ParsedResult, date: string): CompletedDate["parts"] {
  const isNamed = start.isCertain("month") && !start.isCertain("year") && NAMED_MONTH.test(text);
  if (isNamed || date.length === "YYYY".length) return YEARLESS_PARTS;
  return date.length === "YYYY-MM".length ? ["month", "year"] : ["day", "month", "year"];
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
