import { createHash } from "node:crypto";

import { type Unit, type VectorSpace } from "../../core/types.js";

/**
 * Collection names. They contain the owner of the record, so that several services can share one Chroma server, and everything
 * that decides what a vector means, so that vectors of different spaces never mix.
 */
export interface CollectionNames {
  /** Prefix of every collection of this service. */
  readonly all: string;
  /** The collection shared by the small containers of a space. */
  shared(space: VectorSpace): string;
  /** The collection of a single large container. */
  own(space: VectorSpace, containerId: number): string;
}

/**
 * Increased whenever collections must be rebuilt, for example for new index settings: a collection keeps its settings for life.
 */
const BUILD = 2;

/** @param namespace what distinguishes the record from others, e.g. the organisation id */
export function collectionNames(namespace: string): CollectionNames {
  const all = `recollect-${digest(namespace)}-`;
  const shared = (space: VectorSpace) =>
    `${all}${digest(`${BUILD} ${space.id} ${space.dimensions} ${space.fingerprint}`)}`;
  return { all, shared, own: (space, containerId) => `${shared(space)}-${containerId}` };
}

/** Row id: the same unit may be in several containers. */
export function rowId(unit: Unit, containerId: number): string {
  return `${unit}@${containerId}`;
}

/** @returns null if the id was not made by `rowId` */
export function unitOfRow(id: string): Unit | null {
  const unit = /^(\d{1,16})@\d{1,16}$/.exec(id)?.[1];
  return unit === undefined ? null : Number(unit);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
