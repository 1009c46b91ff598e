import * as z from "zod";
import { markedText, type Profile } from "../../../core/index.js";
import { dayIn } from "../../../lib/time-zone.js";
import { presentSearch, searchAnswer } from "./present-search-result.js";

const texts = z.array(z.string()).optional();

/** `POST /v4/profile` (contract 5.1). */
export const profileAnswer = z.object({
  profile: z.object({
    static: texts,
    dynamic: texts,
    buckets: z.record(z.string(), z.array(z.string())).optional(),
  }),
  searchResults: searchAnswer.optional(),
});
type ProfileAnswer = z.infer<typeof profileAnswer>;

/**
 * A profile as plain texts (contract 5.1). Recent facts are dated, `[Recent] [2026-05-02] …`: clients that show a fact once,
 * whichever part it is in, ignore this prefix when comparing (`normalizeMemoryFact` in `@supermemory/tools`). Facts awaiting
 * review are marked, `[Recent] [2026-05-02] [Unreviewed] …`.
 */
export function presentProfile(profile: Profile): ProfileAnswer {
  return {
    profile: {
      ...(profile.static && { static: profile.static.map(({ text }) => text) }),
      ...(profile.dynamic && {
        dynamic: profile.dynamic.map(
          (memory) => `[Recent] [${dayIn(memory.createdAt, profile.timeZone)}] ${markedText(memory)}`,
        ),
      }),
      ...(profile.buckets && {
        buckets: Object.fromEntries(
          Object.entries(profile.buckets).map(([key, { recent, summary }]) => [
            key,
            [
              ...recent.map((memory) => `[Recent] ${markedText(memory)}`),
              ...(summary === null ? [] : [`[Summary] ${summary}`]),
            ],
          ]),
        ),
      }),
    },
    ...(profile.search && { searchResults: presentSearch(profile.search, {}) }),
  };
}
