import * as z from "zod";
import type { Profile } from "../../../core/index.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";

const texts = z.array(z.string()).optional();

/** `POST /v4/profile` (contract.md §6.1). */
export const profileAnswer = z.object({
  profile: z.object({
    static: texts,
    dynamic: texts,
    buckets: z.record(z.string(), z.array(z.string())).optional(),
  }),
  searchResults: searchAnswer.optional(),
});
type ProfileAnswer = z.infer<typeof profileAnswer>;

/** A profile as plain texts (contract.md §6.1). */
export function presentProfile(profile: Profile): ProfileAnswer {
  const textsOf = (memories: NonNullable<Profile["static"]>) => memories.map((memory) => memory.text);
  return {
    profile: {
      ...(profile.static && { static: textsOf(profile.static) }),
      ...(profile.dynamic && { dynamic: textsOf(profile.dynamic) }),
      ...(profile.buckets && {
        buckets: Object.fromEntries(Object.entries(profile.buckets).map(([key, memories]) => [key, textsOf(memories)])),
      }),
    },
    ...(profile.search && { searchResults: presentSearch(profile.search, {}) }),
  };
}
