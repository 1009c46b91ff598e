import * as z from "zod";
import { requireContainer } from "./auth.js";
import type { Call, CoreContext } from "./context.js";
import { parseFilters } from "./filters.js";
import { containerTagSchema, parseInput, textSchema } from "./input.js";
import { searchMemories, type SearchAnswer } from "./search.js";
import type { Memory } from "./types.js";

/** How many facts of each part a profile shows. */
const STATIC_LIMIT = 100;
const DYNAMIC_LIMIT = 50;

export const profileSchema = z.object({
  containerTag: containerTagSchema,
  q: textSchema({ maxLength: 10_000 }).optional(),
  threshold: z.number("must be a number").min(0, "must be at least 0").max(1, "must be at most 1").optional(),
  filters: z.unknown().optional(),
  include: z.array(z.enum(["static", "dynamic", "buckets"])).optional(),
});
export type ProfileInput = z.input<typeof profileSchema>;

/** What is known about the subject of a container; parts that were not asked for are absent. */
export interface Profile {
  readonly static?: readonly Memory[];
  readonly dynamic?: readonly Memory[];
  readonly search: SearchAnswer | null;
}

/** Lasting facts, recent ones newest first, and search results when there is a question. */
export async function getProfile(context: CoreContext, call: Call, raw: unknown): Promise<Profile> {
  const input = parseInput(profileSchema, raw);
  requireContainer(call.actor, input.containerTag);
  const filters = parseFilters(input.filters);
  const { organizationId } = call.actor;
  const read = (isStatic: boolean, limit: number) =>
    context.store.memories.active(organizationId, input.containerTag, { isStatic, limit, filters });
  const wants = (part: "static" | "dynamic") => !input.include || input.include.includes(part);
  return {
    ...(wants("static") && { static: await read(true, STATIC_LIMIT) }),
    ...(wants("dynamic") && { dynamic: await read(false, DYNAMIC_LIMIT) }),
    search: input.q === undefined ? null : await searchMemories(context, call, searchInput(input, input.q)),
  };
}

function searchInput(input: z.output<typeof profileSchema>, q: string) {
  return {
    q,
    containerTags: [input.containerTag],
    filters: input.filters,
    ...(input.threshold !== undefined && { threshold: input.threshold }),
  };
}
