import * as z from "zod";
import { createStages, timed } from "../../lib/stages.js";
import { iso, yieldTurn } from "../../lib/time.js";
import { asSeenBy, maySee, reachableContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { findDocument, lookUpDocument } from "../documents/documents.js";
import { parseInput } from "../input.js";
import { isExpired } from "../memories/find-memory.js";
import { afterArrivals } from "./arrivals.js";
import { formsOfQuery } from "./query-forms.js";
import { hideOutdatedNames, hideOutdatedContent } from "./hide-outdated.js";
import { ofDocumentsAbove } from "./document-threshold.js";
import { findRanked } from "./find-ranked.js";
import { readNeighbours } from "./neighbours.js";
import { hideOutdatedChunks } from "./passages.js";
import { querySchema } from "./query-text.js";
import type { RankedUnit } from "./rank.js";
import { shownSimilarity } from "./retrieve.js";
import { searchQueueOf } from "./search-queue.js";
import { countWaiting, groundSchema, resolveScope, type SearchScope } from "./search-scope.js";
import { millisecondsSince, resultLimitSchema, similaritySchema, type SearchAnswer } from "./search.js";
import { createWaits } from "./waits.js";
import { type Actor, type Chunk, type DocumentHead, MOST_CONTENT_BYTES } from "../types.js";

export const searchDocumentsSchema = z.object({
  /** `*` finds every document, the most recently changed first (contract 3.2). */
  q: querySchema,
  ...groundSchema.shape,
  /** The most documents. */
  limit: resultLimitSchema.default(10),
  /** Least score of a chunk. */
  chunkThreshold: similaritySchema.default(0),
  /** Least score of a document, which is the score of its best chunk. */
  documentThreshold: similaritySchema.default(0),
  /** Adds to each chunk the one before and the one after it. */
  includeNeighbours: z.boolean().default(false),
  includeContent: z.boolean().default(false),
  /** Reranks the best chunks for a better order of documents. */
  rerank: z.boolean().default(false),
  /** Also searches for other forms of the question. */
  rewriteQuery: z.boolean().default(false),
});
type Search = z.output<typeof searchDocumentsSchema>;

/** A document with its chunks that answer a query. */
export interface FoundDocument {
  readonly document: DocumentHead;
  /** Only when asked for. */
  readonly content?: string;
  /** The score of the best chunk, 0 to 1. */
  readonly score: number;
  /** Best first; by position when neighbours are included. */
  readonly chunks: readonly ScoredChunk[];
}

export interface ScoredChunk {
  readonly metadata: Chunk["metadata"];
  readonly content: string;
  readonly position: number;
  /** 0 to 1; 0 for a neighbour. */
  readonly score: number;
  /** False for a neighbour. */
  readonly isRelevant: boolean;
}

export type DocumentSearchAnswer = Omit<SearchAnswer, "results"> & { readonly results: readonly FoundDocument[] };

/**
 * Finds documents by their chunks, best first, in the order of `search`.
 * @throws AppError `not_found` when `documentId` names no document, `invalid` for a wrong request
 */
export async function searchDocuments(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<DocumentSearchAnswer> {
  const started = performance.now();
  const tagsOf = () => reachableContainers(call.actor, parseInput(searchDocumentsSchema, raw).containerTags);
  const waiting = { ...context, waits: createWaits() };
  const answer = await afterArrivals(context, tagsOf, () => searchAtOnce(waiting, call, raw));
  return { ...answer, timing: millisecondsSince(started) };
}

async function searchAtOnce(plain: CoreContext, call: AuthorizedCall, raw: unknown): Promise<DocumentSearchAnswer> {
  const started = performance.now();
  const stages = createStages();
  const { actor } = call;
  const searches = searchQueueOf(actor, plain.searches);
  const context = { ...plain, stages, searches };
  const input = parseInput(searchDocumentsSchema, raw);
  if (input.documentId !== undefined) await requireDocument(context, actor, input, input.documentId);
  const wanted = { kinds: ["chunk"] as const, includeForgotten: false };
  // Counted before anything is searched: what is not counted as waiting can be found.
  const [searchScope, waiting] = await stages.time("scope", () =>
    Promise.all([resolveScope(context, actor, input, wanted), countWaiting(context, actor, input)]),
  );
  const { results, degraded } =
    input.q.trim() === "*"
      ? { results: await listAll(context, actor, searchScope, input), degraded: [] }
      : await findBest(context, actor, searchScope, input);
  return {
    results: input.includeContent ? await addContent(context, searchScope, results) : results,
    waiting,
    timing: millisecondsSince(started),
    stages: stages.durations,
    degraded,
    timeZone: searchScope.timeZone,
  };
}

/** @throws AppError `not_found`, and `conflict` for a customId that several of the containers have */
async function requireDocument({ store }: CoreContext, actor: Actor, input: Search, id: string): Promise<void> {
  const tags = reachableContainers(actor, input.containerTags);
  const isNamed = tags !== "all" && input.containerTags?.length;
  const named = isNamed ? await lookUpDocument(store, actor, id, tags) : null;
  if (!named) await findDocument(store, actor, { id });
}

/** How often the search is repeated without the documents already found, in case one document crowds out the others. */
const MAX_ROUNDS = 6;

async function findBest(
  context: CoreContext,
  actor: Actor,
  searchScope: SearchScope,
  input: Search,
): Promise<{ results: FoundDocument[]; degraded: readonly string[] }> {
  const seen = new Set<string>();
  const found = new Map<string, RankedUnit[]>();
  const asked = await formsOfQuery(context, input.q, {
    rewrite: input.rewriteQuery,
    timeZone: searchScope.timeZone,
  });
  const wanted = { threshold: 0, rerank: input.rerank };
  const degraded = new Set<string>();
  let { among } = searchScope;
  let highest = 1;
  for (let round = 1; ; round++) {
    const { ranked, isCut, ...rest } = await findRanked(context, { ...searchScope, among }, asked, wanted);
    const matching = ranked.filter(
      ({ isHit, similarity }) => isHit && shownSimilarity(similarity) >= input.chunkThreshold,
    );
    // Earlier results stay first, whatever a later round compares them with.
    for (const unit of ofDocumentsAbove(matching, input.documentThreshold))
      push(found, { ...unit, similarity: Math.min(unit.similarity, highest) });
    for (const [best] of found.values()) highest = Math.min(highest, best?.similarity ?? 1);
    for (const unit of ranked) seen.add(documentOf(unit));
    for (const text of rest.degraded) degraded.add(text);
    // Once a document comes up that does not match, the remaining ones do not match either.
    const isEnough = found.size >= input.limit || seen.size > found.size;
    if (isEnough || !isCut || ranked.length === 0 || round === MAX_ROUNDS) break;
    const condition = { ...searchScope.condition, exceptDocumentIds: [...seen] };
    among = await context.store.units.matching(searchScope.organizationId, searchScope.scope, condition);
  }
  const results = await timed(context.stages, "load", () =>
    present(context, actor, { searchScope, groups: [...found.values()], input }),
  );
  return { results, degraded: [...degraded] };
}

function documentOf({ detail }: RankedUnit): string {
  return detail.chunk?.documentId ?? "";
}

function push(byDocument: Map<string, RankedUnit[]>, unit: RankedUnit): void {
  const known = byDocument.get(documentOf(unit));
  if (known) known.push(unit);
  else byDocument.set(documentOf(unit), [unit]);
}

interface Presented {
  readonly searchScope: SearchScope;
  /** The units grouped by document, the best document and the best unit first. */
  readonly groups: readonly (readonly RankedUnit[])[];
  readonly input: Search;
}

async function present(
  context: CoreContext,
  actor: Actor,
  { searchScope, groups, input }: Presented,
): Promise<FoundDocument[]> {
  const scoreOf = ({ similarity }: RankedUnit) => shownSimilarity(similarity);
  const best = groups.slice(0, input.limit).map((units) => ({ units, score: units[0] ? scoreOf(units[0]) : 0 }));
  const heads = await headsOf(
    context,
    actor,
    searchScope,
    best.flatMap(({ units }) => units.slice(0, 1).map(documentOf)),
  );
  const neighbours = input.includeNeighbours
    ? await neighboursOf(
        context,
        searchScope,
        best.flatMap(({ units }) => units),
      )
    : new Map<string, Chunk[]>();
  return best.flatMap(({ units, score }) => {
    const document = heads.get(units[0] ? documentOf(units[0]) : "");
    // Deleted since it was ranked.
    if (!document) return [];
    const chunks = units.map((unit) => ({
      content: unit.detail.text,
      position: unit.detail.chunk?.position ?? 0,
      metadata: unit.detail.chunk?.metadata ?? null,
      score: scoreOf(unit),
      isRelevant: true,
    }));
    return {
      document,
      score,
      chunks: input.includeNeighbours ? readAlong(chunks, neighbours.get(document.id) ?? []) : chunks,
    };
  });
}

async function headsOf(
  { store, clock }: CoreContext,
  actor: Actor,
  searchScope: SearchScope,
  ids: readonly string[],
): Promise<Map<string, DocumentHead>> {
  const [heads, stated] = await Promise.all([
    ids.length > 0 ? store.documents.headsByIds(actor.organizationId, ids) : [],
    store.units.statements(actor.organizationId, ids),
  ]);
  const visible = heads.filter(({ containerTags }) => maySee(actor, containerTags));
  const shown = await hideOutdatedNames({ store, clock }, searchScope, visible, stated);
  return new Map(shown.map((head) => [head.id, asSeenBy(actor, head)]));
}

/** The neighbours of these chunks, by document. */
async function neighboursOf(
  context: CoreContext,
  searchScope: SearchScope,
  units: readonly RankedUnit[],
): Promise<Map<string, Chunk[]>> {
  const whole = await context.store.units.load(
    searchScope.organizationId,
    units.map(({ unit }) => unit),
  );
  const found = whole.flatMap(({ chunk }) => chunk ?? []);
  const neighbours = await readNeighbours(context, searchScope, found);
  const byDocument = new Map<string, Chunk[]>();
  for (const chunk of [...neighbours.values()].flat())
    byDocument.set(chunk.documentId, [...(byDocument.get(chunk.documentId) ?? []), chunk]);
  return byDocument;
}

/** The chunks with their neighbours, in text order. */
function readAlong(chunks: readonly ScoredChunk[], neighbours: readonly Chunk[]): ScoredChunk[] {
  const byPosition = new Map<number, ScoredChunk>();
  for (const { content, position, metadata } of neighbours)
    byPosition.set(position, { content, position, metadata, score: 0, isRelevant: false });
  for (const chunk of chunks) byPosition.set(chunk.position, chunk);
  return [...byPosition.values()].toSorted((one, other) => one.position - other.position);
}

/** How many chunks represent each document when every document is requested. */
const FIRST_CHUNKS = 10;

/** Every document of the scope, the most recently changed first. */
async function listAll(
  context: CoreContext,
  actor: Actor,
  searchScope: SearchScope,
  input: Search,
): Promise<FoundDocument[]> {
  const { store } = context;
  const listed = await listHeads(context, actor, searchScope, input);
  const ids = listed.map(({ id }) => id);
  const stated = await store.units.statements(actor.organizationId, ids);
  const heads = await hideOutdatedNames(context, searchScope, listed, stated);
  const places = heads.flatMap(({ id, revision }) =>
    Array.from({ length: FIRST_CHUNKS }, (_, position) => ({ documentId: id, revision, position })),
  );
  const chunks = await hideOutdatedChunks(context, searchScope, await store.chunks.at(actor.organizationId, places));
  return heads.map((head) => ({
    document: asSeenBy(actor, head),
    score: 1,
    chunks: chunks
      .filter(({ documentId }) => documentId === head.id)
      .toSorted((one, other) => one.position - other.position)
      .map(({ content, position, metadata }) => ({ content, position, metadata, score: 1, isRelevant: true })),
  }));
}

async function listHeads(
  { store, clock }: CoreContext,
  actor: Actor,
  { tags, condition, among }: SearchScope,
  input: Search,
): Promise<DocumentHead[]> {
  const { organizationId } = actor;
  const now = clock.now();
  if (condition.documentIds) {
    const named = among?.length === 0 ? [] : await store.documents.headsByIds(organizationId, condition.documentIds);
    return named.filter((head) => !isExpired(head, now));
  }
  const { documents } = await store.documents.list(organizationId, {
    containerTags: tags === "all" ? undefined : tags,
    operator: input.containerTags?.length ? input.operator : "any",
    filters: condition.filters,
    filepath: condition.filepath,
    toldAt: iso(now),
    sort: "updatedAt",
    order: "desc",
    offset: 0,
    limit: input.limit,
    includeContent: false,
  });
  // A document without any is in a container that is being deleted.
  return documents.filter(({ containerTags }) => containerTags.length > 0);
}

async function addContent(
  { store, clock }: CoreContext,
  searchScope: SearchScope,
  results: readonly FoundDocument[],
): Promise<FoundDocument[]> {
  const whole: FoundDocument[] = [];
  let room = MOST_CONTENT_BYTES;
  const { organizationId } = searchScope;
  const ids = results.map(({ document }) => document.id);
  const stated = await store.units.statements(organizationId, ids);
  for (const result of results) {
    const document = await store.documents.byId(organizationId, result.document.id);
    // Deleted since it was found.
    if (!document) continue;
    room -= Buffer.byteLength(document.content);
    const isShown = room >= 0 || whole.length === 0;
    whole.push(
      isShown ? { ...result, content: hideOutdatedContent({ clock }, searchScope, document, stated) } : result,
    );
    await yieldTurn();
  }
  return whole;
}
