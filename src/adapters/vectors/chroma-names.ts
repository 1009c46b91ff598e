import { createHash } from "node:crypto";

import { type Unit, type VectorSpace } from "../../core/types.js";

/**
 * Names of collections. They carry the owner of the record, so that several services can share one Chroma server,
 * and everything that decides what a vector means, so that vectors of different spaces can never meet.
 */
export interface CollectionNames {
  /** Beginning of every collection of this service. */
  readonly all: string;
  /** The collection of a space that small containers share. */
  shared(space: VectorSpace): string;
  /** The collection that a large container has of its own. */
  own(space: VectorSpace, containerId: number): string;
}

/**
 * Bumped whenever collections are to be built anew, such as with other settings of their index, which they keep for
 * as long as they exist.
 */
const BUILD = 2;

/** @param namespace whatever tells the record apart from others, e.g. the organisation id */
export function collectionNames(namespace: string): CollectionNames {
  const all = `recollect-${digest(namespace)}-`;
  const shared = (space: VectorSpace) =>
    `${all}${digest(`${BUILD} ${space.id} ${space.dimensions} ${space.fingerprint}`)}`;
  return { all, shared, own: (space, containerId) => `${shared(space)}-${containerId}` };
}

/** Id of a row: the same unit may lie in several containers. */
export function rowId(unit: Unit, containerId: number): string {
  return `${unit}@${containerId}`;
}

/** @returns null when the id was not made by `rowId` */
export function unitOfRow(id: string): Unit | null {
  const unit = /^(\d{1,16})@\d{1,16}$/.exec(id)?.[1];
  return unit === undefined ? null : Number(unit);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
