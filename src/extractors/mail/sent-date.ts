import type { Email } from "postal-mime";
import { parseIso } from "../../lib/time.js";
import { inTimeZone, isTimeZone } from "../../lib/time-zone.js";

/**
 * When a mail was sent, by its sender's clock (`2024-04-01T23:30:00.000-08:00`): "tomorrow" in its text is relative to that day.
 * UTC where its header names no offset, and for `-0000`, which means that the offset is unknown (RFC 5322, 3.3).
 * @returns null where the header is missing or is not a date
 */
export function sentDate({ date, headers }: Pick<Email, "date" | "headers">): string | null {
  if (date === undefined || parseIso(date) === null) return null;
  const written = headers.find(({ key }) => key === "date")?.value ?? "";
  const [, sign, hours, minutes] = /([+-])(\d\d)(\d\d)(?: *\([^()]*\))?\s*$/.exec(written) ?? [];
  const offset = `${sign}${hours}:${minutes}`;
  return isTimeZone(offset) ? inTimeZone(date, offset) : date;
}
