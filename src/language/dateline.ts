import { dayIn, type TimeZone } from "../lib/time-zone.js";
import { findDate } from "./dates.js";
import { saysNothing } from "./passed-over.js";

/** A text says at its beginning when it was written. */
const TOP_LINES = 12;
const READ = 20_000;
const LONGEST_LINE = 100;
const LABEL = /^[\s#>*_-]{0,8}(?:date|datum|fecha|data|dato)\*{0,2} {0,2}:\*{0,2} {0,3}(\S.{3,60})$/iu;
const HEADING = /^\s{0,3}#{1,6} /u;
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
const DATE = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}(?:st|nd|rd|th)? ${MONTH},? \\d{4}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4})(?:,? (?:at )?\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?)?`;
const RECORD =
  "(?:minutes|meetings?|stand-?ups?|retro(?:spective)?|sync|all[- ]hands|1[:-]1s?|one-on-one|kick-?off|debrief|jour fixe|journal|diary|log|notes?|daily|weekly)";
/** What stands in the head of a record, besides its day. */
const HEAD_LINE =
  /^[\s#>*_-]{0,8}(?:present|attendees|participants|apologies|absent|author|written by|minuted by|note-?taker|chair|team|project|location|place|time|teilnehmer|anwesend)\*{0,2} {0,2}:/iu;
const RECORD_WORD = new RegExp(`\\b${RECORD}\\b`, "iu");
/** The day of a record: "Weekly sync, 24 November 2026", "2026-11-24 standup"; not "Notes on the treaty of 3 May 1791". */
const DATED_RECORD = new RegExp(
  `^(?:[^.!?]{0,60}\\b${RECORD}\\b[^.!?]{0,30}?(?:(?<=${RECORD}) (?:(?:of|on|from|for) )?|[,:|(–—-] ?)${DATE}\\)?|${DATE}[,:|)–—-]{0,2} [^.!?]{0,40}\\b${RECORD}\\b[^.!?]{0,30})$`,
  "iu",
);

/**
 * The day on which a text says that it was written: in a line such as "Date: 24 November 2026" in the head of a record, in the heading of
 * minutes or of a journal, or in a first line that is only a date, with or without a place. Words such as "tomorrow" in it refer to that day.
 * @param notAfter ISO date or date-time; a later day is not when it was written
 * @returns `YYYY-MM-DD`, or null when the text does not say, or names several days for its parts
 */
export async function findDateline(text: string, notAfter: string, zone: TimeZone): Promise<string | null> {
  const lines = text
    .slice(0, READ)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const days = new Set<string>();
  const head = headOf(lines);
  const isRecord = head.some((line) => HEAD_LINE.test(line) || RECORD_WORD.test(line));
  for (const [at, line] of lines.entries()) {
    const labelled = isRecord && at < head.length ? LABEL.exec(line)?.[1] : undefined;
    const dated = labelled === undefined ? datedHeading(line, at === 0) : saysNothing(labelled) ? labelled : null;
    const date = dated === null ? null : await findDate(dated, zone);
    if (date !== null) days.add(date.length === "YYYY-MM-DD".length ? date : dayIn(date, zone));
  }
  const [day, another] = days;
  return day !== undefined && another === undefined && day <= notAfter ? day : null;
}

/** The lines above the first sentence. */
function headOf(lines: readonly string[]): readonly string[] {
  const top = lines.slice(0, TOP_LINES);
  const end = top.findIndex((line) => !HEAD_LINE.test(line) && (/[.!?]$/u.test(line) || line.length > LONGEST_LINE));
  return end === -1 ? top : top.slice(0, end);
}

function datedHeading(line: string, isFirst: boolean): string | null {
  if (line.length > LONGEST_LINE || !/\d{4}/.test(line)) return null;
  if (!isFirst && !HEADING.test(line)) return null;
  const heading = line.replace(HEADING, "");
  return saysNothing(heading) || DATED_RECORD.test(heading) ? heading : null;
}
