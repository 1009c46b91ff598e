import * as z from "zod";
import { rememberLast } from "../../lib/remember-last.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { reachableContainers } from "../auth.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import { definitionMark } from "./bucket-verdict.js";
import { effectiveBuckets, fillBuckets } from "./buckets.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { digestBucket, type BucketContent } from "./digest.js";
import { fitProfile } from "./profile-room.js";
import { endUserSchema, filtersOf } from "../access/end-user.js";
import { querySchema } from "../search/query-text.js";
import { containerTagSchema, invalid, parseInput } from "../input.js";
import { isLasting } from "../memories/lasting.js";
import { holdsSecret } from "../memories/secrets.js";
import { fadingOf, habitOf } from "../memories/memory-weight.js";
import { trustOf } from "../memories/trust.js";
import type { ProfileSummary } from "../ports.js";
import { searchMemories, similaritySchema, type SearchAnswer } from "../search/search.js";
import type { Actor, Memory, ProfileBucket } from "../types.js";

/** How many facts each part of a profile shows. */
const STATIC_LIMIT = 100;
const DYNAMIC_LIMIT = 50;
/** The newest facts from which the recent ones are chosen. */
const RECENT_SOURCES = 150;
/** The newest facts of each kind from which the buckets are filled: a profile is requested on every turn. */
const BUCKET_SOURCES = 250;
/** The newest lasting facts, from which the most important are put first. */
const LASTING_SOURCES = 1_000;
/** Facts for which it is cached whether they are secret or lasting: a profile is requested again and again. */
const FACTS_KEPT = 4_000;
/** By how many days a settled preference counts as newer in `dynamic`, and a faded episode as older. */
const STANDING_DAYS = 60;

const isSecret = rememberLast(holdsSecret, FACTS_KEPT);
const isVital = rememberLast(isLasting, FACTS_KEPT);

export const profileSchema = z.object({
  /** May be omitted only by a caller limited to some containers: then all of those are meant. */
  containerTag: containerTagSchema.optional(),
  q: querySchema.optional(),
  threshold: similaritySchema.optional(),
  filters: z.unknown().optional(),
  endUserId: endUserSchema.optional(),
  include: z
    .array(z.enum(["static", "dynamic", "buckets"], "must be static, dynamic or buckets"), "must be an array")
    .optional(),
  /** Keys of the buckets to show; unknown ones are ignored. Absent: all. */
  buckets: z.array(z.string("must be a string"), "must be an array of strings").max(1_000).optional(),
});
export type ProfileInput = z.input<typeof profileSchema>;

/** What is known about the subject of a container, or of several; parts that were not requested are absent. */
export interface Profile {
  readonly static?: readonly Memory[];
  readonly dynamic?: readonly Memory[];
  /** Facts by bucket key; every requested bucket is present. */
  readonly buckets?: Readonly<Record<string, BucketContent>>;
  readonly search: SearchAnswer | null;
  /** Time zone for showing the days of its facts. */
  readonly timeZone: TimeZone;
}

/**
 * Lasting facts, recent ones newest first, and search results when there is a question. Only facts that hold now: forgotten,
 * superseded and expired ones are left out, to the second. An unreviewed guess is not a lasting fact. Among lasting facts,
 * name, job, allergies and how to answer come first. Secrets appear only in the search results, and all parts together are
 * limited by the setting.
 */
export async function getProfile(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Profile> {
  const input = parseInput(profileSchema, raw);
  const { actor } = call;
  const { organizationId } = actor;
  const containerTags = containersOf(actor, input.containerTag);
  const filters = filtersOf(input);
  const wants = (part: "static" | "dynamic" | "buckets") => !input.include || input.include.includes(part);
  const buckets = wants("buckets") ? await bucketsOf(context, actor, containerTags, input.buckets) : [];
  const limit = buckets.length > 0 ? BUCKET_SOURCES : RECENT_SOURCES;
  const read = async (isStatic: boolean, most: number) => {
    const found = await readNewest(containerTags, most, (tag) =>
      context.store.memories.active(organizationId, tag, { isStatic, limit: most, filters }),
    );
    return found.filter((memory) => !isSecret(memory.text) && !isStrangersGuess(memory));
  };
  const stated = wants("static") || buckets.length > 0 ? await read(true, LASTING_SOURCES) : [];
  const lasting = stated.filter(({ isInference }) => !isInference);
  const recent = wants("dynamic") || buckets.length > 0 ? await read(false, limit) : [];
  const parts = {
    lasting: wants("static") ? mattersFirst(lasting).slice(0, STATIC_LIMIT) : undefined,
    recent: wants("dynamic") ? chooseRecent(recent.slice(0, RECENT_SOURCES), context.clock.now()) : undefined,
    buckets: wants("buckets")
      ? digestBuckets(
          [...lasting.slice(0, BUCKET_SOURCES), ...recent],
          buckets,
          await summariesFor(context, actor, containerTags, filters),
        )
      : undefined,
  };
  const shown = fitProfile(parts, context.limits.profileTokens);
  return {
    ...(shown.lasting && { static: shown.lasting }),
    ...(shown.recent && { dynamic: shown.recent }),
    ...(shown.buckets && { buckets: shown.buckets }),
    search:
      input.q === undefined
        ? null
        : withoutFlagged(await searchMemories(context, call, searchInput(input, containerTags))),
    timeZone: sharedTimeZone(context, await context.store.containers.find(organizationId, containerTags)),
  };
}

/** The newest facts of all containers together, newest first. */
async function readNewest(
  containerTags: readonly string[],
  limit: number,
  read: (containerTag: string) => Promise<Memory[]>,
): Promise<Memory[]> {
  const [only, ...others] = containerTags;
  if (only !== undefined && others.length === 0) return read(only);
  const found = await Promise.all(containerTags.map(read));
  return found
    .flat()
    .sort((one, other) => other.seq - one.seq)
    .slice(0, limit);
}

/** Clients put a profile into their prompts unchanged, so all of it excludes text that reads like an instruction. */
function withoutFlagged(answer: SearchAnswer): SearchAnswer {
  return { ...answer, results: answer.results.filter(({ trust }) => trust !== "flagged") };
}

/** What a mail or a page says about the user appears in no profile until somebody has approved it. */
function isStrangersGuess(memory: Memory): boolean {
  return memory.isInference && trustOf(memory) === "unverified";
}

/** A fact as shown in a profile: one that waits for review is marked. */
export function markedText({ text, isInference }: Pick<Memory, "text" | "isInference">): string {
  return isInference ? `[Unreviewed] ${text}` : text;
}

/** Essential facts first, then the newest. */
function mattersFirst(newestFirst: readonly Memory[]): Memory[] {
  const vital: Memory[] = [];
  const others: Memory[] = [];
  for (const memory of newestFirst) (isVital(memory.text) ? vital : others).push(memory);
  return [...vital, ...others];
}

/** The most important recent facts, newest first: repeated preferences stay longer, old episodes go earlier. */
function chooseRecent(newestFirst: readonly Memory[], now: Date): Memory[] {
  const standing = (memory: Memory) =>
    Date.parse(memory.createdAt) + STANDING_DAYS * 86_400_000 * (habitOf(memory) - fadingOf(memory, now));
  return newestFirst
    .map((memory) => ({ memory, stands: standing(memory) }))
    .sort((one, other) => other.stands - one.stands || other.memory.seq - one.memory.seq)
    .slice(0, DYNAMIC_LIMIT)
    .map(({ memory }) => memory)
    .sort((one, other) => other.seq - one.seq);
}

/**
 * Summaries by the mark of their bucket. They cover all memories of one container, so with a filter, or with several
 * containers, rules sum up instead.
 */
async function summariesFor(
  { store }: CoreContext,
  { organizationId }: Actor,
  [only, ...others]: readonly string[],
  filters: ReturnType<typeof filtersOf>,
): Promise<ReadonlyMap<string, ProfileSummary>> {
  if (filters || only === undefined || others.length > 0) return new Map();
  const summaries = await store.summaries.holding(organizationId, only);
  return new Map(summaries.map((summary) => [summary.bucket, summary]));
}

function digestBuckets(
  memories: readonly Memory[],
  buckets: readonly ProfileBucket[],
  summaries: ReadonlyMap<string, ProfileSummary>,
): Record<string, BucketContent> {
  const newestFirst = memories.toSorted((one, other) => other.seq - one.seq);
  const filled = fillBuckets(newestFirst, buckets);
  const summaryOf = (bucket: ProfileBucket) => (summaries.size > 0 ? summaries.get(definitionMark(bucket)) : undefined);
  return Object.fromEntries(
    buckets.map((bucket) => [bucket.key, digestBucket(filled[bucket.key] ?? [], summaryOf(bucket))]),
  );
}

function containersOf(actor: Actor, containerTag: string | undefined): readonly string[] {
  const meant = reachableContainers(actor, containerTag === undefined ? undefined : [containerTag]);
  if (meant === "all" || meant.length === 0) throw invalid([{ path: ["containerTag"], message: "is missing" }]);
  return meant;
}

async function bucketsOf(
  { store }: CoreContext,
  { organizationId, client }: Actor,
  containerTags: readonly string[],
  keys?: readonly string[],
): Promise<ProfileBucket[]> {
  const byKey = new Map<string, ProfileBucket>();
  for (const tag of containerTags)
    for (const bucket of await effectiveBuckets(store, organizationId, tag, client))
      if (!byKey.has(bucket.key)) byKey.set(bucket.key, bucket);
  return [...byKey.values()].filter(({ key }) => !keys || keys.includes(key));
}

function searchInput(input: z.output<typeof profileSchema>, containerTags: readonly string[]) {
  return {
    q: input.q,
    containerTags: [...containerTags],
    filters: input.filters,
    endUserId: input.endUserId,
    ...(input.threshold !== undefined && { threshold: input.threshold }),
  };
}

const bucketsSchema = profileSchema.pick({ containerTag: true });

/** The buckets of a profile, as `getProfile` uses them; an unknown container has the organisation's (contract 5.2). */
export async function listProfileBuckets(
  context: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ buckets: ProfileBucket[] }> {
  const { containerTag } = parseInput(bucketsSchema, raw);
  return { buckets: await bucketsOf(context, actor, containersOf(actor, containerTag)) };
}
