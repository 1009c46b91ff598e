import * as z from "zod";
import type { Profile } from "../../core/index.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";

/** `POST /v4/profile` (contract.md §6.1). */
export const profileAnswer = z.object({
  profile: z.object({
    static: z.array(z.string()).optional(),
    dynamic: z.array(z.string()).optional(),
    buckets: z.record(z.string(), z.array(z.string())).optional(),
  }),
  searchResults: searchAnswer.optional(),
});
type ProfileAnswer = z.infer<typeof profileAnswer>;

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
