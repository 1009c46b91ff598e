import type { Profile } from "../../core/index.js";
import type { CallerSession } from "./tool.js";

/** The profile of these containers, as `readingPlaces` gave them, and what a search in them finds for `q`. */
export function profileOf({ core, actor }: CallerSession, places: readonly string[], q?: string): Promise<Profile> {
  const [only, ...more] = places;
  // Several containers are all that the actor may see, which is what a profile without a container means.
  const where = only !== undefined && more.length === 0 ? { containerTag: only } : {};
  return core.profile({ actor }, { ...where, ...(q !== undefined && { q }) });
}
