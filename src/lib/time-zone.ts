import { iso, parseIso } from "./time.js";

/** Name of a zone of the IANA database, such as `Pacific/Auckland`, or a fixed offset from UTC, such as `+13:00`. */
export type TimeZone = string;

const OFFSET = /^([+-])(0\d|1[0-4]):?([0-5]\d)$/;
const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;
const DAY_LENGTH = "YYYY-MM-DD".length;
const MINUTE_MS = 60_000;

const MOST_FORMATS = 100;
/** By lower-case name, because case makes no difference. Creating one takes a fraction of a millisecond and 29 KB. */
const formats = new Map<TimeZone, Intl.DateTimeFormat>();

/** True for what all functions below accept as a zone. */
export function isTimeZone(name: string): boolean {
  if (OFFSET.test(name)) return true;
  // Where Intl supports offsets itself, it also accepts other notations.
  if (!/^[A-Za-z][\w+\-/]*$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The zone that this machine is set to. */
export function machineTimeZone(): TimeZone {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A date whose UTC fields are what a clock in the zone shows at a moment, so that they can be calculated with. */
export function wallClock(moment: Date, zone: TimeZone): Date {
  return new Date(moment.getTime() + offsetAt(moment, zone) * MINUTE_MS);
}

/**
 * An ISO 8601 date or date-time in the notation of the zone, e.g. `2026-11-24T09:00:00.000+13:00`; its first ten
 * characters are the day there. A day stays that day, a date-time with an offset other than `Z` keeps it, and one
 * without is a time in the zone. Anything else is returned as it is.
 */
export function inTimeZone(text: string, zone: TimeZone): string {
  const trimmed = text.trim();
  if (trimmed.length <= DAY_LENGTH || /[+-]\d{2}:?\d{2}$/.test(trimmed.slice(DAY_LENGTH))) return trimmed;
  const moment = instantOf(trimmed, zone);
  if (!moment) return text;
  const offset = offsetAt(moment, zone);
  const local = new Date(moment.getTime() + offset * MINUTE_MS).toISOString().slice(0, -1);
  return `${local}${writeOffset(offset)}`;
}

/** A date whose UTC fields are what `inTimeZone` writes, so that they can be calculated with; null for anything but a date. */
export function localDate(text: string, zone: TimeZone): Date | null {
  return parseIso(inTimeZone(text, zone).replace(/(?<=T.*)(?:Z|[+-]\d{2}:?\d{2})$/, ""));
}

/** The day (YYYY-MM-DD) of an ISO 8601 date or date-time in the zone; as in `inTimeZone`. */
export function dayIn(text: string, zone: TimeZone): string {
  return inTimeZone(text, zone).slice(0, DAY_LENGTH);
}

/** The moment of an ISO 8601 date or date-time; without an offset it is a time in the zone. Null for anything else. */
export function instantOf(text: string, zone: TimeZone): Date | null {
  const parsed = parseIso(text);
  if (!parsed || HAS_OFFSET.test(text.trim().slice(DAY_LENGTH))) return parsed;
  return fromWallClock(parsed, zone);
}

/** The last millisecond of a day (YYYY-MM-DD) in the zone, as ISO 8601 in UTC. @throws RangeError for an invalid day */
export function endOfDay(day: string, zone: TimeZone): string {
  return iso(fromWallClock(new Date(`${day}T23:59:59.999Z`), zone));
}

/**
 * The moment at which clocks in the zone show the UTC fields of a date. When clocks go back, the first of two; a time
 * skipped when they go forward counts as if they had not.
 */
function fromWallClock(local: Date, zone: TimeZone): Date {
  const before = offsetAt(new Date(local.getTime() - 86_400_000), zone);
  const after = offsetAt(new Date(local.getTime() + 86_400_000), zone);
  const moments = [before, after].map((offset) => new Date(local.getTime() - offset * MINUTE_MS));
  const fitting = moments.filter((moment) => wallClock(moment, zone).getTime() === local.getTime());
  const [first = new Date(local.getTime() - before * MINUTE_MS)] = fitting;
  return fitting.reduce((earliest, moment) => (moment < earliest ? moment : earliest), first);
}

/** Minutes that clocks in the zone are ahead of UTC at a moment. */
function offsetAt(moment: Date, zone: TimeZone): number {
  if (zone === "UTC" || Number.isNaN(moment.getTime())) return 0;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (sign !== undefined) return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  const minuteOf = Math.floor(moment.getTime() / MINUTE_MS);
  return Math.round(Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS - minuteOf);
}

function formatOf(zone: TimeZone): Intl.DateTimeFormat {
  const name = zone.toLowerCase();
  const known = formats.get(name);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  for (const oldest of formats.keys()) if (formats.size >= MOST_FORMATS) formats.delete(oldest);
  formats.set(name, format);
  return format;
}

function writeOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}
