import type { ChromaCollection, ChromaRow } from "./chroma-server.js";

/** In so small a collection, one search returns everything that the graph reaches. */
const LARGEST_LOOKED_AT = 1_000;
const ATTEMPTS = 3;

/** Whether a collection is small enough for `rewriteLost` to tell what its graph lost. */
export async function isSmall(collection: ChromaCollection): Promise<boolean> {
  return (await collection.count()) <= Math.min(LARGEST_LOOKED_AT, collection.mostResults);
}

/**
 * Rewrites rows of a small collection that were just written and that no search finds. For unknown reasons, Chroma leaves some
 * rows unreachable while a graph is small: of 200 collections where 30 rows followed 40, 23 had rows that were counted and
 * readable but never found (engine 1.0.5, 24 dimensions). After a rewrite they were found; of 50,000 rows added to at least a
 * hundred, none was lost.
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
