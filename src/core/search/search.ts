import * as z from "zod";
import { createStages } from "../../lib/stages.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { belongsToEndUser } from "../access/end-user.js";
import { asSeenBy, maySee, reachableContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { parseInput } from "../input.js";
import { isExpired } from "../memories/find-memory.js";
import type { StatedTurn } from "../memories/told-turns.js";
import { trustOf, trustOfPassage } from "../memories/trust.js";
import { addAggregates } from "./aggregate.js";
import { afterArrivals } from "./arrivals.js";
import { formsOfQuery, type QueryForms } from "./query-forms.js";
import { hideOutdatedNames } from "./hide-outdated.js";
import { chunksOfMemories } from "./chunks-of-memories.js";
import { ofDocumentsAbove } from "./document-threshold.js";
import { findRanked } from "./find-ranked.js";
import { markConflicts } from "./conflicts.js";
import { readNeighbours } from "./neighbours.js";
import { querySchema } from "./query-text.js";
import type { RankedUnit } from "./rank.js";
import { readRelatives, type Relatives } from "./related.js";
import { shownSimilarity, type Retrieved } from "./retrieve.js";
import { searchQueueOf } from "./search-queue.js";
import { countWaiting, groundSchema, resolveScope, type SearchScope } from "./search-scope.js";
import { tellTurns } from "./statements.js";
import { createWaits } from "./waits.js";
import type { Actor, Chunk, DocumentHead, Memory, Trust, Unit, UnitKind } from "../types.js";

export const resultLimitSchema = z
  .number("must be a number")
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(100, "must be at most 100");
export const similaritySchema = z.number("must be a number").min(0, "must be at least 0").max(1, "must be at most 1");

const SEARCH_MODES = ["memories", "hybrid", "documents"] as const;

export const searchSchema = z.object({
  q: querySchema,
  ...groundSchema.shape,
  /** Absent: the server's setting. */
  searchMode: z.enum(SEARCH_MODES, `must be one of ${SEARCH_MODES.join(", ")}`).optional(),
  limit: resultLimitSchema.default(10),
  /** Least similarity of a result. Absent: the server's setting. */
  threshold: similaritySchema.optional(),
  /** Least similarity of a chunk, if stricter than `threshold`. */
  chunkThreshold: similaritySchema.optional(),
  /** Least similarity of a document's best chunk; below it, none of its chunks is returned. */
  documentThreshold: similaritySchema.optional(),
  includeForgotten: z.boolean().default(false),
  /** Adds to each memory its older and newer versions and related facts. */
  includeRelatives: z.boolean().default(false),
  /** Returns only memories, each with the chunks of its documents that answer the query. */
  includeChunks: z.boolean().default(false),
  /** Adds to each chunk the one before and the one after it. */
  includeNeighbours: z.boolean().default(false),
  /** Reranks the best results. */
  rerank: z.boolean().default(false),
  /** Also searches for other forms of the question. */
  rewriteQuery: z.boolean().default(false),
  /** Adds statements that combine several results; never where only documents are searched. */
  aggregate: z.boolean().default(false),
});
export type SearchInput = z.input<typeof searchSchema>;
type Search = z.output<typeof searchSchema>;

/** One search result: either a memory or a chunk, never both. */
export interface SearchResult {
  readonly id: string;
  readonly kind: UnitKind;
  readonly text: string;
  /** 0 to 1, never below the threshold. */
  readonly similarity: number;
  readonly memory: Memory | null;
  readonly chunk: Chunk | null;
  /** Source documents without their content: the one a chunk is from, or all that state a memory. */
  readonly documents: readonly DocumentHead[];
  readonly trust: Trust;
  /**
   * Only on what no longer holds: a memory that was forgotten or is over, or a passage that says nothing current on the
   * question. Unless forgotten content was requested, only on passages about an event that is over.
   */
  readonly standing?: "forgotten" | "replaced";
  /** Ids of other memories in the answer that give a different figure for the same thing; only if there are any. */
  readonly conflictsWith?: readonly string[];
  /** Only when asked for, on memories. */
  readonly relatives?: Relatives;
  /** Only when asked for: chunks of a memory's documents, best first, or the neighbours of a chunk, by position. */
  readonly chunks?: readonly FoundChunk[];
  /** Only on statements that combine several results; these are not stored and have neither memory nor chunk. */
  readonly aggregated?: {
    /** Ids of the results that it rests on. */
    readonly from: readonly string[];
    /** When the most recently changed of them changed (ISO 8601). */
    readonly updatedAt: string;
  };
}

/** A chunk shown with a result. */
export interface FoundChunk {
  readonly chunk: Chunk;
  /** 0 to 1; 0 for one that is shown only because of its position. */
  readonly similarity: number;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  /** Number of documents in the searched containers that are not yet searchable or not yet understood. */
  readonly waiting: number;
  /** Milliseconds. */
  readonly timing: number;
  /** Milliseconds per stage, waiting included; some stages run in parallel. */
  readonly stages: Readonly<Record<string, number>>;
  /** What failed, in words; empty when nothing did. */
  readonly degraded: readonly string[];
  /** Time zone for the days in the results. */
  readonly timeZone: TimeZone;
}

/**
 * Finds memories and chunks by meaning and by words, inside the containers of the request. If it finds nothing, it waits a
 * moment for what was just added.
 * @throws AppError `invalid` for an invalid request; a broken vector index or embedder only degrades the answer
 */
export async function searchMemories(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<SearchAnswer> {
  const started = performance.now();
  const tagsOf = () => reachableContainers(call.actor, parseInput(searchSchema, raw).containerTags);
  // Shared by the whole request: a service that failed to answer once is not waited for again.
  const waiting = { ...context, waits: context.waits ?? createWaits() };
  const answer = await afterArrivals(context, tagsOf, () => searchAtOnce(waiting, call, raw));
  return { ...answer, timing: millisecondsSince(started) };
}

async function searchAtOnce(plain: CoreContext, call: AuthorizedCall, raw: unknown): Promise<SearchAnswer> {
  const started = performance.now();
  const stages = createStages();
  const { actor } = call;
  const searches = searchQueueOf(actor, plain.searches);
  const context = { ...plain, stages, searches };
  const input = parseInput(searchSchema, raw);
  const { includeForgotten } = input;
  const wanted = { kinds: kindsOf(input, context), includeForgotten };
  // Counted before anything is searched: what is not counted as waiting can be found.
  const [searchScope, waiting] = await stages.time("scope", () =>
    Promise.all([resolveScope(context, actor, input, wanted), countWaiting(context, actor, input)]),
  );
  const threshold = input.threshold ?? context.limits.threshold;
  const asked = await formsOfQuery(context, input.q, {
    rewrite: input.rewriteQuery,
    timeZone: searchScope.timeZone,
  });
  const { degraded, ...found } = await find(context, searchScope, { asked, input, threshold });
  const results = await stages.time("load", async () =>
    markConflicts(await present(context, actor, searchScope, found)),
  );
  const whole = await stages.time("extras", () =>
    addExtras(context, actor, { searchScope, asked, input, threshold, results }),
  );
  const isMixed = input.aggregate && searchScope.kinds.includes("memory");
  const mixed = isMixed
    ? await addAggregates({ ...context, timeZone: searchScope.timeZone }, input.q, whole)
    : { results: whole, degraded: [] };
  return {
    results: mixed.results.slice(0, input.limit),
    waiting,
    timing: millisecondsSince(started),
    stages: stages.durations,
    degraded: [...degraded, ...mixed.degraded],
    timeZone: searchScope.timeZone,
  };
}

/** Milliseconds to one decimal place. */
export function millisecondsSince(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10;
}

function kindsOf(input: Search, { limits }: CoreContext): readonly UnitKind[] {
  const mode = input.searchMode ?? limits.searchMode;
  if (mode === "documents") return ["chunk"];
  return mode === "memories" || input.includeChunks ? ["memory"] : ["chunk", "memory"];
}

async function find(
  context: CoreContext,
  searchScope: SearchScope,
  { asked, input, threshold }: Pick<Presented, "asked" | "input" | "threshold">,
): Promise<Retrieved & Pick<Shown, "statements">> {
  const { limit, rerank, chunkThreshold = 0, documentThreshold = 0 } = input;
  if (!searchScope.kinds.includes("chunk")) {
    // Callers who read only memories get turns of conversations told as memories.
    const shown = ["chunk", "memory"] as const;
    const found = await findRanked(context, searchScope, asked, { threshold: rerank ? threshold : 0, rerank, shown });
    return { ...found, ...(await tellTurns(context, searchScope, found.ranked, { limit, threshold })) };
  }
  if (Math.max(chunkThreshold, documentThreshold) <= threshold)
    return findRanked(context, searchScope, asked, { threshold, limit, rerank });
  const found = await findRanked(context, searchScope, asked, { threshold, rerank });
  const kept = found.ranked.filter(
    ({ detail, similarity }) => !detail.chunk || shownSimilarity(similarity) >= chunkThreshold,
  );
  return { ...found, ranked: ofDocumentsAbove(kept, documentThreshold).slice(0, limit) };
}

/** What is shown, and in which form: turns without a statement are shown as passages. */
interface Shown {
  readonly ranked: readonly RankedUnit[];
  readonly statements?: ReadonlyMap<Unit, StatedTurn>;
}

async function present(
  { store, clock }: CoreContext,
  actor: Actor,
  searchScope: SearchScope,
  { ranked, statements }: Shown,
): Promise<SearchResult[]> {
  const ids = [...new Set(ranked.flatMap(({ detail }) => detail.documentIds))];
  const units = ranked.map(({ unit }) => unit);
  const [documents, whole, stated] = await Promise.all([
    ids.length > 0 ? store.documents.headsByIds(actor.organizationId, ids) : [],
    store.units.load(actor.organizationId, units),
    store.units.statements(actor.organizationId, searchScope.scope.includeForgotten ? [] : ids),
  ]);
  // A memory stays where it is when one of its documents moves to a container that the actor may not see.
  const visible = documents.filter(
    (document) => maySee(actor, document.containerTags) && belongsToEndUser(searchScope.endUserId, document),
  );
  const shown = await hideOutdatedNames({ store, clock }, searchScope, visible, stated);
  const byId = new Map(shown.map((document) => [document.id, asSeenBy(actor, document)]));
  const byUnit = new Map(whole.map((unit) => [unit.unit, unit]));
  return ranked.flatMap(({ unit, detail, similarity, isOutOfDate }) => {
    const found = byUnit.get(unit);
    // Deleted since it was ranked.
    if (!found) return [];
    const sources = detail.documentIds.flatMap((id) => byId.get(id) ?? []);
    const statement = statements?.get(unit)?.memory;
    const memory = statement ?? found.memory;
    const lasting = memory ?? sources[0];
    const isForgotten = memory?.isForgotten === true || (lasting !== undefined && isExpired(lasting, clock.now()));
    return {
      id: detail.id,
      kind: memory ? "memory" : "chunk",
      text: statement?.text ?? detail.text,
      similarity: shownSimilarity(similarity),
      memory,
      // Without what no longer holds.
      chunk: memory ? null : found.chunk && { ...found.chunk, content: detail.text },
      documents: sources,
      trust: memory ? trustOf(memory) : trustOfPassage(sources[0]?.origin ?? "user", found.chunk?.metadata),
      ...(isOutOfDate && { standing: detail.passage?.isForgotten ? "forgotten" : "replaced" }),
      ...(isForgotten && { standing: "forgotten" }),
    };
  });
}

interface Presented {
  readonly searchScope: SearchScope;
  readonly asked: QueryForms;
  readonly input: Search;
  readonly threshold: number;
  readonly results: readonly SearchResult[];
}

async function addExtras(context: CoreContext, actor: Actor, presented: Presented): Promise<SearchResult[]> {
  const { input, results } = presented;
  const relatives = input.includeRelatives
    ? await readRelatives(context, actor, memoriesOf(results), input)
    : new Map<string, Relatives>();
  const chunks = new Map<string, readonly FoundChunk[]>([
    ...(input.includeNeighbours ? await neighboursOf(context, presented.searchScope, results) : []),
    ...(input.includeChunks
      ? await chunksOfMemories(context, presented, (ranked) =>
          present(context, actor, presented.searchScope, { ranked }),
        )
      : []),
  ]);
  return results.map((result) => {
    const [related, beside] = [relatives.get(result.id), chunks.get(result.id)];
    return { ...result, ...(related && { relatives: related }), ...(beside && { chunks: beside }) };
  });
}

function memoriesOf(results: readonly SearchResult[]): Memory[] {
  return results.flatMap(({ memory }) => memory ?? []);
}

/** The chunks before and after each chunk, with the similarity they have in the answer if they are part of it. */
async function neighboursOf(
  context: CoreContext,
  searchScope: SearchScope,
  results: readonly SearchResult[],
): Promise<Map<string, FoundChunk[]>> {
  const found = results.flatMap(({ chunk }) => chunk ?? []);
  const similarities = new Map(results.map(({ id, similarity }) => [id, similarity]));
  const neighbours = await readNeighbours(context, searchScope, found);
  return new Map(
    [...neighbours].map(([id, chunks]) => [
      id,
      chunks.map((chunk) => ({ chunk, similarity: similarities.get(chunk.id) ?? 0 })),
    ]),
  );
}
