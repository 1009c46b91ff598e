import { isTimeZone } from "../../lib/time-zone.js";
import { documentsIn } from "./documents-in.js";

/**
 * Warnings about a document whose `metadata.timezone` is not a time zone: it is stored as metadata, but its days are not counted
 * in it.
 */
export function timeZoneWarnings(body: unknown): string[] {
  return documentsIn(body).some(hasOddZone)
    ? [
        "metadata.timezone: is not a time zone such as Pacific/Auckland or +13:00, so days are counted in the time zone of the container; the value was stored",
      ]
    : [];
}

function hasOddZone(part: unknown): boolean {
  const { metadata } = Object(part) as { metadata?: unknown };
  const { timezone } = Object(metadata) as { timezone?: unknown };
  return timezone !== undefined && !(typeof timezone === "string" && isTimeZone(timezone));
}
