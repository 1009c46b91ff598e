import type { ChromaCollection, ChromaRow } from "./chroma-server.js";

/** One search returns everything that the graph of so small a collection reaches. */
const LARGEST_LOOKED_AT = 1_000;
const ATTEMPTS = 3;

/** True when a collection is so small that `rewriteLost` can tell what its graph lost. */
export async function isSmall(collection: ChromaCollection): Promise<boolean> {
  return (await collection.count()) <= Math.min(LARGEST_LOOKED_AT, collection.mostResults);
}

/**
 * Writes rows of a small collection again that were just written and that no search finds. Chroma 1.x, which adds several rows
 * at a time to its graph, leaves some without a way to them while the graph is small: where 30 rows followed 40, 23 of 200
 * collections had such rows, which are counted and read, but never found. Written again they are; of 50,000 rows that were
 * added to more than a hundred none was lost.
 * @returns rows that are still not found
 */
export async function rewriteLost(collection: ChromaCollection, rows: readonly ChromaRow[]): Promise<ChromaRow[]> {
  let lost = await notFound(collection, rows);
  for (let attempt = 0; attempt < ATTEMPTS && lost.length > 0; attempt++) {
    await collection.upsert(lost);
    lost = await notFound(collection, lost);
  }
  return lost;
}

async function notFound(collection: ChromaCollection, rows: readonly ChromaRow[]): Promise<ChromaRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const found = await collection.nearest(first.vector, LARGEST_LOOKED_AT, {}, "write");
  const ids = new Set(found.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}
