const DURATION = /^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$/;
/** Seconds in a week, a day, an hour, a minute and a second. */
const SECONDS = [604_800, 86_400, 3_600, 60, 1];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z?$/;

/**
 * The end of an event as a reader understands it. In calendars, the end day is exclusive; a reader would take it for the last
 * day, so the day before is returned. Null if the event ends when it starts, or if start and end are not both days or both times.
 */
export function endShown(start: string, end: string): string | null {
  const isOfDays = DAY.test(start) && DAY.test(end);
  // An event that starts at a time cannot end on a day (RFC 5545, 3.6.1).
  if ((TIME.test(start) && DAY.test(end)) || (DAY.test(start) && TIME.test(end))) return null;
  const last = isOfDays ? (moved(end, -86_400) ?? end) : end;
  return last === start || (isOfDays && last < start) ? null : last;
}

/**
 * The day or time at which an event of a given duration ends, by the clock it starts by; a change of that clock in between is not
 * taken into account. Null where either cannot be parsed.
 */
export function endAfter(start: string, duration: string): string | null {
  const parts = DURATION.exec(duration)?.slice(1);
  const seconds = parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (SECONDS[index] ?? 0), 0);
  return seconds === undefined ? null : moved(start, seconds);
}

/** Adds seconds to a day or time, keeping its notation. */
function moved(moment: string, seconds: number): string | null {
  if (!DAY.test(moment) && !TIME.test(moment)) return null;
  const from = Date.parse(DAY.test(moment) || moment.endsWith("Z") ? moment : `${moment}Z`);
  const to = new Date(from + seconds * 1_000);
  if (Number.isNaN(to.getTime()) || to.getUTCFullYear() > 9_999) return null;
  return `${to.toISOString().slice(0, DAY.test(moment) ? 10 : 19)}${moment.endsWith("Z") ? "Z" : ""}`;
}
