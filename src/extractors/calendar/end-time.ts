const DURATION = /^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$/;
/** Of a week, a day, an hour, a minute and a second. */
const SECONDS = [604_800, 86_400, 3_600, 60, 1];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z?$/;

/**
 * The end of an event as its reader understands it, from the day or time at which the calendar lets it end. Days of calendars
 * end before the one that is written; a reader takes that for the last one. Null where it ends as it begins, or
 * where it is of another kind than the beginning.
 */
export function endShown(start: string, end: string): string | null {
  const isOfDays = DAY.test(start) && DAY.test(end);
  // A day is no end of what begins at a time, as the standard has it (RFC 5545, 3.6.1).
  if ((TIME.test(start) && DAY.test(end)) || (DAY.test(start) && TIME.test(end))) return null;
  const last = isOfDays ? (moved(end, -86_400) ?? end) : end;
  return last === start || (isOfDays && last < start) ? null : last;
}

/**
 * The day or time at which an event of some duration ends, on the clock by which it begins: a change of that clock
 * meanwhile is not known here. Null where either cannot be read.
 */
export function endAfter(start: string, duration: string): string | null {
  const parts = DURATION.exec(duration)?.slice(1);
  const seconds = parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (SECONDS[index] ?? 0), 0);
  return seconds === undefined ? null : moved(start, seconds);
}

/** A day or time some seconds later, written in the same way. */
function moved(moment: string, seconds: number): string | null {
  if (!DAY.test(moment) && !TIME.test(moment)) return null;
  const from = Date.parse(DAY.test(moment) || moment.endsWith("Z") ? moment : `${moment}Z`);
  const to = new Date(from + seconds * 1_000);
  if (Number.isNaN(to.getTime()) || to.getUTCFullYear() > 9_999) return null;
  return `${to.toISOString().slice(0, DAY.test(moment) ? 10 : 19)}${moment.endsWith("Z") ? "Z" : ""}`;
}
