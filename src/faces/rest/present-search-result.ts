import type { SearchAnswer, SearchResult } from "../../core/index.js";
import type { DocumentHead } from "../../core/types.js";
import { documentTypeOf } from "./schemas.js";
import type { PresentedResult, PresentedSearch, SearchInclude } from "./search.js";

/** A search answer (contract.md §4.1.2). */
export function presentSearch(answer: SearchAnswer, include: SearchInclude): PresentedSearch {
  const shown = include.chunks ? answer.results.filter((result) => result.memory) : answer.results;
  const results = shown.map((result) => presentResult(result, answer.results, include));
  return {
    results,
    timing: answer.timing,
    total: results.length,
    waiting: answer.waiting,
    ...(answer.degraded.length > 0 && { degraded: [...answer.degraded] }),
  };
}

function presentResult(result: SearchResult, all: readonly SearchResult[], include: SearchInclude): PresentedResult {
  return {
    ...presentHit(result),
    filepath: result.documents.find((document) => document.filepath !== null)?.filepath ?? null,
    ...(include.relatedMemories && { context: { parents: [], children: [], related: [] } }),
    ...((include.documents || include.summaries) && {
      documents: result.documents.map((document) => presentSource(document, include.summaries ?? false)),
    }),
    ...(include.chunks && { chunks: chunksOf(result, all) }),
  };
}

/** A memory carries its own metadata, a chunk that of its document. */
function presentHit({ id, text, similarity, memory, chunk, documents }: SearchResult) {
  if (memory)
    return {
      id,
      memory: text,
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
    version: 1,
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

/** The chunks of the same answer that are from the memory's own documents. */
function chunksOf(memory: SearchResult, all: readonly SearchResult[]): NonNullable<PresentedResult["chunks"]> {
  const sources = new Set(memory.documents.map((document) => document.id));
  return all.flatMap(({ chunk, similarity }) =>
    chunk && sources.has(chunk.documentId)
      ? [{ content: chunk.content, position: chunk.position, documentId: chunk.documentId, score: similarity }]
      : [],
  );
}
