import * as z from "zod";
import { placeSchema, presentPlace } from "./present-place.js";
import type { RelatedMemory, Relatives, SearchAnswer, SearchResult } from "../../../core/index.js";
import type { DocumentHead } from "../../../core/types.js";
import { anyMetadata, dateTime, documentTypeOf } from "../schemas.js";

const relatedMemory = z.object({
  relation: z.enum(["updates", "extends", "derives"]),
  version: z.number().nullable().optional(),
  memory: z.string(),
  metadata: anyMetadata.optional(),
  updatedAt: dateTime,
});

const sourceDocument = z.object({
  id: z.string(),
  title: z.string().optional(),
  type: z.string().optional(),
  metadata: anyMetadata,
  summary: z.string().nullable().optional(),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const searchResult = z.object({
  id: z.string().length(22),
  /** A result has either `memory` or `chunk`. */
  memory: z.string().optional(),
  chunk: z.string().optional(),
  /** Extension, only on memories: a turn of a conversation, verbatim. */
  kind: z.literal("statement").optional(),
  /** Extension, only on guesses, which await review. */
  isInference: z.literal(true).optional(),
  metadata: anyMetadata,
  updatedAt: dateTime,
  similarity: z.number().min(0).max(1),
  version: z.int(),
  /** Only on memories; null when the memory was never superseded. */
  rootMemoryId: z.string().nullable().optional(),
  filepath: z.string().nullable(),
  place: placeSchema.optional(),
  context: z
    .object({
      parents: z.array(relatedMemory),
      children: z.array(relatedMemory),
      related: z.array(relatedMemory),
    })
    .optional(),
  documents: z.array(sourceDocument).optional(),
  chunks: z
    .array(
      z.object({
        content: z.string(),
        position: z.int(),
        documentId: z.string(),
        score: z.number().min(0).max(1),
        place: placeSchema.optional(),
      }),
    )
    .optional(),
  /** Only on what several results say together; it is stored under no id. */
  isAggregated: z.literal(true).optional(),
  /** Only on what is forgotten or expired: with `include.forgottenMemories`, and on passages about events that are over. */
  isForgotten: z.literal(true).optional(),
  /** Only on a passage that something newer has replaced; only with `include.forgottenMemories`. */
  isLatest: z.literal(false).optional(),
  /** Extension, only on memories: ids of other results with a different figure for the same thing. The newer one comes first. */
  conflictsWith: z.array(z.string()).min(1).optional(),
});
type PresentedResult = z.infer<typeof searchResult>;

/** What every kind of search reports about itself. */
export const searchFigures = {
  timing: z.number(),
  total: z.int(),
  /** Extension: documents of the searched containers that are not yet searchable or not yet understood. */
  waiting: z.int(),
  /** Extension: what did not work, in words; absent when everything did. */
  degraded: z.array(z.string()).min(1).optional(),
};

/** `POST /v4/search` (contract 3.1). */
export const searchAnswer = z.object({ results: z.array(searchResult), ...searchFigures });
type PresentedSearch = z.infer<typeof searchAnswer>;

/** Extras of a search, each included only on request. */
export interface SearchInclude {
  readonly documents?: boolean | undefined;
  readonly summaries?: boolean | undefined;
  readonly relatedMemories?: boolean | undefined;
}

/** A search answer (contract 3.1). */
export function presentSearch(answer: SearchAnswer, include: SearchInclude): PresentedSearch {
  return {
    results: answer.results.map((result) => presentResult(result, include)),
    timing: answer.timing,
    total: answer.results.length,
    ...presentGaps(answer),
  };
}

/** What an answer lacks, if anything. */
export function presentGaps({ waiting, degraded }: Pick<SearchAnswer, "waiting" | "degraded">) {
  return { waiting, ...(degraded.length > 0 && { degraded: [...degraded] }) };
}

function presentResult(result: SearchResult, include: SearchInclude): PresentedResult {
  return {
    ...presentHit(result),
    ...(result.standing === "forgotten" && { isForgotten: true as const }),
    ...(result.standing === "replaced" && { isLatest: false as const }),
    ...(result.conflictsWith && { conflictsWith: [...result.conflictsWith] }),
    filepath: result.documents.find((document) => document.filepath !== null)?.filepath ?? null,
    ...(include.relatedMemories && { context: presentContext(result.relatives) }),
    ...((include.documents || include.summaries) && {
      documents: result.documents.map((document) => presentSource(document, include.summaries ?? false)),
    }),
    ...(result.chunks && {
      chunks: result.chunks.map(({ chunk: { content, position, documentId, metadata }, similarity }) => ({
        content,
        position,
        documentId,
        score: similarity,
        ...presentPlace(metadata),
      })),
    }),
  };
}

/** All three lists, empty for a chunk. */
function presentContext({ older = [], newer = [], related = [] }: Partial<Relatives> = {}): NonNullable<
  PresentedResult["context"]
> {
  return {
    parents: older.map(presentRelated),
    children: newer.map(presentRelated),
    related: related.map(presentRelated),
  };
}

function presentRelated({ relation, distance, memory }: RelatedMemory): z.infer<typeof relatedMemory> {
  return {
    relation,
    ...(distance !== null && { version: distance }),
    memory: memory.text,
    metadata: memory.metadata,
    updatedAt: memory.updatedAt,
  };
}

/**
 * A memory carries its own metadata, a chunk that of its document; a chunk's version tells which text of the document it is
 * from.
 */
function presentHit({ id, text, similarity, memory, chunk, documents, aggregated }: SearchResult) {
  if (aggregated)
    return {
      id,
      memory: text,
      metadata: null,
      updatedAt: aggregated.updatedAt,
      similarity,
      version: 1,
      rootMemoryId: null,
      isAggregated: true as const,
    };
  if (memory)
    return {
      id,
      memory: text,
      ...(memory.kind === "statement" && { kind: memory.kind }),
      ...(memory.isInference && { isInference: true as const }),
      metadata: memory.metadata,
      updatedAt: memory.updatedAt,
      similarity,
      version: memory.version,
      rootMemoryId: memory.rootId,
    };
  const [document] = documents;
  return {
    id,
    chunk: text,
    metadata: document?.metadata ?? null,
    updatedAt: document?.updatedAt ?? chunk?.createdAt ?? new Date(0).toISOString(),
    similarity,
    version: chunk?.revision ?? 1,
    ...presentPlace(chunk?.metadata),
  };
}

function presentSource(
  document: DocumentHead,
  withSummary: boolean,
): NonNullable<PresentedResult["documents"]>[number] {
  return {
    id: document.id,
    ...(document.title !== null && { title: document.title }),
    type: documentTypeOf(document.type),
    metadata: document.metadata,
    ...(withSummary && { summary: document.summary }),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}
