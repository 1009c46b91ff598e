import type { Log, VectorChange, VectorRecord, VectorVerification } from "../../core/ports.js";
import { rowId } from "./chroma-names.js";
import type { SearchedCollections } from "./chroma-search.js";
import { type ChromaCollection, isMissingCollection } from "./chroma-server.js";
import type { ChromaSpace } from "./chroma-space.js";

type CollectionCheck = VectorVerification["collections"][number];

const SAMPLED_VECTORS = 16;
/** A self-query must return the vector itself or one just as near; identical texts have identical vectors. */
const SAME_DIRECTION = 1e-3;
const NEIGHBOURS_LOOKED_AT = 5;

/**
 * Compares the collections of a space with the record: row counts, and whether sampled vectors find themselves. Known kinds of
 * damage to Chroma indexes show up in one or the other: lost rows in the count, a broken graph in the self-queries. Collections
 * that differ are rebuilt from the record.
 * @param trusted collections whose self-queries failed right after a rebuild; they are not rebuilt again for that
 */
export async function checkSpace(
  chroma: ChromaSpace,
  options: { record: VectorRecord; log: Log; signal: AbortSignal; trusted: Set<string> },
): Promise<CollectionCheck[]> {
  const { record, signal, log, trusted } = options;
  await chroma.catchUp(signal);
  for (const containerId of chroma.placedContainers()) await chroma.purgeShared(containerId, signal);
  const results: CollectionCheck[] = [];
  for (const name of chroma.collectionNames()) {
    signal.throwIfAborted();
    const collection = chroma.collection(name);
    if (collection === null) continue;
    const counted = await compareCounts(chroma, collection, record);
    const selfQueries = await askForThemselves(chroma, collection, record);
    const isUnreachable = selfQueries.found < selfQueries.asked && !trusted.has(name);
    const repaired = counted.differs || isUnreachable;
    if (repaired) {
      log.warn("a Chroma collection differs from the record and is rebuilt", { collection: name, ...counted });
      if (isUnreachable) trusted.add(name);
      await chroma.rebuild(name, signal);
    }
    results.push({ name, expected: counted.expected, found: counted.found, selfQueries, repaired });
  }
  await chroma.catchUp(signal);
  return results;
}

/**
 * Whether collections fed by another process have as many rows as the record, apart from changes they need not have received yet.
 * Extra rows do no harm.
 */
export async function holdEnough(searched: SearchedCollections, record: VectorRecord): Promise<boolean> {
  const counts = await record.counts(searched.space.id);
  let missing = 0;
  for (const [name, members] of searched.byCollection(counts.keys())) {
    const expected = members.reduce((sum, containerId) => sum + (counts.get(containerId) ?? 0), 0);
    const collection = searched.collection(name);
    if (collection !== null) missing = Math.max(missing, expected - (await countRows(collection)));
  }
  return missing <= (await record.head(searched.space.id)) - searched.position;
}

async function countRows(collection: ChromaCollection): Promise<number> {
  return collection.count().catch((error: unknown) => {
    if (isMissingCollection(error)) return 0;
    throw error;
  });
}

/** Writes made during the comparison are in the record but not yet in Chroma. */
async function compareCounts(chroma: ChromaSpace, collection: ChromaCollection, record: VectorRecord) {
  const counts = await record.counts(chroma.space.id);
  const members = chroma.byCollection(counts.keys()).get(collection.name) ?? [];
  const expected = members.reduce((sum, containerId) => sum + (counts.get(containerId) ?? 0), 0);
  const found = await collection.count();
  const notYetFollowed = (await record.head(chroma.space.id)) - chroma.position;
  return { expected, found, differs: Math.abs(expected - found) > notYetFollowed };
}

async function askForThemselves(chroma: ChromaSpace, collection: ChromaCollection, record: VectorRecord) {
  const sample = await sampleVectors(chroma, collection.name, record);
  const head = await record.head(chroma.space.id);
  let asked = 0;
  let found = 0;
  for (const { unit, containerId, vector } of sample) {
    if (vector === null) continue;
    const hits = await collection.nearest(vector, NEIGHBOURS_LOOKED_AT, {}, "write");
    const isFound = hits.some((hit) => hit.id === rowId(unit, containerId) || hit.distance <= SAME_DIRECTION);
    if (!isFound && head !== chroma.position) continue;
    asked += 1;
    if (isFound) found += 1;
  }
  return { asked, found };
}

/** Vectors from random places in a collection, as the record holds them. */
async function sampleVectors(chroma: ChromaSpace, name: string, record: VectorRecord): Promise<VectorChange[]> {
  const containerIds = await chroma.containersOf(name);
  const sample: VectorChange[] = [];
  const highest = new Map<number, number>();
  for (let draw = 0; draw < SAMPLED_VECTORS && containerIds.length > 0; draw++) {
    const containerId = containerIds[Math.floor(Math.random() * containerIds.length)]!;
    const above = highest.get(containerId) ?? (await unitAbove(chroma, containerId, record));
    highest.set(containerId, above);
    const after = Math.floor(Math.random() * above) - 1;
    const [change] = await record.page(chroma.space, containerId, after, 1);
    if (change !== undefined) sample.push(change);
  }
  return sample;
}

/** A power of two that no unit of the container exceeds. */
async function unitAbove(chroma: ChromaSpace, containerId: number, record: VectorRecord): Promise<number> {
  let above = 1;
  while ((await record.page(chroma.space, containerId, above, 1)).length > 0) above *= 2;
  return above;
}
