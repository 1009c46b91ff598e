import { z } from "zod";
import type { VectorRecord } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { createId } from "../../lib/ids.js";

/** A collection that should exist. */
const collectionShape = z.object({
  name: z.string(),
  /**
   * Chroma's own id, which changes when the collection is rebuilt under the same name. Null while it lacks vectors of its
   * containers up to the recorded position.
   */
  id: z.string().nullable(),
  /** Approximate number of vectors. */
  size: z.number(),
  /** The only container in it, or null for the collection shared by all containers without one of their own. */
  containerId: z.number().nullable(),
});

const layoutShape = z.discriminatedUnion("state", [
  z.object({ state: z.literal("compared"), collections: z.array(collectionShape) }),
  /** The collections must not be queried until they have been compared with the record. */
  z.object({ state: z.literal("doubted"), id: z.string() }),
  /** Their files contain data that must be erased: all must be rebuilt. */
  z.object({ state: z.literal("outdated"), id: z.string() }),
]);

/** Where the vectors of a space are on a Chroma server, as published by the process that feeds it. */
export type ChromaLayout = z.infer<typeof layoutShape>;
export type PublishedCollection = z.infer<typeof collectionShape>;

/** A server that follows the vectors of a record. */
export interface FollowedRecord {
  readonly record: VectorRecord;
  /** Name under which the record keeps the server's progress. */
  readonly follower: string;
}

/** @returns null when there is none, or not in this version's format */
export function readLayout(text: string | null): ChromaLayout | null {
  if (text === null) return null;
  try {
    return layoutShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The collections to query; null while none may be queried. */
export function publishedCollections(layout: string | null): readonly PublishedCollection[] | null {
  const known = readLayout(layout);
  return known?.state === "compared" ? known.collections : null;
}

/** Whether two layouts have the same collections for the same containers, whatever their sizes. */
export function haveSameCollections(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  const [ones, others] = [publishedCollections(one), publishedCollections(other)];
  return ones !== null && others !== null && areSame(ones, others);
}

/** Whether these are the same collections for the same containers, in any order and of any size. */
export function areSame(some: readonly PublishedCollection[], others: readonly PublishedCollection[]): boolean {
  return identitiesOf(some) === identitiesOf(others);
}

function identitiesOf(collections: readonly PublishedCollection[]): string {
  const identities = collections.map(({ name, id, containerId }) => JSON.stringify([name, id, containerId]));
  return identities.sort().join();
}

/**
 * Requires the collections of a layout to be compared with the record before they are queried again. A demand for new ones stays.
 * @returns the new layout, or null when the layout has changed meanwhile and is left alone
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

/** Has all collections of a space dropped and rebuilt, now or as soon as the server is available. */
export async function demandRebuild({ record, follower }: FollowedRecord, space: VectorSpace): Promise<void> {
  for (;;) {
    const { layout: known } = await record.progress(follower, space.id);
    if (await record.replaceLayout(follower, space.id, { known, next: newMark("outdated") })) return;
  }
}

/** Each mark is unique, so that a second demand is noticed while the first is being met. */
function newMark(state: "doubted" | "outdated"): string {
  return JSON.stringify({ state, id: createId() } satisfies ChromaLayout);
}
