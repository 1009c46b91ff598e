import { NEWS_DAYS, daysBetween, isBefore } from "./decision.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { temporalContextSchema } from "./temporal-context.js";
import type { Memory } from "../types.js";

/** A memory that a statement may replace, with when it was said (ISO). */
export type Target = Pick<Memory, "metadata" | "forgetAfter"> & { readonly saidAt: string };

const YEAR = String.raw`(?:19|20)\d{2}`;
const DAY = String.raw`(${YEAR}(?:-\d{2}(?:-\d{2})?)?)`;
const UNTIL = String.raw`(?:until|till|up to|through|bis|jusqu\S*|hasta|até|fino a\S*|tot)`;
/** "worked at Google until the summer of 2023", "lived there from 2019 to 2023", "2019–2023". */
const ENDS = [
  new RegExp(String.raw`(?<![\p{L}\p{N}])${UNTIL}\s+(?:\S+\s+){0,4}?${DAY}(?![\p{N}-])`, "iu"),
  new RegExp(
    String.raw`(?<![\p{L}\p{N}-])${YEAR}(?:-\d{2}){0,2}\s*(?:–|—|-|to|and|bis|und|a|à|et|y|e)\s*${DAY}(?![\p{N}-])`,
    "iu",
  ),
];

/**
 * True when, judging by dates, a statement can be about what a memory says now: not if its own period ended before the memory
 * was said ("worked at Google until 2023"), not if it begins in the future, and not if it is about days long before. Days are
 * no such limits if the memory itself names a day, which may have changed.
 * @param saidAt when the statement was made (ISO)
 */
export function speaksOfNow({ text, eventDates }: StatedCandidate, saidAt: string, target: Target): boolean {
  const end = endOf(text);
  if (end !== null && isBefore(end, saidAt) && isBefore(end, target.saidAt)) return false;
  const since = eventDates?.toSorted().at(-1);
  if (since === undefined || namesDay(target)) return true;
  if (isBefore(saidAt, since)) return false;
  return !isBefore(since, target.saidAt) || daysBetween(since, saidAt) <= NEWS_DAYS;
}

/** The last moment at which a text says something held, as ISO year, month or day; null when it names none. */
function endOf(text: string): string | null {
  for (const pattern of ENDS) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

function namesDay({ metadata, forgetAfter }: Target): boolean {
  if (forgetAfter !== null) return true;
  const days = temporalContextSchema.safeParse(metadata?.["temporalContext"]).data?.eventDate;
  return days !== undefined && days !== null && days.length > 0;
}
