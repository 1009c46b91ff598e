import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import { containerOfWrite } from "../containers/usual-container.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { decideMatching } from "./decide-matching.js";
import { findLatest, isActive } from "./find-memory.js";
import { derivedFrom, forgetBatch } from "./forget.js";
import { containerTagSchema, customIdSchema, invalid, noteSchema, parseInput, textSchema } from "../input.js";
import { runOnce } from "../operations.js";
import { isSameFact } from "./near-duplicates.js";
import { documentsMatching } from "./passages-matching.js";
import type { Repositories } from "../ports.js";
import { retrieve, shownSimilarity } from "../search/retrieve.js";
import { createWaits } from "../search/waits.js";
import { findStatement, keepStatement, type Looking, type StatementName } from "./statements.js";
import { tellTurns } from "../search/statements.js";
import type { SearchScope } from "../search/search-scope.js";
import { documentsStating, memoriesSaying, type SayingMemory, type StatingDocument } from "./still-stated.js";
import type { Actor, Memory, Unit } from "../types.js";

const DEFAULT_THRESHOLD = 0.5;
/** How many more than may be forgotten are shown to a model, which excludes some of them. */
const SPARE = 50;
/** Each search returns the best of what is left; this is how often more is requested. */
const ROUNDS = 50;

export const forgetMatchingSchema = z.object({
  /** The subject of the memories. */
  query: textSchema({ maxLength: 2_000 }).optional(),
  /** The exact memories; unknown ones and those of other containers are ignored. */
  ids: z
    .array(customIdSchema, "must be an array of ids")
    .min(1, "must have at least 1 entry")
    .max(500, "must have at most 500 entries")
    .optional(),
  /** May be omitted only by a caller limited to some containers that has a default one. */
  containerTag: containerTagSchema.optional(),
  /** True shows what would be forgotten without changing anything. */
  dryRun: z.boolean("must be true or false").default(false),
  threshold: z
    .number("must be a number")
    .min(0, "must be at least 0")
    .max(1, "must be at most 1")
    .default(DEFAULT_THRESHOLD),
  /** The most memories that may match the query, the most similar first. */
  maxForget: z
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(500, "must be at most 500")
    .default(100),
  reason: noteSchema(1_000).optional(),
});

/** A matching memory with its score: 0 to 1, and 1 if it was named by its id. */
export interface Match {
  readonly id: string;
  readonly text: string;
  readonly score: number;
}

export interface ForgottenMatching {
  readonly dryRun: boolean;
  /** What was forgotten, or would be, best first. */
  readonly matches: readonly Match[];
  /** The batch in the journal and in the memories' metadata; null for a dry run. */
  readonly forgetBatchId: string | null;
  /** Documents whose text still states what was (or would be) forgotten, and documents with passages on the query. */
  readonly statedIn: readonly StatingDocument[];
  /** Other memories that still say (or would still say) what was forgotten; absent for none. */
  readonly saidBy?: readonly SayingMemory[];
  /** One line for people. */
  readonly summary: string;
}

/**
 * Forgets what a container knows about a subject, or memories by id, as one batch (contract 4.5). If there is a language model,
 * it decides which of the memories found by the search are meant; otherwise all are, unless some say exactly what the query
 * says: then only those. A dry run shows exactly what the same call would forget.
 * @throws AppError `invalid` for neither or both of query and ids
 */
export async function forgetMatching(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ForgottenMatching> {
  const parsed = parseInput(forgetMatchingSchema, raw);
  const { actor } = call;
  const input = { ...parsed, containerTag: containerOfWrite(actor, parsed.containerTag) };
  const { query, ids, dryRun } = input;
  if ((query === undefined) === (ids === undefined))
    throw invalid([{ path: ["query"], message: "name exactly one of query and ids" }]);
  const found = query === undefined ? byIds(ids ?? []) : await byQuery(context, call, { ...input, query });
  if (dryRun) {
    const matches = await readMatches(context, call, input.containerTag, found, findTold);
    const listed = await withGuesses(context.store, actor.organizationId, matches);
    const still = await stillSaying(context.store, actor, matches, found);
    return { dryRun, matches: listed, forgetBatchId: null, ...still, summary: summarise(listed.length, found, dryRun) };
  }
  return runOnce(context, call, "forgetMatching", async (repositories) => {
    const matches = await readMatches(
      { ...context, store: repositories },
      call,
      input.containerTag,
      found,
      keepStatement,
    );
    const listed = await withGuesses(repositories, actor.organizationId, matches);
    const forgetBatchId = createId();
    await forgetBatch(
      repositories,
      actor,
      matches.map(({ memory }) => memory),
      { reason: input.reason ?? "asked to forget what matches", batchId: forgetBatchId, metadata: { forgetBatchId } },
    );
    const still = await stillSaying(repositories, actor, matches, found);
    return { dryRun, matches: listed, forgetBatchId, ...still, summary: summarise(listed.length, found, dryRun) };
  });
}

async function stillSaying(
  repositories: Pick<Repositories, "documents" | "memories">,
  actor: Actor,
  matches: readonly MemoryMatch[],
  { passagesIn }: Found,
): Promise<Pick<ForgottenMatching, "statedIn" | "saidBy">> {
  const forgotten = matches.map(({ memory }) => memory);
  const stating = await documentsStating(repositories, actor, forgotten);
  const known = new Set(stating.map(({ id }) => id));
  const saidBy = await memoriesSaying(repositories, actor, forgotten);
  const statedIn = [...stating, ...passagesIn.filter(({ id }) => !known.has(id))];
  return { statedIn, ...(saidBy.length > 0 && { saidBy }) };
}

/** The matches, and the guesses forgotten with them because their sources go. */
async function withGuesses(
  repositories: Pick<Repositories, "memories">,
  organizationId: string,
  matches: readonly MemoryMatch[],
): Promise<Match[]> {
  const matched = matches.map(({ memory }) => memory);
  const known = new Set(matched.map(({ id }) => id));
  const guesses = (await derivedFrom(repositories, organizationId, matched)).filter(({ id }) => !known.has(id));
  const lowest = Math.min(1, ...matches.map(({ score }) => score));
  return [...matches.map(shown), ...guesses.map((memory) => shown({ memory, score: lowest }))];
}

interface Found {
  readonly scores: ReadonlyMap<string, number>;
  /** The text of each memory found by its text: if it has changed since, the memory does not count as found. */
  readonly texts?: ReadonlyMap<string, string>;
  /** Documents with passages on the query. */
  readonly passagesIn: readonly StatingDocument[];
  /** What was left out, and what failed. */
  readonly remarks: readonly string[];
}

function byIds(ids: readonly string[]): Found {
  return { scores: new Map(ids.map((id) => [id, 1])), passagesIn: [], remarks: [] };
}

type QueryInput = z.output<typeof forgetMatchingSchema> & { readonly query: string; readonly containerTag: string };

/** What is about the query, best first, at most as many as may be forgotten. */
async function byQuery(plain: CoreContext, call: AuthorizedCall, input: QueryInput): Promise<Found> {
  const context = { ...plain, waits: createWaits() };
  const { model } = context;
  const { maxForget, dryRun, containerTag, query } = input;
  const { organizationId } = call.actor;
  const shown = maxForget + (model ? SPARE : 0);
  const { similar, degraded } = await searchSimilar(context, call, input, shown);
  const question = { organizationId, containerTag, wish: query, isDryRun: dryRun };
  const decision = model ? await decideMatching({ ...context, model }, question, similar.slice(0, shown)) : null;
  const meant = decision ? similar.filter(({ id }) => decision.about.has(id)) : sayingTheSame(similar, query);
  const others = decision ? 0 : similar.length - meant.length;
  const matches = meant.slice(0, maxForget);
  const isCutOff = decision !== null && similar.length > shown;
  const remarks = [
    ...(meant.length > maxForget ? ["more match than maxForget allows"] : []),
    ...(meant.length <= maxForget && isCutOff ? ["there are more similar memories than were checked"] : []),
    ...(others > 0 ? [remarkOnOthers(others)] : []),
    ...degraded,
    ...(decision?.degraded ? [decision.degraded] : []),
  ];
  return {
    scores: new Map(matches.map(({ id, score }) => [id, score])),
    texts: new Map(matches.map(({ id, text }) => [id, text])),
    passagesIn: await documentsMatching(context, call, input),
    remarks,
  };
}

/**
 * A query in the words of a memory means exactly that memory: similarity alone cannot distinguish "Mia is vegan" from "Mia is
 * not vegan anymore", or from the same about Tom. Returns all similar ones if none says the same.
 */
function sayingTheSame(similar: readonly Match[], query: string): readonly Match[] {
  const same = similar.filter(({ text }) => isSameFact(text, query));
  return same.length > 0 ? same : similar;
}

function remarkOnOthers(count: number): string {
  return count === 1 ? "another is similar but says something else" : "others are similar but say something else";
}

/** Everything above the threshold, in rounds, because one search returns a limited number and omits repetitions. */
async function searchSimilar(
  context: CoreContext,
  { actor: { organizationId } }: AuthorizedCall,
  { containerTag, threshold, query }: QueryInput,
  enough: number,
): Promise<{ similar: Match[]; degraded: Iterable<string> }> {
  const containers = await context.store.containers.find(organizationId, [containerTag]);
  const scope = {
    containerIds: containers.map(({ id }) => id),
    kinds: ["memory"] as const,
    includeForgotten: false,
  };
  const timeZone = sharedTimeZone(context, containers);
  const searchScope = { organizationId, scope, kinds: scope.kinds, timeZone };
  const left = new Set<Unit>(await context.store.units.matching(organizationId, scope, {}));
  const similar = new Map<string, Match>();
  const degraded = new Set<string>();
  for (let round = 0; round < ROUNDS && similar.size <= enough && left.size > 0; round++) {
    const { ranked, ...rest } = await retrieve(context, { ...searchScope, among: [...left] }, query, {
      threshold,
    });
    for (const reason of rest.degraded) degraded.add(reason);
    if (ranked.length === 0) break;
    for (const { unit, detail, ownSimilarity } of ranked) {
      left.delete(unit);
      const score = shownSimilarity(ownSimilarity);
      if (score >= threshold) similar.set(detail.id, { id: detail.id, text: detail.text, score });
    }
  }
  for (const told of await similarTurns(context, searchScope, { query, threshold, enough })) similar.set(told.id, told);
  return { similar: [...similar.values()].toSorted((one, other) => other.score - one.score), degraded };
}

/** Turns of conversations told as memories: those of one search that are similar on their own. */
async function similarTurns(
  context: CoreContext,
  { scope, ...searchScope }: Pick<SearchScope, "organizationId" | "scope" | "timeZone">,
  { query, threshold, enough }: { readonly query: string; readonly threshold: number; readonly enough: number },
): Promise<Match[]> {
  const kinds = ["chunk", "memory"] as const;
  const place = { ...searchScope, scope: { ...scope, kinds }, kinds, among: undefined };
  const { ranked } = await retrieve(context, place, query, { threshold });
  const found = await tellTurns(context, place, ranked, { limit: enough + 1 });
  return found.ranked.flatMap(({ unit, ownSimilarity }) => {
    const memory = found.statements.get(unit)?.memory;
    const score = shownSimilarity(ownSimilarity);
    return memory && score >= threshold ? { id: memory.id, text: memory.text, score } : [];
  });
}

interface MemoryMatch {
  readonly memory: Memory;
  readonly score: number;
}

/** The newest versions of what was found, without duplicates and without what is not active in the container. */
async function readMatches(
  looking: Looking,
  { actor }: AuthorizedCall,
  containerTag: string,
  { scores, texts }: Found,
  findUnwritten: typeof keepStatement,
): Promise<MemoryMatch[]> {
  const { clock, store } = looking;
  const { memories } = store;
  const found = await memories.byIds(actor.organizationId, [...scores.keys()]);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  const matches = new Map<string, MemoryMatch>();
  for (const [id, score] of scores) {
    const named = byId.get(id);
    const newest = named?.isLatest === false && !texts ? await findLatest(memories, actor, id) : named;
    const memory = newest ?? (await findUnwritten(looking, actor, { id, containerTag }));
    if (texts && memory?.text !== texts.get(id)) continue;
    if (memory?.containerTag === containerTag && isActive(memory, clock.now()) && !matches.has(memory.id))
      matches.set(memory.id, { memory, score });
  }
  return [...matches.values()];
}

async function findTold(looking: Looking, actor: Actor, name: StatementName): Promise<Memory | null> {
  return (await findStatement(looking, actor, name))?.memory ?? null;
}

function shown({ memory, score }: MemoryMatch): Match {
  return { id: memory.id, text: memory.text, score };
}

function summarise(count: number, { remarks }: Found, dryRun: boolean): string {
  const what = count === 1 ? "1 memory" : `${count === 0 ? "No" : count} memories`;
  const done = dryRun ? "would be forgotten" : count === 1 ? "was forgotten" : "were forgotten";
  return [`${what} ${done}`, ...remarks.map((remark) => remark.replaceAll(/\s+/g, " "))].join("; ");
}
