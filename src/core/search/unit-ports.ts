import type { ContainerVectors } from "../ports.js";
import type { Chunk, FilterExpression, Memory, Unit, UnitKind, UnitSet, VectorSpace } from "../types.js";

export interface TextHit {
  readonly unit: Unit;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}

export interface TextSearchOptions {
  readonly limit: number;
  /** The only units considered. */
  readonly among?: UnitSet;
  /** Looks only for the rarest words that together match about this many units; all by default. */
  readonly mostMatches?: number;
}

export interface FoundText {
  readonly hits: readonly TextHit[];
  /**
   * In how many units of the scope each word occurs in the text itself, and how many units there are. May be out of date by up
   * to one unit in a hundred.
   */
  readonly counted: { readonly total: number; readonly counts: readonly number[] };
}

/** Where a search may look. */
export interface UnitScope {
  readonly containerIds: readonly number[];
  /** True when these are all existing containers, so that nothing has to be excluded. */
  readonly isEverywhere?: boolean;
  readonly kinds: readonly UnitKind[];
  readonly includeForgotten: boolean;
}

/** Conditions that narrow a search; all of them must hold. */
export interface UnitCondition {
  readonly filters?: FilterExpression;
  /** Exact path, or a prefix when it ends in `/`. */
  readonly filepath?: string;
  /** Only chunks of these documents, and memories that any of them states. */
  readonly documentIds?: readonly string[];
  /** No chunks of these documents. */
  readonly exceptDocumentIds?: readonly string[];
  /** Only chunks of documents that are in every container of the scope; memories are in just one anyway. */
  readonly inEveryContainer?: true;
}

/** What ranking needs to know about a memory. */
export interface MemoryDetail extends Pick<Memory, "isInference" | "kind" | "isStatic" | "strength" | "createdAt"> {
  /** The memory's metadata reduced to `temporalContext`; null when it has none. */
  readonly metadata: Memory["metadata"];
  /** The passages that state it, verbatim, if known. */
  readonly quotes: readonly { readonly documentId: string; readonly text: string }[];
}

/** Words of a passage that state a memory, and the status of that memory. */
export interface PassageStatement extends Pick<
  Memory,
  "text" | "isInference" | "isLatest" | "isForgotten" | "forgetAfter" | "forgetReason"
> {
  readonly containerId: number;
  /** As they appear in the document. */
  readonly quote: string;
  readonly isEpisode: boolean;
  /** Unvalidated, as any client may have written it; null when the memory has none. */
  readonly temporalContext: unknown;
}

/** Statements of documents, by document id. */
export type Statements = ReadonlyMap<string, readonly PassageStatement[]>;

/** What ranking needs to know about a chunk. */
export interface ChunkDetail extends Pick<Chunk, "documentId" | "position" | "metadata"> {
  /** Everything its document is known to state; only if some of that was forgotten or replaced, or has an end. */
  readonly statements?: readonly PassageStatement[];
}

/** A passage of which some statements no longer hold or are about something that is over. */
export interface DividedPassage {
  /** The passage without what no longer holds; may be empty. */
  readonly current: string;
  /** What no longer holds; empty when everything holds. */
  readonly past: string;
  /** What it says about events that are over. It was true, and stays in `current`. */
  readonly over: string;
  /** `current` without `over`. */
  readonly lasting: string;
  /** True when some of it was forgotten or is over; false when it was only replaced by newer statements. */
  readonly isForgotten: boolean;
}

/** What ranking needs to know about a unit. */
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
  /** For chunks that a search has divided; `text` is then what is current, or everything if forgotten content is wanted too. */
  readonly passage?: DividedPassage;
}

/** A unit with everything that can be shown about it. */
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
  /** Indexes a unit by its words in these containers. */
  indexText(entry: PlainUnit): Promise<void>;
  /** Moves a unit to exactly these containers, keeping its text and vectors. */
  rescope(unit: Unit, containerIds: readonly number[]): Promise<void>;
  /** Removes a unit from the text index and the vectors. */
  unindex(unit: Unit): Promise<void>;
  /** Moves a memory to the forgotten part of the index, where only `includeForgotten` finds it, or back. */
  setForgotten(unit: Unit, containerId: number, forgotten: boolean): Promise<void>;
  /** Does the same for all chunks of a document, including later ones. Does nothing if they are already there. */
  setDocumentForgotten(organizationId: string, documentId: string, forgotten: boolean): Promise<void>;
  /** Units whose text or context contains any of the words, best first: rare words count more, words in the context less. */
  searchText(scope: UnitScope, words: readonly string[], options: TextSearchOptions): Promise<FoundText>;
  /** Searchable units that have no vector in this space yet, in ascending order. */
  withoutVector(space: VectorSpace, afterUnit: Unit, limit: number): Promise<PlainUnit[]>;
  /** Adds the vector of a unit in all containers that it is in. Skips a unit that was removed or superseded meanwhile. */
  addVector(unit: Unit, space: VectorSpace, values: Float32Array): Promise<void>;
  /** Vectors of forgotten units in scope, for `includeForgotten`; no more than a search can examine. */
  forgottenVectors(scope: UnitScope, space: VectorSpace): Promise<ContainerVectors>;
  /** The units that satisfy a filter, evaluated before any ranking. */
  matching(organizationId: string, scope: UnitScope, condition: UnitCondition): Promise<readonly Unit[]>;
  /**
   * The chunks up to `distance` positions before and after each of these chunks in its document; `details` decides which may be
   * seen.
   */
  beside(units: readonly Unit[], distance: number): Promise<Unit[]>;
  /** Details of hits, without units that are outside the scope, superseded, gone, or forgotten unless those are requested. */
  details(organizationId: string, scope: UnitScope, units: readonly Unit[]): Promise<UnitDetail[]>;
  /** What documents are known to state, by document id; only documents with statements that may no longer hold. */
  statements(organizationId: string, documentIds: readonly string[]): Promise<Statements>;
  /** The full content of units that `details` has let through, in no order. */
  load(organizationId: string, units: readonly Unit[]): Promise<WholeUnit[]>;
}

/** The text index as a whole. */
export interface TextIndexStore {
  /** True when all of it was written with the current tokenisation. Records that for an empty store. */
  isCurrent(): Promise<boolean>;
  /** Checks the next `limit` units in one transaction, and rewrites those whose words may have changed. */
  rewriteSome(limit: number): Promise<{ readonly rewritten: number; readonly isDone: boolean }>;
}
