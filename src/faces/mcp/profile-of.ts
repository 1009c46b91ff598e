import type { Profile } from "../../core/index.js";
import type { Session } from "./tool.js";

type KnownIn = Pick<Profile, "static" | "dynamic" | "search" | "timeZone">;

/** What is generally known in these containers, and what a search in all of them finds for `q`. */
export async function profileOf({ core, actor }: Session, places: readonly string[], q?: string): Promise<KnownIn> {
  const [only, ...more] = places;
  if (only !== undefined && more.length === 0)
    return core.profile({ actor }, { containerTag: only, ...(q !== undefined && { q }) });
  const [profiles, search] = await Promise.all([
    Promise.all(places.map((containerTag) => core.profile({ actor }, { containerTag }))),
    q === undefined ? undefined : core.search({ actor }, { q, containerTags: [...places] }),
  ]);
  const [first] = profiles;
  if (first === undefined) throw new Error("A profile of no container was asked for");
  return {
    // Days are shown as in the first container.
    static: profiles.flatMap((profile) => profile.static ?? []),
    dynamic: profiles.flatMap((profile) => profile.dynamic ?? []),
    search: search ?? null,
    timeZone: first.timeZone,
  };
}
