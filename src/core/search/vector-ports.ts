import type { Unit, UnitKind, UnitSet, VectorSpace } from "../types.js";

export interface VectorHit {
  readonly unit: Unit;
  /** Cosine of the angle to the query, -1 to 1. */
  readonly cosine: number;
}

export interface VectorQuery {
  readonly space: VectorSpace;
  /** Rows of `containers`; nothing outside them is ever returned. */
  readonly containerIds: readonly number[];
  readonly kinds: readonly UnitKind[];
  /** Length 1. */
  readonly vector: Float32Array;
  readonly limit: number;
  /** When given, only these units are considered (a metadata filter already evaluated in the record). */
  readonly among?: UnitSet | undefined;
  /**
   * Whether some of the nearest may be missing where leaving out what is unlike the query is much faster: meant for finding vectors
   * that are very much like this one. A question is often not, because even its best answer is hardly like it.
   */
  readonly isApproximate?: boolean | undefined;
}

/** Finds the nearest vectors. Derived data: all of it can be rebuilt from a `VectorRecord`. */
export interface VectorIndex {
  /**
   * At most `limit` hits, best first, each unit once. Sees everything committed to the record before the call.
   * @throws AppError `unavailable` when no tier can answer
   */
  nearest(query: VectorQuery): Promise<VectorHit[]>;
  /** Status for people: which tiers run, and what is degraded. */
  status(): Promise<VectorStatus>;
  /** Compares the index with the record and repairs differences; searches continue meanwhile. */
  verify(signal?: AbortSignal): Promise<VectorVerification>;
  /**
   * Erases all traces, even in files, of vectors that the record no longer has. Whatever holds such traces is deleted whole and
   * rebuilt from the record; searches continue meanwhile.
   */
  scrub(signal?: AbortSignal): Promise<void>;
  /** Releases everything held for a space that the record is about to drop, or no longer has. */
  dropSpace(spaceId: number): Promise<void>;
  close(): Promise<void>;
}

export interface VectorStatus {
  /** E.g. `exact`, `exact + local Chroma 1.0.5`. */
  readonly name: string;
  readonly state: "ready" | "starting" | "degraded" | "off";
  /** Why it is degraded or off, and what to do. */
  readonly reason?: string;
  /** Number of record changes that the index has not applied yet. */
  readonly behind: number;
}

export interface VectorVerification {
  readonly collections: readonly {
    readonly name: string;
    readonly expected: number;
    readonly found: number;
    /** How many sampled vectors were searched for, and how many found themselves. */
    readonly selfQueries: { readonly asked: number; readonly found: number };
    readonly repaired: boolean;
  }[];
}

/** One change of the vector set, in the order of commits. */
export interface VectorChange {
  readonly seq: number;
  readonly containerId: number;
  readonly unit: Unit;
  /** The vector from now on, or null when the unit is gone. */
  readonly vector: Float32Array | null;
}

/** How far an index has followed a space, shared by all processes that search it. */
export interface FollowerProgress {
  /** The newest change that the index has applied; 0 when it never followed. */
  readonly position: number;
  /** Where the index keeps the vectors, in the index's own format; null until it says so. */
  readonly layout: string | null;
}

/** Vectors of some units. */
export interface ContainerVectors {
  readonly units: readonly Unit[];
  /** `units.length × dimensions` floats, row by row. */
  readonly matrix: Float32Array;
}

/** The vectors as stored in the record, and the change log that indexes follow. */
export interface VectorRecord {
  /** Number of vectors per container. */
  counts(spaceId: number): Promise<ReadonlyMap<number, number>>;
  /** The vectors of some units of some containers, in no order, each unit once. */
  pick(space: VectorSpace, containerIds: readonly number[], units: readonly Unit[]): Promise<ContainerVectors>;
  /** A page of all vectors of one container, by ascending unit. */
  page(space: VectorSpace, containerId: number, afterUnit: Unit, limit: number): Promise<VectorChange[]>;
  /**
   * Visits such a page without retaining it: a vector is valid only until `see` returns, since the next one overwrites it. For
   * reading very many vectors.
   * @returns the units of the page, by ascending unit
   */
  visit(
    space: VectorSpace,
    page: { readonly containerId: number; readonly afterUnit: Unit; readonly limit: number },
    see: (unit: Unit, vector: Float32Array) => void,
  ): Promise<Unit[]>;
  /**
   * Changes after `seq`, oldest first, of one container or of all.
   * @returns `truncated: true` when the log no longer reaches back to `seq`, so that the follower must reload everything
   */
  changesSince(
    space: VectorSpace,
    seq: number,
    options: { containerId?: number; limit: number },
  ): Promise<{ changes: VectorChange[]; truncated: boolean }>;
  /**
   * Drops log entries that every follower has passed, except the newest ones.
   * @returns how many
   */
  trim(spaceId: number, keepNewest: number): Promise<number>;
  /** The newest change of the space, 0 when there is none. */
  head(spaceId: number): Promise<number>;
  /** The progress of a named follower. */
  progress(follower: string, spaceId: number): Promise<FollowerProgress>;
  setPosition(follower: string, spaceId: number, seq: number): Promise<void>;
  /**
   * Replaces the layout if it is still the expected one.
   * @returns false when it has changed
   */
  replaceLayout(
    follower: string,
    spaceId: number,
    layout: { readonly known: string | null; readonly next: string },
  ): Promise<boolean>;
  /** Containers that have a collection of their own in the index. */
  placements(spaceId: number): Promise<ReadonlyMap<number, string>>;
  setPlacement(spaceId: number, containerId: number, collection: string): Promise<void>;
  removePlacement(spaceId: number, containerId: number): Promise<void>;
  /** Every space that holds vectors. */
  spaces(): Promise<VectorSpace[]>;
  /**
   * Deletes a space and everything that belongs to it, in small steps. Nothing may write to it meanwhile. Completes what an
   * earlier call left unfinished.
   */
  dropSpace(spaceId: number): Promise<void>;
}
