import { valueWords } from "./slot-values.js";
import { datePartsOf } from "./statement.js";

const TIME = /^(?:at )?\d{1,2}:\d\d(?: ?[ap]m)?$/i;

/** True for a value that is a time of day or a date: "3 May", "Monday", "9:30". */
export function isDate(value: string): boolean {
  const words = valueWords(value);
  return (
    TIME.test(value.trim()) ||
    (words.length <= 5 &&
      words.some((word) => isPartOfDate(word)) &&
      words.every((word) => isPartOfDate(word) || /^\d/.test(word)))
  );
}

function isPartOfDate(word: string): boolean {
  return Object.keys(datePartsOf(word)).length > 0;
}

/** True for two dates that do not contradict each other: a weekday is that of a date on it. */
export function isSameDate(former: string, held: string): boolean {
  if (!isDate(held)) return false;
  const [one, other] = [withWeekday(former), withWeekday(held)];
  const shared = (["year", "month", "day", "quarter", "weekday"] as const).filter(
    (part) => one[part] !== undefined && other[part] !== undefined,
  );
  const tells = shared.some((part) => part !== "year");
  return tells && shared.every((part) => one[part] === other[part]);
}

function withWeekday(written: string) {
  const parts = datePartsOf(written);
  if (parts.year === undefined || parts.month === undefined || parts.day === undefined) return parts;
  const day = new Date(Date.UTC(parts.year, parts.month - 1, parts.day)).getUTCDay();
  return { ...parts, weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][day] };
}
