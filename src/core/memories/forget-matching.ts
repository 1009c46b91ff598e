import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { requireContainer } from "../auth.js";
import type { Call, CoreContext } from "../context.js";
import { findLatest, isActive } from "./find-memory.js";
import { forgetBatch } from "./forget.js";
import { containerTagSchema, customIdSchema, invalid, noteSchema, parseInput, textSchema } from "../input.js";
import { once } from "../operations.js";
import { retrieve, shownSimilarity } from "../search/retrieve.js";
import type { Memory, Unit } from "../types.js";

const DEFAULT_THRESHOLD = 0.5;
/** A search gives each time the best of what is left; so often it is asked for more. */
const ROUNDS = 50;

export const forgetMatchingSchema = z.object({
  /** What the memories are about. */
  query: textSchema({ maxLength: 2_000 }).optional(),
  /** The very memories; unknown ones and those of other containers are left out. */
  ids: z
    .array(customIdSchema, "must be an array of ids")
    .min(1, "must have at least 1 entry")
    .max(500, "must have at most 500 entries")
    .optional(),
  containerTag: containerTagSchema,
  /** True shows what would be forgotten and changes nothing. */
  dryRun: z.boolean("must be true or false").default(false),
  threshold: z
    .number("must be a number")
    .min(0, "must be at least 0")
    .max(1, "must be at most 1")
    .default(DEFAULT_THRESHOLD),
  /** At most so many match the query; the most similar ones do. */
  maxForget: z
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(500, "must be at most 500")
    .default(100),
  reason: noteSchema(1_000).optional(),
});

/** A memory that matches, with how well: 0 to 1, and 1 where it was named by its id. */
export interface Match {
  readonly id: string;
  readonly text: string;
  readonly score: number;
}

export interface ForgottenMatching {
  readonly dryRun: boolean;
  /** What was forgotten, or would be, best first. */
  readonly matches: readonly Match[];
  /** The batch in the journal and in the memories' metadata; null after a dry run. */
  readonly forgetBatchId: string | null;
  /** One line for people. */
  readonly summary: string;
}

/**
 * Forgets what a container holds on a subject, or memories by their ids, as one batch (contract.md §5.4). A dry run shows
 * exactly what the same call would forget.
 * @throws AppError `invalid` for neither or both of query and ids
 */
export async function forgetMatching(context: CoreContext, call: Call, raw: unknown): Promise<ForgottenMatching> {
  const input = parseInput(forgetMatchingSchema, raw);
  const { actor } = call;
  requireContainer(actor, input.containerTag);
  const { query, ids, dryRun } = input;
  if ((query === undefined) === (ids === undefined))
    throw invalid([{ path: ["query"], message: "name exactly one of query and ids" }]);
  const found = query === undefined ? byIds(ids ?? []) : await byQuery(context, call, input, query);
  if (dryRun) {
    const matches = (await readMatches(context.store, context, call, input.containerTag, found)).map(shown);
    return { dryRun, matches, forgetBatchId: null, summary: summarise(matches.length, found, dryRun) };
  }
  return once(context, call, "forgetMatching", async (nouns) => {
    const matches = await readMatches(nouns, context, call, input.containerTag, found);
    const forgetBatchId = createId();
    await forgetBatch(
      nouns,
      actor,
      matches.map(({ memory }) => memory),
      { reason: input.reason ?? "asked to forget what matches", batchId: forgetBatchId, metadata: { forgetBatchId } },
    );
    return { dryRun, matches: matches.map(shown), forgetBatchId, summary: summarise(matches.length, found, dryRun) };
  });
}

interface Found {
  readonly scores: ReadonlyMap<string, number>;
  /** True when more matches than may be forgotten at once. */
  readonly hasMore: boolean;
  readonly degraded: readonly string[];
}

function byIds(ids: readonly string[]): Found {
  return { scores: new Map(ids.map((id) => [id, 1])), hasMore: false, degraded: [] };
}

/** Everything above the threshold, in rounds, because one search gives only so much and leaves out what repeats. */
async function byQuery(
  context: CoreContext,
  { actor }: Call,
  { containerTag, threshold, maxForget }: z.output<typeof forgetMatchingSchema>,
  query: string,
): Promise<Found> {
  const { organizationId } = actor;
  const containers = await context.store.containers.find(organizationId, [containerTag]);
  const scope = {
    containerIds: containers.map(({ id }) => id),
    kinds: ["memory"] as const,
    includeForgotten: false,
  };
  const left = new Set<Unit>(await context.store.units.matching(organizationId, scope, {}));
  const scores = new Map<string, number>();
  const degraded = new Set<string>();
  for (let round = 0; round < ROUNDS && scores.size <= maxForget && left.size > 0; round++) {
    const { ranked, ...rest } = await retrieve(context, { organizationId, scope, among: [...left] }, query, {
      threshold,
    });
    for (const reason of rest.degraded) degraded.add(reason);
    if (ranked.length === 0) break;
    for (const { unit, detail, similarity } of ranked) {
      left.delete(unit);
      scores.set(detail.id, shownSimilarity(similarity));
    }
  }
  const best = [...scores].toSorted(([, one], [, other]) => other - one);
  return {
    scores: new Map(best.slice(0, maxForget)),
    hasMore: best.length > maxForget,
    degraded: [...degraded],
  };
}

interface MemoryMatch {
  readonly memory: Memory;
  readonly score: number;
}

/** The newest versions of what was found, each once, without what is not active in the container. */
async function readMatches(
  { memories }: Pick<CoreContext["store"], "memories">,
  { clock }: CoreContext,
  { actor }: Call,
  containerTag: string,
  { scores }: Found,
): Promise<MemoryMatch[]> {
  const found = await memories.byIds(actor.organizationId, [...scores.keys()]);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  const matches = new Map<string, MemoryMatch>();
  for (const [id, score] of scores) {
    const named = byId.get(id);
    const memory = named?.isLatest === false ? await findLatest(memories, actor, id) : named;
    if (memory?.containerTag === containerTag && isActive(memory, clock.now()) && !matches.has(memory.id))
      matches.set(memory.id, { memory, score });
  }
  return [...matches.values()];
}

function shown({ memory, score }: MemoryMatch): Match {
  return { id: memory.id, text: memory.text, score };
}

function summarise(count: number, { hasMore, degraded }: Found, dryRun: boolean): string {
  const what = count === 1 ? "1 memory" : `${count === 0 ? "No" : count} memories`;
  const done = dryRun ? "would be forgotten" : count === 1 ? "was forgotten" : "were forgotten";
  return [
    `${what} ${done}`,
    ...(hasMore ? ["more match than maxForget allows"] : []),
    ...degraded.map((reason) => reason.replaceAll(/\s+/g, " ")),
  ].join("; ");
}
