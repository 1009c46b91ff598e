import { z } from "zod";
import type { VectorRecord } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { createId } from "../../lib/ids.js";

/** A collection that there is to be. */
const collectionShape = z.object({
  name: z.string(),
  /**
   * Chroma's own id of it: one that is built anew under the same name has another. Null while it does not hold every vector of
   * its containers up to the position that the record has.
   */
  id: z.string().nullable(),
  /** About how many vectors it holds. */
  size: z.number(),
  /** The one container that it is for, or null for all that have no collection of their own. */
  containerId: z.number().nullable(),
});

const layoutShape = z.discriminatedUnion("state", [
  z.object({ state: z.literal("compared"), collections: z.array(collectionShape) }),
  /** Nothing is to be asked of the collections until they have been compared with the record. */
  z.object({ state: z.literal("doubted"), id: z.string() }),
  /** Their files hold what has to go: all are to be built anew. */
  z.object({ state: z.literal("outdated"), id: z.string() }),
]);

/** Where the vectors of a space lie on a Chroma server, as whoever feeds it tells all that search in it. */
export type ChromaLayout = z.infer<typeof layoutShape>;
export type PublishedCollection = z.infer<typeof collectionShape>;

/** A server that follows the vectors of a record. */
export interface FollowedRecord {
  readonly record: VectorRecord;
  /** Name under which the record keeps how far the server has followed it. */
  readonly follower: string;
}

/** @returns null when nobody wrote one, or not as this version does */
export function readLayout(text: string | null): ChromaLayout | null {
  if (text === null) return null;
  try {
    return layoutShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The collections to ask; null while none are to be asked. */
export function publishedCollections(layout: string | null): readonly PublishedCollection[] | null {
  const known = readLayout(layout);
  return known?.state === "compared" ? known.collections : null;
}

/** Whether two layouts have the same collections for the same containers, of whatever size. */
export function haveSameCollections(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const [ones, others] = [publishedCollections(one), publishedCollections(other)];
  return ones !== null && others !== null && areSame(ones, others);
}

/** Whether these are the same collections for the same containers, of whatever size and in whatever order. */
export function areSame(some: readonly PublishedCollection[], others: readonly PublishedCollection[]): boolean {
  return identitiesOf(some) === identitiesOf(others);
}

function identitiesOf(collections: readonly PublishedCollection[]): string {
  const identities = collections.map(({ name, id, containerId }) => JSON.stringify([name, id, containerId]));
  return identities.sort().join();
}

/**
 * Has the collections of a layout compared with the record before they are asked again. A demand for new ones stays.
 * @returns the layout that says so, or null when it is another one by now, which stays
 */
export async function doubtLayout(
  { record, follower }: FollowedRecord,
  space: VectorSpace,
  known: string | null,
): Promise<string | null> {
  if (readLayout(known)?.state === "outdated") return known;
  const next = newMark("doubted");
  return (await record.replaceLayout(follower, space.id, { known, next })) ? next : null;
}

/** Has all collections of a space dropped and built anew, now or whenever the server is there. */
export async function demandRebuild({ record, follower }: FollowedRecord, space: VectorSpace): Promise<void> {
  for (;;) {
    const { layout: known } = await record.progress(follower, space.id);
    if (await record.replaceLayout(follower, space.id, { known, next: newMark("outdated") })) return;
  }
}

/** Each is another one, so that a second demand is noticed while the first is being met. */
function newMark(state: "doubted" | "outdated"): string {
  return JSON.stringify({ state, id: createId() } satisfies ChromaLayout);
}
