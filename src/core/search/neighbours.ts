import type { StoreNouns } from "../ports.js";
import type { Chunk } from "../types.js";

/** The chunks just before and just after each of these in its document, by the chunk's id, in the order of the text. */
export async function readNeighbours(
  { chunks }: Pick<StoreNouns, "chunks">,
  organizationId: string,
  found: readonly Chunk[],
): Promise<Map<string, Chunk[]>> {
  const places = found.flatMap(({ documentId, revision, position }) =>
    [position - 1, position + 1].map((place) => ({ documentId, revision, position: place })),
  );
  const neighbours = places.length > 0 ? await chunks.at(organizationId, places) : [];
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
