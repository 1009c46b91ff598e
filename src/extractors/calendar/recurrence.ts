const UNITS: ReadonlyMap<string, string> = new Map([
  ["SECONDLY", "second"],
  ["MINUTELY", "minute"],
  ["HOURLY", "hour"],
  ["DAILY", "day"],
  ["WEEKLY", "week"],
  ["MONTHLY", "month"],
  ["YEARLY", "year"],
]);
const DAYS: ReadonlyMap<string, string> = new Map([
  ["MO", "Monday"],
  ["TU", "Tuesday"],
  ["WE", "Wednesday"],
  ["TH", "Thursday"],
  ["FR", "Friday"],
  ["SA", "Saturday"],
  ["SU", "Sunday"],
]);
const ORDER: ReadonlyMap<string, string> = new Map([
  ["1", "first"],
  ["2", "second"],
  ["3", "third"],
  ["4", "fourth"],
  ["-1", "last"],
]);

/**
 * A recurrence rule in words, such as "every 2 weeks on Monday, Wednesday until 2026-12-01". Parts that have no wording are given
 * as they are.
 */
export function describeRecurrence(rule: Readonly<Record<string, string>>): string {
  const { freq = "", interval = "1", byday, until, count, wkst: _weekStart, ...others } = rule;
  const unit = UNITS.get(freq) ?? freq.toLowerCase();
  const pieces = [
    interval === "1" ? `every ${unit}` : `every ${interval} ${unit}s`,
    byday === undefined ? "" : `on ${byday.split(",").map(dayName).join(", ")}`,
    ...Object.entries(others).map(([name, value]) => `${OTHERS.get(name) ?? name} ${value.replaceAll(",", ", ")}`),
    until === undefined ? "" : `until ${until}`,
  ].filter((piece) => piece !== "");
  return count === undefined ? pieces.join(" ") : `${pieces.join(" ")}, ${TIMES.get(count) ?? `${count} times`}`;
}

const TIMES: ReadonlyMap<string, string> = new Map([
  ["1", "once"],
  ["2", "twice"],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ["bymonthday", "on day"],
  ["bymonth", "in month"],
  ["byhour", "at hour"],
]);

/** `-1FR`: last Friday. */
function dayName(day: string): string {
  const [, order = "", name = day] = /^([+-]?\d{1,3})?([A-Z]{2})$/.exec(day) ?? [];
  const which = order === "" ? "" : `the ${ORDER.get(order.replace("+", "")) ?? order} `;
  return `${which}${DAYS.get(name) ?? name}`;
}
