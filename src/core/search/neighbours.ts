import type { CoreContext } from "../context.js";
import type { Chunk } from "../types.js";
import { hideOutdatedChunks } from "./passages.js";
import type { SearchScope } from "./search-scope.js";

/**
 * The chunks just before and just after each given chunk in its document, by that chunk's id, in text order; without what no
 * longer holds.
 */
export async function readNeighbours(
  context: Pick<CoreContext, "store" | "clock">,
  searchScope: Pick<SearchScope, "organizationId" | "scope">,
  found: readonly Chunk[],
): Promise<Map<string, Chunk[]>> {
  const places = found.flatMap(({ documentId, revision, position }) =>
    [position - 1, position + 1].map((place) => ({ documentId, revision, position: place })),
  );
  const { store } = context;
  const there = places.length > 0 ? await store.chunks.at(searchScope.organizationId, places) : [];
  const neighbours = await hideOutdatedChunks(context, searchScope, there);
  const byPlace = new Map(neighbours.map((chunk) => [keyOf(chunk, chunk.position), chunk]));
  return new Map(
    found.map((chunk) => {
      const [before, after] = [
        byPlace.get(keyOf(chunk, chunk.position - 1)),
        byPlace.get(keyOf(chunk, chunk.position + 1)),
      ];
      return [chunk.id, [...(before ? [before] : []), ...(after ? [after] : [])]];
    }),
  );
}

function keyOf({ documentId, revision }: Chunk, position: number): string {
  return `${documentId} ${revision} ${position}`;
}
