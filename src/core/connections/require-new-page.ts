import { AppError } from "../errors.js";

/**
 * Where the next page of a list begins, which `seen` notes. Taken for the end of the list, a page that comes again would
 * remove all that is missing; followed, the run would never end.
 * @param next null where there is a next page and nobody says where: asked for without a place, the first one would come
 * @param complaint what the provider does, such as “Gmail gives the same page”
 * @throws AppError `unavailable` for a page that was there before
 */
export function requireNewPage(next: string | null, seen: Set<string>, complaint: string): string {
  if (next === null || seen.has(next)) throw new AppError("unavailable", `${complaint} again and again.`);
  seen.add(next);
  return next;
}
