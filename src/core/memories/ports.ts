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
  /** The words of the document that state it, where they are known. */
  readonly quote: string | null;
  /** Where these words stand in its text, if they do. */
  readonly quoteAt: { readonly start: number; readonly end: number } | null;
  readonly addedAt: string;
}

/** A guess that waits for review. */
export interface InferredMemory {
  readonly memory: Memory;
  /** From how many memories it was derived. */
  readonly parentCount: number;
}

/** A memory as one of its documents states it. */
export interface StatedMemory {
  readonly documentId: string;
  /** When the document was found to state it. */
  readonly addedAt: string;
  readonly memory: PlacedMemory;
}

export interface MemoryQuery {
  /** Any of these; none for nothing. */
  readonly containerTags: readonly string[];
  readonly filters?: FilterExpression | undefined;
  readonly sort: "createdAt" | "updatedAt";
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
}

/** The words of a document that state a memory, and where they stand in its text: null when they are not there now. */
export interface Quotation {
  /** Null for a memory that its document was written for, which is no proof of it. */
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
  /** The newest version of a chain, by the id of its first. */
  latestOf(organizationId: string, rootId: string): Promise<Memory | null>;
  /** The active memory of this container with the same normalised text. */
  byText(organizationId: string, containerTag: string, text: string): Promise<Memory | null>;
  /** The active memories of this container with exactly this text, newest first, forgotten ones last. */
  byExactText(organizationId: string, containerTag: string, text: string): Promise<Memory[]>;
  ofDocument(organizationId: string, documentId: string): Promise<Memory[]>;
  update(organizationId: string, id: string, change: MemoryChange): Promise<void>;
  /** Links a memory to a document that states it. @returns false when the link was there already */
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
   * Active (latest, unforgotten, unexpired) memories of a container, newest first; without those that were flagged as
   * instruction-like and wait for review.
   */
  active(
    organizationId: string,
    containerTag: string,
    options: {
      isStatic?: boolean;
      limit: number;
      filters?: FilterExpression | undefined;
      /** Only those that were written after the one with this `seq`. */
      afterSeq?: number;
    },
  ): Promise<Memory[]>;
  /** One page of active memories, and how many there are in all. */
  list(organizationId: string, query: MemoryQuery): Promise<{ memories: PlacedMemory[]; total: number }>;
  /** Active guesses of a container that nobody reviewed, those with the most parents first, then the newest. */
  inferred(organizationId: string, containerTag: string, limit: number): Promise<InferredMemory[]>;
  /** Every memory that these documents state or stated, superseded and forgotten ones too, oldest first. */
  ofDocuments(organizationId: string, documentIds: readonly string[]): Promise<StatedMemory[]>;
  /**
   * All versions of these chains, by the ids of their first ones; oldest first. Versions that were undone count only
   * when they are asked for.
   */
  versions(organizationId: string, rootIds: readonly string[], options?: { withUndone: boolean }): Promise<Memory[]>;
  /** What documents say of these memories, oldest link first. */
  statements(organizationId: string, memoryIds: readonly string[]): Promise<Statement[]>;
  /** The container that a memory lies in; null when that was deleted. */
  containerOf(organizationId: string, id: string): Promise<ContainerRow | null>;
  /**
   * Relations that these memories have to others or others to them, oldest first, each once; only to those of the same
   * container: what went to another one is no relative there, until it comes back. Those apart count only when they are
   * asked for.
   */
  relations(
    organizationId: string,
    memoryIds: readonly string[],
    options?: { evenApart: boolean },
  ): Promise<MemoryRelation[]>;
  /** Notes how a memory relates to an older one of its container; a pair has one relation, the last that was noted. */
  relate(organizationId: string, fromId: string, toId: string, relation: Relation): Promise<void>;
  /** Memories of a container by row, deleted ones too: all versions and forgotten ones, or only what is active. */
  inContainer(
    organizationId: string,
    containerId: number,
    options: { activeOnly: boolean; limit: number },
  ): Promise<Memory[]>;
  /** Removes memories of a container without a trace in rows and indexes. @returns how many, 0 when none was left */
  purge(organizationId: string, containerId: number, limit: number): Promise<number>;
  /** Puts the row into another container. The indexes follow by `units.rescope`. */
  move(organizationId: string, id: string, containerId: number): Promise<void>;
  /** Active memories whose time has passed. */
  expired(organizationId: string, now: Date, limit: number): Promise<Memory[]>;
}
