const ZONE = /(?:Z|[+-]\d\d:?\d\d|GMT|UTC|\b[ECMP][SD]T)$/i;

/**
 * Converts a date as written in pages and feeds to ISO 8601: a date-time in UTC where a time zone is named, otherwise the day as
 * written, independent of the local time zone. Null for what is not a date with a year.
 */
export function saidDate(text: string | null): string | null {
  const date = text === null ? NaN : Date.parse(text);
  if (text === null || Number.isNaN(date) || !/\d{4}/.test(text)) return null;
  if (ZONE.test(text.trim())) return new Date(date).toISOString();
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day !== undefined) return day;
  const local = new Date(date);
  const part = (value: number): string => String(value).padStart(2, "0");
  return `${local.getFullYear()}-${part(local.getMonth() + 1)}-${part(local.getDate())}`;
}
