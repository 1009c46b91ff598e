import * as z from "zod";
import { requireContainer } from "../auth.js";
import { effectiveBuckets, fillBuckets } from "./buckets.js";
import type { Call, CoreContext } from "../context.js";
import { parseFilters } from "../search/filters.js";
import { containerTagSchema, invalid, parseInput, textSchema } from "../input.js";
import { searchMemories, similaritySchema, type SearchAnswer } from "../search/search.js";
import type { Actor, Memory, ProfileBucket } from "../types.js";

/** How many facts of each part a profile shows. */
const STATIC_LIMIT = 100;
const DYNAMIC_LIMIT = 50;
const BUCKET_LIMIT = 50;
/** The newest facts of each kind, which the buckets are filled from: a profile is asked for at every turn. */
const BUCKET_SOURCES = 250;

export const profileSchema = z.object({
  /** Absent only for a caller of a single container, which is then meant. */
  containerTag: containerTagSchema.optional(),
  q: textSchema({ maxLength: 10_000 }).optional(),
  threshold: similaritySchema.optional(),
  filters: z.unknown().optional(),
  include: z
    .array(z.enum(["static", "dynamic", "buckets"], "must be static, dynamic or buckets"), "must be an array")
    .optional(),
  /** Keys of the buckets to show; unknown ones are left out. Absent: all. */
  buckets: z.array(z.string("must be a string"), "must be an array of strings").max(1_000).optional(),
});
export type ProfileInput = z.input<typeof profileSchema>;

/** What is known about the subject of a container; parts that were not asked for are absent. */
export interface Profile {
  readonly static?: readonly Memory[];
  readonly dynamic?: readonly Memory[];
  /** Facts by the key of their bucket, newest first; every bucket that was asked for is there. */
  readonly buckets?: Readonly<Record<string, readonly Memory[]>>;
  readonly search: SearchAnswer | null;
}

/** Lasting facts, recent ones newest first, and search results when there is a question. */
export async function getProfile(context: CoreContext, call: Call, raw: unknown): Promise<Profile> {
  const input = parseInput(profileSchema, raw);
  const { actor } = call;
  const containerTag = containerOf(actor, input.containerTag);
  const filters = parseFilters(input.filters);
  const wants = (part: "static" | "dynamic" | "buckets") => !input.include || input.include.includes(part);
  const buckets = wants("buckets") ? await bucketsOf(context, actor, containerTag, input.buckets) : [];
  const read = (isStatic: boolean, shown: number) =>
    context.store.memories.active(actor.organizationId, containerTag, {
      isStatic,
      limit: buckets.length > 0 ? Math.max(shown, BUCKET_SOURCES) : shown,
      filters,
    });
  const lasting = wants("static") || buckets.length > 0 ? await read(true, STATIC_LIMIT) : [];
  const recent = wants("dynamic") || buckets.length > 0 ? await read(false, DYNAMIC_LIMIT) : [];
  const newestFirst = [...lasting, ...recent].sort((one, other) => other.seq - one.seq);
  return {
    ...(wants("static") && { static: lasting.slice(0, STATIC_LIMIT) }),
    ...(wants("dynamic") && { dynamic: recent.slice(0, DYNAMIC_LIMIT) }),
    ...(wants("buckets") && { buckets: fillBuckets(newestFirst, buckets, BUCKET_LIMIT) }),
    search: input.q === undefined ? null : await searchMemories(context, call, searchInput(input, containerTag)),
  };
}

function containerOf(actor: Actor, containerTag: string | undefined): string {
  const [only, ...others] = actor.containers === "all" ? [] : actor.containers;
  const meant = containerTag ?? (others.length === 0 ? only : undefined);
  if (meant === undefined) throw invalid([{ path: ["containerTag"], message: "must be a string" }]);
  requireContainer(actor, meant);
  return meant;
}

async function bucketsOf(
  { store }: CoreContext,
  { organizationId, client }: Actor,
  containerTag: string,
  keys: readonly string[] | undefined,
): Promise<ProfileBucket[]> {
  const buckets = await effectiveBuckets(store, organizationId, containerTag, client);
  return buckets.filter(({ key }) => !keys || keys.includes(key));
}

function searchInput(input: z.output<typeof profileSchema>, containerTag: string) {
  return {
    q: input.q,
    containerTags: [containerTag],
    filters: input.filters,
    ...(input.threshold !== undefined && { threshold: input.threshold }),
  };
}

const bucketsSchema = z.object({ containerTag: containerTagSchema });

/** The buckets of a container's profile; an unknown container has the organisation's (contract.md §6.2). */
export async function listProfileBuckets(
  { store }: CoreContext,
  { actor }: Call,
  raw: unknown,
): Promise<{ buckets: ProfileBucket[] }> {
  const { containerTag } = parseInput(bucketsSchema, raw);
  requireContainer(actor, containerTag);
  return { buckets: await effectiveBuckets(store, actor.organizationId, containerTag, actor.client) };
}
