import type { AppError } from "./errors.js";
import type { JobStore, ModelUse, VectorRecord } from "./ports.js";
import type { ModelFailureStore } from "./documents/model-failure-ports.js";
import type { AuditStore } from "./journal/audit-ports.js";
import type { KeyStore } from "./access/key-ports.js";
import type { DeviceRequestStore } from "./access/device-ports.js";
import type { OAuthStore } from "./access/oauth-ports.js";
import type { SignInStore } from "./access/sign-in-ports.js";
import type { PurgeStore } from "./upkeep/ports.js";
import type { RequestStore, VolumeStore } from "./usage/ports.js";
import type { ChunkStore, DocumentStore } from "./documents/ports.js";
import type { EmbeddingStore } from "./embeddings/ports.js";
import type { ExtractionTaskStore } from "./memories/extraction-task-ports.js";
import type { JournalStore } from "./journal/ports.js";
import type { SummaryStore } from "./profile/ports.js";
import type { TurnStore } from "./documents/turn-ports.js";
import type { TextIndexStore, UnitStore } from "./search/unit-ports.js";
import type {
  Container,
  ContainerSummary,
  FilterExpression,
  Memory,
  MemoryDraft,
  Merge,
  Relation,
  StoredFile,
  VectorSpace,
} from "./types.js";

export type * from "./documents/ports.js";
export type * from "./memories/extraction-task-ports.js";
export type * from "./documents/turn-ports.js";
export type * from "./search/unit-ports.js";
export type * from "./upkeep/ports.js";

export interface ContainerRow {
  readonly id: number;
  readonly tag: string;
  /** Null for the server's. */
  readonly timeZone: string | null;
}

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

/** What an update of a container may change; absent keys stay as they are. */
export interface ContainerChange {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly entityContext?: string | null;
  /** Goes with `entityContext` and nothing else. */
  readonly entityContextBy?: Container["entityContextBy"];
  readonly memoryFilesystemPaths?: readonly string[] | null;
  readonly profileBuckets?: Container["profileBuckets"];
  readonly visibility?: Container["visibility"];
  readonly isExperimental?: boolean;
  readonly emoji?: string | null;
  readonly timeZone?: string | null;
}

export interface ContainerStore {
  get(organizationId: string, tag: string): Promise<Container | null>;
  /** Makes the container when there is none. */
  update(organizationId: string, tag: string, change: ContainerChange): Promise<Container>;
  /** Guidance for extraction that the owner wrote, each text once with how many containers have it. */
  guidance(organizationId: string): Promise<{ readonly text: string; readonly containers: number }[]>;
  /** The ones that exist among these tags, or all; in no order. */
  list(organizationId: string, tags: "all" | readonly string[]): Promise<ContainerSummary[]>;
  /**
   * Marks a container as deleted, which frees its tag: whoever makes the tag again gets an empty one. What lies in it is
   * no longer reached by tag.
   */
  remove(organizationId: string, tag: string): Promise<void>;
  /** Ids of documents that lie in a container, deleted ones too. */
  documentsIn(organizationId: string, containerId: number, limit: number): Promise<string[]>;
  /** Every container, deleted ones too, with the tag it has or had. */
  findEvery(organizationId: string): Promise<(ContainerRow & { readonly isDeleted: boolean })[]>;
  /** How many documents lie in this container and in no other. */
  countOwnDocuments(organizationId: string, containerId: number): Promise<number>;
  /** Puts a document with all its chunks into exactly these containers, in this order. */
  relocate(organizationId: string, documentId: string, containerIds: readonly number[]): Promise<void>;
  /** Containers of a document, in the order of its tags. */
  ofDocument(organizationId: string, documentId: string): Promise<ContainerRow[]>;
  ensure(organizationId: string, tags: readonly string[]): Promise<ContainerRow[]>;
  /** Removes everything in a container, without a trace. */
  purge(organizationId: string, tag: string): Promise<void>;
  /** Existing containers among these tags, or all of them. */
  find(organizationId: string, tags: "all" | readonly string[]): Promise<ContainerRow[]>;
}

/** Settings as they were written, one value for each client; the client '' is the organisation itself. */
export interface SettingsStore {
  read(organizationId: string, client: string): Promise<Readonly<Record<string, unknown>> | null>;
  write(organizationId: string, client: string, value: Readonly<Record<string, unknown>>): Promise<void>;
  /** Removes the settings of the organisation and of all clients. @returns how many there were */
  clear(organizationId: string): Promise<number>;
}

export interface MergeChange {
  readonly status?: Merge["status"];
  readonly progress?: Merge["progress"];
  readonly lastError?: string | null;
}

/** Containers that are, or were, merged into another. */
export interface MergeStore {
  insert(organizationId: string, merge: Pick<Merge, "id" | "sourceTags" | "targetTag">): Promise<Merge>;
  byId(organizationId: string, id: string): Promise<Merge | null>;
  /** The ones that are neither completed nor failed, oldest first. */
  open(organizationId: string): Promise<Merge[]>;
  update(organizationId: string, id: string, change: MergeChange): Promise<void>;
}

/** Results of finished calls by the caller's operation id, so that a retried call does its work once. */
export interface OperationStore {
  find(operationId: string): Promise<{ readonly result: unknown } | null>;
  save(operationId: string, result: unknown): Promise<void>;
  dropBefore(moment: Date): Promise<number>;
}

/** What is known of uploaded files. A file counts while `/files/{key}` is the URL of its document. */
export interface FileStore {
  insert(organizationId: string, file: Omit<StoredFile, "createdAt">): Promise<void>;
  /** Null for a file that does not count any more. */
  byKey(organizationId: string, key: string): Promise<StoredFile | null>;
  /** Oldest first; the document names at most one of them. */
  ofDocument(organizationId: string, documentId: string): Promise<StoredFile[]>;
  /** Removes up to `limit` rows of files that their document does not name, or whose document is gone. @returns their keys */
  dropUnnamed(organizationId: string, limit: number): Promise<string[]>;
  /** A secret that links to files are signed with; made when it is first asked for, and then the same for good. */
  linkSecret(organizationId: string): Promise<string>;
  /** Those of the keys that have a row. */
  knownKeys(organizationId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What answers of language models cost, and which prompt they answered. */
export interface ExtractionStore {
  note(
    organizationId: string,
    entry: ModelUse & { readonly documentId: string; readonly revision: number },
  ): Promise<void>;
  /** Tokens and cost of all answers about all documents, or about one. */
  totals(organizationId: string, documentId?: string): Promise<ModelTotals>;
  /** US dollars of all answers since a moment (ISO), as far as prices were known. */
  costSince(organizationId: string, moment: string): Promise<number>;
  /** Which of these prompts a model answered about this revision of a document; null when none. */
  promptOf(
    organizationId: string,
    document: { readonly id: string; readonly revision: number },
    prompts: readonly string[],
  ): Promise<string | null>;
  /** Notes what found the facts of a document, e.g. `rules/1`, in place of what was noted before. */
  noteReading(documentId: string, extractor: string): Promise<void>;
  /**
   * Documents whose facts were found, or given up, oldest first: those that form memories, without the ones whose sender
   * stated the facts.
   */
  readings(organizationId: string, query: ReadingQuery): Promise<DocumentReading[]>;
  /** Notes how a document was cut into chunks, in place of what was noted before; null for as is usual. */
  noteCutting(documentId: string, chunking: string | null): Promise<void>;
  /** Documents that are cut into chunks and findable, oldest first. */
  cuttings(organizationId: string, query: Omit<ReadingQuery, "exceptBy">): Promise<DocumentCutting[]>;
}

/** What answers of language models took together. */
export interface ModelTotals {
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars of those whose price is known; null when that is none of them. */
  readonly cost: number | null;
  /** Answers whose price is not known. */
  readonly unpricedAnswers: number;
}

export interface ReadingQuery {
  readonly ids?: readonly string[] | undefined;
  /** Only documents that lie in one of these. */
  readonly containerTags?: readonly string[] | undefined;
  /** Only documents that lie in no other containers. */
  readonly within: "all" | readonly string[];
  /** Without documents whose facts one of these found. */
  readonly exceptBy?: readonly string[] | undefined;
}

/** With what a document was read. */
export interface DocumentReading extends WorkedDocument {
  /** Null when nobody noted it. */
  readonly extractor: string | null;
}

/** How a document was cut into chunks. */
export interface DocumentCutting extends WorkedDocument {
  /** Who sent it, whose settings hold for it. */
  readonly client: string | null;
  /** Null for as is usual. */
  readonly chunking: string | null;
}

/** A document that work may be done on. */
export interface WorkedDocument {
  readonly id: string;
  readonly revision: number;
  /** The first container that it lies in. */
  readonly containerTag: string;
  /** Of its text. */
  readonly bytes: number;
}

export interface StoreHealth {
  /** Empty when the store is sound. */
  readonly problems: readonly string[];
  readonly documents: number;
  readonly chunks: number;
  readonly memories: number;
  /** Of the record and its log. */
  readonly bytes: number;
  readonly freeBytes: number;
  /** When this process last had no room for what was to be written (ISO 8601); null for never. */
  readonly fullAt: string | null;
  /** What others of this machine may do in the folder of the store, whose files they cannot read; null for nothing. */
  readonly folderOpenTo: "reading" | "writing" | null;
}

/** The record, by noun. Every method outside `transaction` is its own transaction. */
export interface Repositories {
  readonly documents: DocumentStore;
  readonly chunks: ChunkStore;
  readonly memories: MemoryStore;
  readonly turns: TurnStore;
  readonly units: UnitStore;
  readonly embeddings: EmbeddingStore;
  readonly containers: ContainerStore;
  readonly files: FileStore;
  readonly extractions: ExtractionStore;
  readonly modelFailures: ModelFailureStore;
  readonly summaries: SummaryStore;
  readonly extractionTasks: ExtractionTaskStore;
  readonly settings: SettingsStore;
  readonly merges: MergeStore;
  readonly keys: KeyStore;
  readonly signIns: SignInStore;
  readonly oauth: OAuthStore;
  readonly deviceRequests: DeviceRequestStore;
  readonly jobs: JobStore;
  readonly journal: JournalStore;
  readonly operations: OperationStore;
  readonly purges: PurgeStore;
  readonly requests: RequestStore;
  readonly audit: AuditStore;
  readonly volumes: VolumeStore;
}

export interface Store extends Repositories {
  /**
   * The same record for work that would be done again: what is written here is seen at once and survives the end of the
   * process, but nothing waits until it is on the disk. Whatever is written to the store itself takes it there too.
   */
  readonly background: Store;
  readonly vectors: VectorRecord;
  readonly textIndex: TextIndexStore;
  readonly organizationId: string;
  /** All or nothing. No network, model or file work inside. */
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Finds or creates the space of a fingerprint. @throws AppError `conflict` when it exists with another size */
  ensureSpace(fingerprint: string, dimensions: number): Promise<VectorSpace>;
  findSpace(fingerprint: string): Promise<VectorSpace | null>;
  /** What was measured in a space, as `setSpaceCalibration` was given it; null when nothing was. */
  spaceCalibration(spaceId: number): Promise<string | null>;
  /** Does nothing for a space that is gone. */
  setSpaceCalibration(spaceId: number, calibration: string): Promise<void>;
  /** Vectors of a container by chance, each once, at most `count`; fewer where the container has few. */
  sampleVectors(space: VectorSpace, containerId: number, count: number): Promise<readonly Float32Array[]>;
  health(options: { deep: boolean }): Promise<StoreHealth>;
  /**
   * Overwrites what was deleted from the record and is still in its files. Calling again does what is left.
   * @throws AppError `storage_full` without room for a copy of the file, `unavailable` while another program reads it
   */
  scrub(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves, with what to tell, when the files of the record are no longer where they were opened. Then nothing is written or
   * acknowledged any more.
   */
  readonly lost: Promise<AppError>;
  /** False as soon as that can be seen. */
  isInPlace(): boolean;
  /** When there was last no room for what was to be written; null for never since the store was opened. */
  fullAt(): Date | null;
  close(): Promise<void>;
}
