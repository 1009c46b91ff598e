import type { Profile } from "../../core/index.js";
import { presentSearch } from "./present-search-result.js";
import type { ProfileAnswer } from "./profile.js";

/** A profile as plain texts (contract.md §6.1). */
export function presentProfile(profile: Profile, { withBuckets }: { withBuckets: boolean }): ProfileAnswer {
  const texts = (memories: NonNullable<Profile["static"]>) => memories.map((memory) => memory.text);
  return {
    profile: {
      ...(profile.static && { static: texts(profile.static) }),
      ...(profile.dynamic && { dynamic: texts(profile.dynamic) }),
      ...(withBuckets && { buckets: {} }),
    },
    ...(profile.search && { searchResults: presentSearch(profile.search, {}) }),
  };
}
