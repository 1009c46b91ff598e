import type { ContainerVectors } from "../ports.js";
import type { Chunk, FilterExpression, Memory, Unit, UnitKind, UnitSet, VectorSpace } from "../types.js";

export interface TextHit {
  readonly unit: Unit;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

export interface TextSearchOptions {
  readonly limit: number;
  /** The only units that count. */
  readonly among?: UnitSet;
  /** Looks only for the rarest words that together match about so many units; all by default. */
  readonly mostMatches?: number;
}

export interface FoundText {
  readonly hits: readonly TextHit[];
  /**
   * In how many units of the scope each word occurs in the text itself, and how many units there are. May lag behind by
   * one in a hundred units.
   */
  readonly counted: { readonly total: number; readonly counts: readonly number[] };
}

/** Where a search may look. */
export interface UnitScope {
  readonly containerIds: readonly number[];
  /** True when these are all containers that there are, so that nothing has to be kept out. */
  readonly isEverywhere?: boolean;
  readonly kinds: readonly UnitKind[];
  readonly includeForgotten: boolean;
}

/** What narrows a search; all of it holds together. */
export interface UnitCondition {
  readonly filters?: FilterExpression;
  /** Exact path, or a prefix when it ends in `/`. */
  readonly filepath?: string;
  /** Only chunks of these documents, and memories that any of them states. */
  readonly documentIds?: readonly string[];
  /** No chunks of these documents. */
  readonly exceptDocumentIds?: readonly string[];
  /** Only chunks of documents that lie in every container of the scope; memories lie in one anyway. */
  readonly inEveryContainer?: true;
}

/** What ranking needs to know of a memory. */
export interface MemoryDetail extends Pick<Memory, "isInference" | "kind" | "isStatic" | "strength" | "createdAt"> {
  /** Of a memory's metadata no more than `temporalContext`; null when it has none. */
  readonly metadata: Memory["metadata"];
  /** The passages that state it, word for word, where they are known. */
  readonly quotes: readonly { readonly documentId: string; readonly text: string }[];
}

/** Words of a passage that state a memory, and how that stands. */
export interface PassageStatement extends Pick<
  Memory,
  "text" | "isInference" | "isLatest" | "isForgotten" | "forgetAfter" | "forgetReason"
> {
  readonly containerId: number;
  /** As the document has them. */
  readonly quote: string;
  readonly isEpisode: boolean;
  /** As anybody may have written it; null when the memory has none. */
  readonly temporalContext: unknown;
}

/** Of documents, by their ids. */
export type Statements = ReadonlyMap<string, readonly PassageStatement[]>;

/** What ranking needs to know of a chunk. */
export interface ChunkDetail extends Pick<Chunk, "documentId" | "position" | "metadata"> {
  /** All that its document is known to state; only where some of that was forgotten or replaced, or has an end. */
  readonly statements?: readonly PassageStatement[];
}

/** A passage some of whose statements do not hold any more, or tell of what is over. */
export interface DividedPassage {
  /** What it says without what does not hold any more; empty when that is nothing. */
  readonly current: string;
  /** What does not hold any more; empty when all does. */
  readonly past: string;
  /** What it says of events that are over. That was so, and stays in `current`. */
  readonly over: string;
  /** `current` without that. */
  readonly lasting: string;
  /** True when some of it was forgotten or is over; false when newer statements took its place. */
  readonly isForgotten: boolean;
}

/** What ranking needs to know of a unit. */
export interface UnitDetail {
  readonly unit: Unit;
  /** Id of the chunk or memory. */
  readonly id: string;
  readonly containerId: number;
  readonly text: string;
  readonly chunk: ChunkDetail | null;
  readonly memory: MemoryDetail | null;
  /** The document of a chunk, or the documents that state a memory, oldest link first. */
  readonly documentIds: readonly string[];
  /** Of chunks that a search has divided; `text` is then what is current, or all where forgotten things are wanted, too. */
  readonly passage?: DividedPassage;
}

/** A unit with all that can be shown of it. */
export interface WholeUnit {
  readonly unit: Unit;
  readonly chunk: Chunk | null;
  readonly memory: Memory | null;
}

/** A unit as indexing sees it. */
export interface PlainUnit {
  readonly unit: Unit;
  readonly containerIds: readonly number[];
  readonly text: string;
  readonly context: string;
}

/** The text index, metadata filters and the loading of search hits, always within a scope. */
export interface UnitStore {
  /** Makes a unit findable by its words in these containers. */
  indexText(entry: PlainUnit): Promise<void>;
  /** Makes a unit findable in exactly these containers, with the text and the vectors that it has. */
  rescope(unit: Unit, containerIds: readonly number[]): Promise<void>;
  /** Takes a unit out of the text index and the vectors. */
  unindex(unit: Unit): Promise<void>;
  /** Moves a memory to the forgotten part of the index, where only `includeForgotten` finds it, or back. */
  setForgotten(unit: Unit, containerId: number, forgotten: boolean): Promise<void>;
  /** Does the same with all chunks of a document, those that are still to come included. Nothing where they are there already. */
  setDocumentForgotten(organizationId: string, documentId: string, forgotten: boolean): Promise<void>;
  /** Units whose text or context has any of the words, best first: rare words count more, those of the context less. */
  searchText(scope: UnitScope, words: readonly string[], options: TextSearchOptions): Promise<FoundText>;
  /** Findable units that have no vector in this space yet, by rising unit. */
  withoutVector(space: VectorSpace, afterUnit: Unit, limit: number): Promise<PlainUnit[]>;
  /** Adds the vector of a unit in all containers that it lies in. Leaves out one that was removed or superseded meanwhile. */
  addVector(unit: Unit, space: VectorSpace, values: Float32Array): Promise<void>;
  /** Vectors of forgotten units in scope, for `includeForgotten`; of so many no more than a search can look at. */
  forgottenVectors(scope: UnitScope, space: VectorSpace): Promise<ContainerVectors>;
  /** The units that satisfy a filter, evaluated before any ranking. */
  matching(organizationId: string, scope: UnitScope, condition: UnitCondition): Promise<readonly Unit[]>;
  /** The chunks up to `distance` places before and after each of these chunks in its document; `details` tells which may be seen. */
  beside(units: readonly Unit[], distance: number): Promise<Unit[]>;
  /** Details of hits; units outside the scope, superseded, forgotten where those are not asked for, or gone are left out. */
  details(organizationId: string, scope: UnitScope, units: readonly Unit[]): Promise<UnitDetail[]>;
  /** What documents are known to state, by their ids; only of those some of whose statements may not hold any more. */
  statements(organizationId: string, documentIds: readonly string[]): Promise<Statements>;
  /** The whole of units that `details` has let through, in no order. */
  load(organizationId: string, units: readonly Unit[]): Promise<WholeUnit[]>;
}

/** The text index as a whole. */
export interface TextIndexStore {
  /** True when all of it was written in the way in which texts are cut into words now. Notes so for an empty store. */
  isCurrent(): Promise<boolean>;
  /** Looks at the next `limit` units, in one transaction, and writes those anew that may have other words now. */
  rewriteSome(limit: number): Promise<{ readonly rewritten: number; readonly isDone: boolean }>;
}
