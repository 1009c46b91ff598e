import { AppError } from "../errors.js";

/**
 * The start of the next page of a list, recorded in `seen`. A repeated page must neither be taken for the end of the list,
 * which would remove everything missing, nor be followed, which would never end.
 * @param next null if there is a next page but its position is missing: requesting it without one would return the first page
 * @param complaint what the provider does, such as “Gmail does not lead to a next page”
 * @throws AppError `unavailable` for a page that occurred before
 */
export function requireNewPage(next: string | null, seen: Set<string>, complaint: string): string {
  if (next === null || seen.has(next)) throw new AppError("unavailable", `${complaint}.`);
  seen.add(next);
  return next;
}
