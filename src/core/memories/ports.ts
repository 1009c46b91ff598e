import type { ContainerRow } from "../ports.js";
import type { FilterExpression, Memory, MemoryDraft, Relation } from "../types.js";

export interface MemoryChange extends Pick<MemoryDraft, "entities" | "buckets"> {
  readonly isLatest?: boolean;
  readonly isForgotten?: boolean;
  readonly forgetAfter?: string | null;
  /** The same as `forgetAfter` by default. */
  readonly ownForgetAfter?: string | null;
  readonly forgetReason?: string | null;
  /** Makes it a version of another chain, or of its own. */
  readonly lineage?: { readonly parentId: string | null; readonly rootId: string | null; readonly version: number };
  readonly isStatic?: boolean;
  readonly isInference?: boolean;
  readonly strength?: number;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** How a memory relates to an older one of the same container. */
export interface MemoryRelation {
  /** The newer memory. */
  readonly fromId: string;
  readonly toId: string;
  readonly relation: Relation;
}

/** A memory with the id that clients see of its container. */
export interface PlacedMemory extends Memory {
  readonly containerUid: string;
}

/** A document that states a memory. */
export interface Statement {
  readonly memoryId: string;
  readonly documentId: string;
  /** The words of the document that state it, if known. */
  readonly quote: string | null;
  /** Where these words are in its text, if they are. */
  readonly quoteAt: { readonly start: number; readonly end: number } | null;
  readonly addedAt: string;
}

/** A guess waiting for review. */
export interface InferredMemory {
  readonly memory: Memory;
  /** From how many memories it was derived. */
  readonly parentCount: number;
}

/** A memory as one of its documents states it. */
export interface StatedMemory {
  readonly documentId: string;
  /** When it was established that the document states it. */
  readonly addedAt: string;
  readonly memory: PlacedMemory;
}

export interface MemoryQuery {
  /** In any of these; an empty list matches nothing. */
  readonly containerTags: readonly string[];
  readonly filters?: FilterExpression | undefined;
  readonly sort: "createdAt" | "updatedAt";
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
}

/** The words of a document that state a memory, and where they are in its text: null when they are not there now. */
export interface Quotation {
  /** Null for a memory for which its document was created: that proves nothing. */
  readonly text: string | null;
  readonly at: { readonly start: number; readonly end: number } | null;
}

export interface MemoryStore {
  insert(
    organizationId: string,
    draft: MemoryDraft,
    lineage: { parentId: string | null; rootId: string | null; version: number },
  ): Promise<Memory>;
  byId(organizationId: string, id: string): Promise<Memory | null>;
  byIds(organizationId: string, ids: readonly string[]): Promise<Memory[]>;
  /** The newest version of a chain, by the id of its first version. */
  latestOf(organizationId: string, rootId: string): Promise<Memory | null>;
  /** The active memory of this container with the same normalised text. */
  byText(organizationId: string, containerTag: string, text: string): Promise<Memory | null>;
  /** The active memories of this container with exactly this text, newest first, forgotten ones last. */
  byExactText(organizationId: string, containerTag: string, text: string): Promise<Memory[]>;
  ofDocument(organizationId: string, documentId: string): Promise<Memory[]>;
  update(organizationId: string, id: string, change: MemoryChange): Promise<void>;
  /**
   * Links a memory to a document that states it.
   * @returns false when the link already existed
   */
  addSource(
    organizationId: string,
    memoryId: string,
    documentId: string,
    quote: Quotation | string | null,
  ): Promise<boolean>;
  /** Unlinks a memory from a document. */
  removeSource(organizationId: string, memoryId: string, documentId: string): Promise<void>;
  /** Documents that state these memories. */
  sources(organizationId: string, memoryIds: readonly string[]): Promise<{ memoryId: string; documentId: string }[]>;
  /**
   * Active (latest, unforgotten, unexpired) memories of a container, newest first; without those flagged as instruction-like
   * that wait for review.
   */
  active(
    organizationId: string,
    containerTag: string,
    options: {
      isStatic?: boolean;
      limit: number;
      filters?: FilterExpression | undefined;
      /** Only those written after the one with this `seq`. */
      afterSeq?: number;
    },
  ): Promise<Memory[]>;
  /** One page of active memories, and their total number. */
  list(organizationId: string, query: MemoryQuery): Promise<{ memories: PlacedMemory[]; total: number }>;
  /** Active unreviewed guesses of a container, those with the most parents first, then the newest. */
  inferred(organizationId: string, containerTag: string, limit: number): Promise<InferredMemory[]>;
  /** Every memory that these documents state or stated, including superseded and forgotten ones, oldest first. */
  ofDocuments(organizationId: string, documentIds: readonly string[]): Promise<StatedMemory[]>;
  /**
   * All versions of these chains, by the ids of their first versions; oldest first. Versions that were undone are included only
   * on request.
   */
  versions(organizationId: string, rootIds: readonly string[], options?: { withUndone: boolean }): Promise<Memory[]>;
  /** Statements of these memories in documents, oldest link first. */
  statements(organizationId: string, memoryIds: readonly string[]): Promise<Statement[]>;
  /** The container that a memory is in; null when that was deleted. */
  containerOf(organizationId: string, id: string): Promise<ContainerRow | null>;
  /**
   * Relations from and to these memories, oldest first, without duplicates; only within the same container: a relative that
   * moved to another container does not count until it comes back. Separated ones are included only on request.
   */
  relations(
    organizationId: string,
    memoryIds: readonly string[],
    options?: { evenApart: boolean },
  ): Promise<MemoryRelation[]>;
  /** Records how a memory relates to an older one of its container; a pair has one relation, the last recorded. */
  relate(organizationId: string, fromId: string, toId: string, relation: Relation): Promise<void>;
  /**
   * Memories of a container by row, including those of deleted containers: all versions and forgotten ones, or only active
   * ones.
   */
  inContainer(
    organizationId: string,
    containerId: number,
    options: { activeOnly: boolean; limit: number },
  ): Promise<Memory[]>;
  /**
   * Removes memories of a container from rows and indexes without a trace.
   * @returns how many, 0 when none was left
   */
  purge(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** Moves the row to another container. The indexes follow with `units.rescope`. */
  move(organizationId: string, id: string, containerId: number): Promise<void>;
  /** Active memories that have expired. */
  expired(organizationId: string, now: Date, limit: number): Promise<Memory[]>;
}
