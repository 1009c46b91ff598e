import * as z from "zod";
import { isId } from "../lib/ids.js";
import { queryWords } from "../lib/words.js";
import { asSeenBy, maySee, reachableContainers } from "./auth.js";
import type { Call, CoreContext } from "./context.js";
import { AppError } from "./errors.js";
import { parseFilters } from "./filters.js";
import { containerTagSchema, customIdSchema, filepathSchema, parseInput, textSchema } from "./input.js";
import type { TextHit, UnitScope, VectorHit } from "./ports.js";
import { rankUnits, type RankedUnit } from "./rank.js";
import { SEARCH } from "./recipes.js";
import type { Actor, Chunk, DocumentHead, Memory, Unit, UnitKind } from "./types.js";

const MAX_QUERY = 10_000;

export const searchSchema = z.object({
  q: textSchema({ maxLength: MAX_QUERY }),
  /** Absent or empty: everything the actor may see. */
  containerTags: z.array(containerTagSchema).optional(),
  searchMode: z.enum(["memories", "hybrid", "documents"]).default("hybrid"),
  limit: z
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(100, "must be at most 100")
    .default(10),
  threshold: z.number("must be a number").min(0, "must be at least 0").max(1, "must be at most 1").optional(),
  filters: z.unknown().optional(),
  filepath: filepathSchema.optional(),
  documentId: customIdSchema.optional(),
  includeForgotten: z.boolean().default(false),
});
export type SearchInput = z.input<typeof searchSchema>;

/** One thing that search found: a memory or a chunk, never both. */
export interface SearchResult {
  readonly id: string;
  readonly kind: UnitKind;
  readonly text: string;
  /** 0 to 1, never below the threshold. */
  readonly similarity: number;
  readonly memory: Memory | null;
  readonly chunk: Chunk | null;
  /** Source documents without their content; the one a chunk is from, or all that state a memory. */
  readonly documents: readonly DocumentHead[];
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  /** Documents of the searched containers that are not searchable, or not understood, yet. */
  readonly waiting: number;
  /** Milliseconds. */
  readonly timing: number;
  /** What did not work, in words; empty when all did. */
  readonly degraded: readonly string[];
}

/**
 * Finds memories and chunks by meaning and by words, inside the containers of the request.
 * @throws AppError `invalid` for a wrong request; a broken vector index or embedder only degrades the answer
 */
export async function searchMemories(context: CoreContext, call: Call, raw: unknown): Promise<SearchAnswer> {
  const started = performance.now();
  const input = parseInput(searchSchema, raw);
  const filters = parseFilters(input.filters);
  const { organizationId } = call.actor;
  const tags = reachableContainers(call.actor, input.containerTags);
  const containers = await context.store.containers.find(organizationId, tags);
  const scope: UnitScope = {
    containerIds: containers.map((container) => container.id),
    kinds: kindsOf(input.searchMode),
    includeForgotten: input.includeForgotten,
  };
  const isNarrowed = filters !== undefined || input.filepath !== undefined || input.documentId !== undefined;
  const among = isNarrowed
    ? await context.store.units.matching(organizationId, scope, {
        ...(filters && { filters }),
        ...(input.filepath !== undefined && { filepath: input.filepath }),
        ...(input.documentId !== undefined && { documentId: await idOf(context, organizationId, input.documentId) }),
      })
    : undefined;
  const question = { text: input.q, counted: await countWords(context, scope, input.q) };
  const found = await findUnits(context, scope, question, among);
  const threshold = input.threshold ?? context.limits.threshold;
  const kept = await rank(context, scope, question, { ...found, organizationId, threshold, limit: input.limit });
  return {
    results: await present(context, call.actor, kept),
    waiting: await context.store.documents.countWaiting(organizationId, tags),
    timing: Math.round((performance.now() - started) * 10) / 10,
    degraded: found.degraded,
  };
}

/** A document is also named by its customId. */
async function idOf({ store }: CoreContext, organizationId: string, id: string): Promise<string> {
  const document = isId(id) ? null : await store.documents.byCustomId(organizationId, id);
  return document?.id ?? id;
}

function kindsOf(mode: "memories" | "hybrid" | "documents"): readonly UnitKind[] {
  if (mode === "memories") return ["memory"];
  return mode === "documents" ? ["chunk"] : ["chunk", "memory"];
}

/** A query, with its words and how many units of the scope have each. */
interface Question {
  readonly text: string;
  readonly counted: { readonly words: readonly string[]; readonly total: number; readonly counts: readonly number[] };
}

async function countWords({ store }: CoreContext, scope: UnitScope, query: string): Promise<Question["counted"]> {
  const words = queryWords(query);
  return { words, ...(await store.units.wordCounts(scope, words)) };
}

/** The rarest words that together match about `most` units or fewer, and at least one. */
function rareWords({ words, counts }: Question["counted"], most: number): string[] {
  let matched = 0;
  return words
    .map((word, index) => ({ word, count: counts[index] ?? 0 }))
    .sort((first, second) => first.count - second.count)
    .filter(({ count }, index) => {
      matched += count;
      return index === 0 || matched <= most;
    })
    .map(({ word }) => word);
}

interface Found {
  readonly textHits: readonly TextHit[];
  readonly vectorHits: readonly VectorHit[];
  readonly degraded: readonly string[];
}

async function findUnits(
  context: CoreContext,
  scope: UnitScope,
  { text, counted }: Question,
  among: readonly Unit[] | undefined,
): Promise<Found> {
  if (scope.containerIds.length === 0 || among?.length === 0) return { textHits: [], vectorHits: [], degraded: [] };
  const words = among ? counted.words : rareWords(counted, SEARCH.textMatches);
  const [textHits, vectors] = await Promise.all([
    context.store.units.searchText(scope, words, { limit: SEARCH.textHits, ...(among && { among }) }),
    findByVector(context, scope, text, among),
  ]);
  return { textHits, ...vectors };
}

/** Vector search that never fails the whole: without an embedder the words still find. */
async function findByVector(
  { embedder, store, vectors, log }: CoreContext,
  scope: UnitScope,
  query: string,
  among: readonly Unit[] | undefined,
): Promise<{ vectorHits: VectorHit[]; degraded: string[] }> {
  try {
    const space = await store.findSpace(embedder.fingerprint);
    if (!space) return { vectorHits: [], degraded: [] };
    const [vector] = await embedder.embed([query], "query");
    if (!vector) return { vectorHits: [], degraded: [] };
    const hits = await vectors.nearest({
      space,
      vector,
      containerIds: scope.containerIds,
      kinds: scope.kinds,
      limit: SEARCH.vectorHits,
      among: among && new Set(among),
    });
    const wantsForgotten = scope.includeForgotten && scope.kinds.includes("memory");
    const forgotten = wantsForgotten ? await store.units.forgottenVectors(scope, space) : null;
    if (!forgotten) return { vectorHits: hits, degraded: [] };
    const allowed = among && new Set(among);
    const recalled = cosines(forgotten, vector).filter(({ unit }) => !allowed || allowed.has(unit));
    return { vectorHits: [...hits, ...recalled], degraded: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("search answers from words alone", { reason: error.message });
    return { vectorHits: [], degraded: [`found by words alone: ${error.message}`] };
  }
}

function cosines(
  { units, matrix }: { units: readonly Unit[]; matrix: Float32Array },
  vector: Float32Array,
): VectorHit[] {
  return units.map((unit, row) => {
    let cosine = 0;
    for (let index = 0; index < vector.length; index++)
      cosine += (vector[index] ?? 0) * (matrix[row * vector.length + index] ?? 0);
    return { unit, cosine };
  });
}

async function rank(
  { store, embedder }: CoreContext,
  scope: UnitScope,
  { text, counted }: Question,
  found: Found & { organizationId: string; threshold: number; limit: number },
): Promise<RankedUnit[]> {
  const { textHits, vectorHits, organizationId, threshold, limit } = found;
  const units = [...new Set([...textHits, ...vectorHits].map((hit) => hit.unit))];
  if (units.length === 0) return [];
  const details = await store.units.details(organizationId, scope, units);
  const { calibration } = embedder;
  return rankUnits({ query: text, textHits, vectorHits, details, wordCounts: counted, calibration, threshold, limit });
}

async function present({ store }: CoreContext, actor: Actor, ranked: readonly RankedUnit[]): Promise<SearchResult[]> {
  const ids = [...new Set(ranked.flatMap(({ detail }) => detail.documentIds))];
  const documents = ids.length > 0 ? await store.documents.headsByIds(actor.organizationId, ids) : [];
  // A memory stays where it is when one of its documents moves to a container that the actor may not see.
  const visible = documents.filter((document) => maySee(actor, document.containerTags));
  const byId = new Map(visible.map((document) => [document.id, asSeenBy(actor, document)]));
  const whole = await store.units.load(
    actor.organizationId,
    ranked.map(({ unit }) => unit),
  );
  const byUnit = new Map(whole.map((unit) => [unit.unit, unit]));
  return ranked.flatMap(({ unit, detail, similarity }) => {
    const found = byUnit.get(unit);
    // Deleted since it was ranked.
    if (!found) return [];
    return {
      id: detail.id,
      kind: detail.chunk ? "chunk" : "memory",
      text: detail.text,
      similarity: Math.round(Math.min(1, Math.max(0, similarity)) * 1_000) / 1_000,
      memory: found.memory,
      chunk: found.chunk,
      documents: detail.documentIds.flatMap((id) => byId.get(id) ?? []),
    };
  });
}
