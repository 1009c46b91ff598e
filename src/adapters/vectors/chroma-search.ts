import { AppError } from "../../core/errors.js";
import type { VectorHit, VectorQuery, VectorRecord } from "../../core/ports.js";
import type { Unit, UnitKind, VectorSpace } from "../../core/types.js";
import { unitOfRow } from "./chroma-names.js";
import type { ChromaCollection } from "./chroma-server.js";
import { offerUnits, passes } from "./picked-units.js";
import { TopHits } from "./top-hits.js";

/** Beyond this many changes that Chroma has not seen, a search is refused rather than merged. */
const MOST_CHANGES_BEHIND = 5_000;
const SPARE_RESULTS = 20;
/** Results to request from a filtered search, since only some may pass. */
const FILTERED_RESULTS = 1_000;
/**
 * The graph search visits as many vectors as it is asked for, and must visit this share of them to find the nearest. Measured
 * with the built-in embedder's vectors, recall was 0.98 at 300,000, and 0.94 with half as many visited.
 */
const LOOKED_AT = 1 / 150;

/** The collections of a space, as far as a search needs to know them. */
export interface SearchedCollections {
  readonly space: VectorSpace;
  /** The newest change that they are sure to hold; later ones may or may not be included. */
  readonly position: number;
  /** @returns null while the collection is being built */
  collection(name: string): ChromaCollection | null;
  /** Groups these containers by the collection that holds them. */
  byCollection(containerIds: Iterable<number>): Map<string, number[]>;
  /** Whether a collection holds a single container, so that searches need no container filter. */
  isOwn(name: string): boolean;
  /** Approximate number of vectors in a collection. */
  sizeOf(name: string): number;
}

/**
 * Gets candidates from Chroma and scores them with the record's vectors, together with everything written since Chroma's
 * position. Containers, deletions and scores therefore always come from the record; Chroma only decides where to look.
 * @param most maximum number of results from the server
 * @throws AppError `unavailable` when Chroma does not answer, or cannot know enough to answer correctly
 */
export async function searchChroma(
  record: VectorRecord,
  chroma: SearchedCollections,
  query: VectorQuery,
  most: number,
): Promise<VectorHit[]> {
  const containerIds = new Set(query.containerIds);
  const changed = await unitsChangedSince(record, chroma, containerIds);
  const candidates = new Set<Unit>(changed);
  const groups = [...chroma.byCollection(containerIds)];
  const answers = await Promise.all(
    groups.map(([name, members]) => askCollection(chroma, name, members, { query, changed, most })),
  );
  for (const unit of answers.flat()) candidates.add(unit);
  const top = new TopHits(query.limit);
  await offerUnits(record, query, candidates, top);
  return top.sorted();
}

async function unitsChangedSince(
  record: VectorRecord,
  chroma: SearchedCollections,
  containerIds: ReadonlySet<number>,
): Promise<Set<Unit>> {
  const limit = MOST_CHANGES_BEHIND + 1;
  const { changes, truncated } = await record.changesSince(chroma.space, chroma.position, { limit });
  if (truncated || changes.length === limit) {
    throw new AppError("unavailable", "Chroma is too many changes behind to be searched.");
  }
  return new Set(changes.filter((change) => containerIds.has(change.containerId)).map((change) => change.unit));
}

/**
 * Results that have changed since, or that a filter rejects, displace others. The answer counts if enough hits remain, or if the
 * collection had no more to give.
 */
async function askCollection(
  chroma: SearchedCollections,
  name: string,
  members: readonly number[],
  { query, changed, most }: { query: VectorQuery; changed: ReadonlySet<Unit>; most: number },
): Promise<Unit[]> {
  const collection = chroma.collection(name);
  if (collection === null) throw beingBuilt();
  const kind = onlyKind(query.kinds);
  const containers = chroma.isOwn(name) ? undefined : members;
  const wanted = query.among === undefined ? query.limit + changed.size + SPARE_RESULTS : FILTERED_RESULTS;
  const first = Math.max(wanted, Math.ceil(chroma.sizeOf(name) * LOOKED_AT));
  for (const limit of new Set([Math.min(first, most), most])) {
    const hits = await collection.nearest(query.vector, limit, { containers, kind }).catch((error: unknown) => {
      // A rebuild that started meanwhile is not the server's fault.
      throw chroma.collection(name) === collection ? error : beingBuilt();
    });
    // Containers that have moved out meanwhile may already have been missing here.
    if (chroma.byCollection(members).size > 1 || !chroma.byCollection(members).has(name)) throw beingBuilt();
    const units = hits.map((hit) => requireUnit(hit.id));
    const lasting = new Set(units.filter((unit) => !changed.has(unit) && passes(query, unit)));
    if (units.length < limit || lasting.size >= query.limit) return [...lasting].slice(0, query.limit + SPARE_RESULTS);
  }
  throw new AppError("unavailable", "Too few of the vectors that Chroma found pass the filter or are still valid.");
}

function beingBuilt(): AppError {
  return new AppError("unavailable", "A Chroma collection is being built.");
}

function onlyKind(kinds: readonly UnitKind[]): UnitKind | undefined {
  const distinct = new Set(kinds);
  return distinct.size === 1 ? kinds[0] : undefined;
}

function requireUnit(id: string): Unit {
  const unit = unitOfRow(id);
  if (unit === null) {
    throw new AppError("unavailable", "Chroma returned a row that is not ours.", { cause: new Error(`row ${id}`) });
  }
  return unit;
}
