import { AppError } from "../../core/errors.js";
import { permissionOn } from "../../core/types.js";
import type { ToolContext } from "./tool.js";

type Asker = Pick<ToolContext, "actor" | "defaultContainer">;

/** Where a call reads: in the container it names, otherwise, as over REST, in every container of its key. */
export function readingPlaces({ actor, defaultContainer }: Asker, named?: string): readonly string[] {
  if (named !== undefined) return [named];
  return actor.containers === "all" || actor.containers.length === 0 ? [defaultContainer] : actor.containers;
}

/**
 * Where a call that may name no container writes.
 * @throws AppError `invalid` for a key with several containers, none of which is the default one
 */
export function writingPlace({ actor, defaultContainer }: Asker, named?: string): string {
  if (named !== undefined) return named;
  if (actor.containers === "all" || actor.containers.includes(defaultContainer)) return defaultContainer;
  const writable = actor.containers.filter((tag) => permissionOn(actor, tag) === "write");
  const [only, ...more] = writable;
  if (only === undefined) return defaultContainer;
  if (more.length === 0) return only;
  const message = `is required for this key, which may write to ${writable.join(", ")}`;
  throw new AppError("invalid", `containerTag: ${message}. Nothing was changed.`, {
    issues: [{ path: ["containerTag"], message }],
  });
}

export function listPlaces(places: readonly string[]): string {
  return places.join(", ");
}

/** How many container names a message lists. */
const MOST_NAMES = 10;

/** What to say where nothing was found: including that a container does not exist, since its name may be misspelt. */
export async function describeNothing(
  { core, actor }: ToolContext,
  places: readonly string[],
  { isFiltered }: { readonly isFiltered: boolean },
): Promise<string> {
  const { containers } = await core.listContainers({ actor });
  const known = containers.map(({ tag }) => tag);
  const missing = places.filter((tag) => !known.includes(tag));
  if (missing.length === 0 || known.length === 0)
    return isFiltered
      ? `Nothing in ${listPlaces(places)} that satisfies the filters is similar enough. Other filters, other words or a lower threshold may find more.`
      : `Nothing in ${listPlaces(places)} is similar enough. Other words, a lower threshold or another containerTag may find more.`;
  const names = known.slice(0, MOST_NAMES).join(", ");
  const more = known.length > MOST_NAMES ? `, and ${known.length - MOST_NAMES} more` : "";
  return `There is no container ${listPlaces(missing)}. Existing containers: ${names}${more}.`;
}
