import { instantOf, type TimeZone } from "../lib/time-zone.js";
import { iso, parseIso } from "../lib/time.js";

/** Longer texts are prose, not a date line; reading them would only cost time. */
const LONGEST_DATE_TEXT = 400;
/** The standard form of mail and `Date.toUTCString`: `Sat, 20 May 2023 10:00:00 GMT`. */
const RFC_1123 =
  /\b(?:mon|tue|wed|thu|fri|sat|sun), (\d{1,2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} (?:gmt|utc|[+-]\d{4}))\b/i;
const ISO_INSIDE = /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\d-])/i;

/**
 * Finds the calendar date that a short text names in full (day, month and year), written as ISO 8601, as mail headers
 * write it, or in English words ("1:56 pm on 8 May, 2023"). A time without an offset is one of the zone.
 * @returns `YYYY-MM-DD`, or a date-time in UTC when the text gives a time; null when there is no full date, or when the
 *   text is longer than 400 characters
 */
export async function findDate(text: string, zone: TimeZone = "UTC"): Promise<string | null> {
  if (text.length > LONGEST_DATE_TEXT || !/\d/.test(text)) return null;
  return findStandardDate(text, zone) ?? (await findWrittenDate(text, zone));
}

/**
 * Reads a timestamp as data formats hold it: an ISO or written date, or seconds or milliseconds since 1970.
 * @returns as `findDate`
 */
export async function readTimestamp(value: unknown, zone: TimeZone = "UTC"): Promise<string | null> {
  if (typeof value === "string") return findDate(value, zone);
  if (typeof value !== "number") return null;
  // Milliseconds have passed 1e11 since 1973; seconds will not before the year 5138.
  const date = new Date(value > 1e11 ? value : value * 1000);
  return value > 1e8 && !Number.isNaN(date.getTime()) ? iso(date) : null;
}

function findStandardDate(text: string, zone: TimeZone): string | null {
  const written = ISO_INSIDE.exec(text)?.[0];
  const parsed = written === undefined || !parseIso(written) ? null : instantOf(written, zone);
  if (written !== undefined && parsed) return written.length === 10 ? written : iso(parsed);
  const mail = RFC_1123.exec(text)?.[1];
  const date = mail === undefined ? null : new Date(mail);
  return date && !Number.isNaN(date.getTime()) ? iso(date) : null;
}

async function findWrittenDate(text: string, zone: TimeZone): Promise<string | null> {
  const chrono = await import("chrono-node/en");
  for (const { start } of chrono.parse(text, { instant: new Date(0), timezone: 0 })) {
    if (!start.isCertain("year") || !start.isCertain("month") || !start.isCertain("day")) continue;
    const date = start.date();
    if (Number.isNaN(date.getTime())) continue;
    if (!start.isCertain("hour")) return iso(date).slice(0, 10);
    const moment = start.isCertain("timezoneOffset") ? date : instantOf(iso(date).slice(0, -1), zone);
    return moment && iso(moment);
  }
  return null;
}
