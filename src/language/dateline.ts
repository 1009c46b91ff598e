import type { TimeZone } from "../lib/time-zone.js";
import { findDate } from "./dates.js";
import { saysNothing } from "./passed-over.js";

/** A text says at its beginning when it was written. */
const TOP_LINES = 12;
const READ = 2_000;
const LONGEST_LINE = 100;
const LABEL = /^[\s#>*_-]{0,8}(?:date|datum|fecha|data|dato)\*{0,2} {0,2}:\*{0,2} {0,3}(\S.{3,60})$/iu;
const HEADING = /^\s{0,3}#{1,6} /u;
/** Texts about one day. Other headings may name a day that the text is about: "Incident of 3 May 2026". */
const RECORD =
  /\b(?:minutes|meetings?|stand-?ups?|retro(?:spective)?|sync|all[- ]hands|1[:-]1s?|one-on-one|kick-?off|debrief|jour fixe|journal|diary|log|notes?|daily|weekly|protokoll|tagebuch)\b/iu;

/**
 * The day on which a text says that it was written: in a line such as "Date: 24 November 2026", in the heading of minutes or of
 * a journal, or in a first line that is only a date, with or without a place. Words such as "tomorrow" in it refer to that day.
 * @param notAfter ISO date or date-time; a later day is not when it was written
 * @returns `YYYY-MM-DD`, or null when the text does not say
 */
export async function findDateline(text: string, notAfter: string, zone: TimeZone): Promise<string | null> {
  const lines = text
    .slice(0, READ)
    .split("\n", TOP_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  for (const [at, line] of lines.entries()) {
    const dated = LABEL.exec(line)?.[1] ?? (isDatedHeading(line, at === 0) ? line : null);
    const date = dated === null ? null : await findDate(dated, zone);
    const day = date?.slice(0, "YYYY-MM-DD".length);
    if (day !== undefined && day <= notAfter) return day;
  }
  return null;
}

function isDatedHeading(line: string, isFirst: boolean): boolean {
  if (line.length > LONGEST_LINE || !/\d{4}/.test(line)) return false;
  if (!isFirst && !HEADING.test(line)) return false;
  return saysNothing(line.replace(HEADING, "")) || (RECORD.test(line) && !/[.!?]$/u.test(line));
}
