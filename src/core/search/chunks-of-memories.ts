import type { CoreContext } from "../context.js";
import type { Chunk, Memory } from "../types.js";
import type { QueryForms } from "./query-forms.js";
import { ofDocumentsAbove } from "./document-threshold.js";
import { findRanked } from "./find-ranked.js";
import type { RankedUnit } from "./rank.js";
import { shownSimilarity } from "./retrieve.js";
import type { SearchScope } from "./search-scope.js";

/** What is needed of a result to show chunks beside it. */
interface Result {
  readonly id: string;
  readonly memory: Memory | null;
  readonly chunk: Chunk | null;
  readonly similarity: number;
  readonly documents: readonly { readonly id: string }[];
}

interface Answer {
  readonly searchScope: SearchScope;
  readonly asked: QueryForms;
  readonly input: {
    readonly limit: number;
    readonly rerank: boolean;
    readonly chunkThreshold?: number | undefined;
    readonly documentThreshold?: number | undefined;
  };
  readonly threshold: number;
  readonly results: readonly Result[];
}

/**
 * The chunks of each memory's own documents that answer the query, as in the old form of search (contract 3.3). Leaves out
 * chunks that the answer already contains as a memory; of conversations whose turns are told as memories, keeps only the best
 * remaining chunks.
 * @param show reads what was found
 */
export async function chunksOfMemories(
  context: CoreContext,
  answer: Answer,
  show: (ranked: readonly RankedUnit[]) => Promise<readonly Result[]>,
): Promise<Map<string, { readonly chunk: Chunk; readonly similarity: number }[]>> {
  const { searchScope, asked, input, threshold, results } = answer;
  const memories = results.filter(({ memory }) => memory);
  const documentIds = [...new Set(memories.flatMap(({ documents }) => documents.map(({ id }) => id)))];
  const kinds = ["chunk"] as const;
  const scope = { ...searchScope.scope, kinds };
  const among = await context.store.units.matching(searchScope.organizationId, scope, { documentIds });
  const lowest = Math.max(threshold, input.chunkThreshold ?? 0);
  const wanted = { threshold: lowest, rerank: input.rerank };
  const { ranked } = await findRanked(context, { ...searchScope, scope, kinds, among }, asked, wanted);
  const levelled = await asAmongAll(context, answer, ranked);
  const kept = levelled.filter(({ similarity }) => shownSimilarity(similarity) >= lowest);
  const found = await show(beside(memories, ofDocumentsAbove(kept, input.documentThreshold ?? 0), input.limit));
  return new Map(
    memories.map((memory) => {
      const sources = new Set(memory.documents.map(({ id }) => id));
      const chunks = found.flatMap(({ chunk, similarity }) =>
        chunk && sources.has(chunk.documentId) ? [{ chunk, similarity }] : [],
      );
      return [memory.id, chunks.slice(0, input.limit)];
    }),
  );
}

/** The chunks that say more than the memories do. */
function beside(memories: readonly Result[], chunks: readonly RankedUnit[], limit: number): RankedUnit[] {
  const told = new Set(memories.map(({ id }) => id));
  const statements = memories.filter(({ memory }) => memory?.kind === "statement");
  const ofTurns = new Set(statements.flatMap(({ documents }) => documents.map(({ id }) => id)));
  let room = limit;
  return chunks.filter(({ detail }) => {
    if (told.has(detail.id)) return false;
    const isTurn = detail.chunk?.metadata?.speakers !== undefined && ofTurns.has(detail.chunk.documentId);
    return !isTurn || room-- > 0;
  });
}

/** Chunks, best first, with the similarity that a search for chunks and memories gives those it sees. */
async function asAmongAll(
  context: CoreContext,
  { searchScope, asked, input }: Answer,
  chunks: readonly RankedUnit[],
): Promise<RankedUnit[]> {
  if (chunks.length === 0) return [];
  const kinds = ["chunk", "memory"] as const;
  const { ranked } = await findRanked(context, { ...searchScope, kinds }, asked, {
    threshold: 0,
    rerank: input.rerank,
  });
  const similarities = new Map(ranked.map(({ unit, similarity }) => [unit, similarity]));
  return chunks
    .map((chunk) => ({ ...chunk, similarity: similarities.get(chunk.unit) ?? chunk.similarity }))
    .toSorted((one, other) => other.similarity - one.similarity);
}
