type Order = "day first" | "month first";

const DAY = /^(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})$/;

/**
 * The days in front of the messages of a chat, as ISO dates. Whether the day or the month comes first is decided by
 * those that are unambiguous, else by the order of the messages, else by the clock format.
 * @param written in the order of the messages, verbatim
 * @param isTwelveHours whether times have "am" and "pm", as is usual where the month comes first
 * @returns only valid days
 */
export function readDays(written: readonly string[], isTwelveHours: boolean): ReadonlyMap<string, string> {
  const usual: Order = isTwelveHours ? "month first" : "day first";
  const other: Order = isTwelveHours ? "day first" : "month first";
  const readings = [usual, other].map((order) => written.map((day) => readDay(day, order)));
  const whole = readings.filter((days) => days.every((day) => day !== null));
  const chosen = whole.find(isInOrder) ?? whole[0] ?? readings[0] ?? [];
  return new Map(written.flatMap((day, at) => (chosen[at] ? [[day, chosen[at]] as const] : [])));
}

function isInOrder(days: readonly (string | null)[]): boolean {
  return days.every((day, at) => at === 0 || (days[at - 1] ?? "") <= (day ?? ""));
}

function readDay(written: string, order: Order): string | null {
  const [, first = "", sign, second = "", third = ""] = DAY.exec(written) ?? [];
  if (first.length >= 3) return isoDay(first, second, third);
  // With dots, the day comes first everywhere.
  return order === "day first" || sign === "." ? isoDay(third, second, first) : isoDay(third, first, second);
}

function isoDay(year: string, month: string, day: string): string | null {
  if (year.length !== 4 && year.length !== 2) return null;
  const iso = `${year.padStart(4, "20")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : null;
}
