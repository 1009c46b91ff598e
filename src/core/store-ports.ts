import type { AttemptCounter } from "../lib/rate-limit.js";
import type { AppError } from "./errors.js";
import type { JobStore } from "./job-ports.js";
import type { VectorRecord } from "./search/vector-ports.js";
import type { ContainerStore, MergeStore } from "./containers/ports.js";
import type { MemoryStore } from "./memories/ports.js";
import type { ExtractionStore } from "./memories/extraction-ports.js";
import type { FileStore } from "./documents/file-ports.js";
import type { MessagePictureStore } from "./documents/message-picture-ports.js";
import type { ModelFailureStore } from "./documents/model-failure-ports.js";
import type { AuditStore } from "./journal/audit-ports.js";
import type { KeyStore } from "./access/key-ports.js";
import type { ConnectionStore } from "./connections/ports.js";
import type { KeyProofStore } from "./connections/secret-ports.js";
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
import type { VectorSpace } from "./types.js";
import type { TextIndexStore, UnitStore } from "./search/unit-ports.js";

export type * from "./containers/ports.js";
export type * from "./memories/ports.js";
export type * from "./documents/file-ports.js";
export type * from "./memories/extraction-ports.js";
export type * from "./documents/ports.js";
export type * from "./memories/extraction-task-ports.js";
export type * from "./documents/turn-ports.js";
export type * from "./search/unit-ports.js";
export type * from "./upkeep/ports.js";
export type * from "./connections/ports.js";

/** Settings as written, one value per client; the client '' is the organisation itself. */
export interface SettingsStore {
  read(organizationId: string, client: string): Promise<Readonly<Record<string, unknown>> | null>;
  write(organizationId: string, client: string, value: Readonly<Record<string, unknown>>): Promise<void>;
  /** Removes the settings of the organisation and of all clients. @returns how many there were */
  clear(organizationId: string): Promise<number>;
}

/** Results of finished calls by the caller's operation id, so that a retried call does its work once. */
export interface OperationStore {
  find(operationId: string): Promise<{ readonly result: unknown } | null>;
  save(operationId: string, result: unknown): Promise<void>;
  dropBefore(moment: Date): Promise<number>;
}

export interface StoreHealth {
  /** Empty when the store is sound. */
  readonly problems: readonly string[];
  readonly documents: number;
  readonly chunks: number;
  readonly memories: number;
  /** Size of the record and its log. */
  readonly bytes: number;
  readonly freeBytes: number;
  /** When this process last ran out of room for writing (ISO 8601); null for never. */
  readonly fullAt: string | null;
  /** What other users of this machine may do in the folder of the store, whose files they cannot read; null for nothing. */
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
  readonly messagePictures: MessagePictureStore;
  readonly summaries: SummaryStore;
  readonly extractionTasks: ExtractionTaskStore;
  readonly settings: SettingsStore;
  readonly merges: MergeStore;
  readonly keys: KeyStore;
  readonly signIns: SignInStore;
  readonly oauth: OAuthStore;
  readonly deviceRequests: DeviceRequestStore;
  readonly connections: ConnectionStore;
  readonly jobs: JobStore;
  readonly journal: JournalStore;
  readonly operations: OperationStore;
  readonly purges: PurgeStore;
  readonly requests: RequestStore;
  readonly audit: AuditStore;
  readonly volumes: VolumeStore;
}

/** Wakes other processes that share the record, so that they look for jobs sooner. A lost signal costs only time. */
export interface WorkSignal {
  /** Tells all that there are jobs to take. Call it after the commit that wrote them. */
  tell(): void;
  /** Calls back whenever another process tells. Call it only once. */
  listen(onTold: () => void): void;
}

/** Work that only one of the processes sharing a record does at a time, whichever comes first. */
export interface SharedRole {
  /** Waits until this process gets the role. @throws the signal's reason when that comes first */
  take(signal: AbortSignal): Promise<HeldRole>;
}

export interface HeldRole {
  /** Aborted when another process may have got the role. */
  readonly lost: AbortSignal;
  /** Releases the role. Never throws. */
  release(): Promise<void>;
}

export interface Store extends Repositories {
  /**
   * The same record for work that can be repeated: what is written here is visible at once and survives the end of the process,
   * but nothing waits until it is on disk. Any later write to the store itself flushes it too.
   */
  readonly background: Store;
  readonly vectors: VectorRecord;
  readonly textIndex: TextIndexStore;
  readonly keyProof: KeyProofStore;
  /** Counts attempts for all services that share the record; null if only one uses it. */
  readonly attempts: AttemptCounter | null;
  /** Null if only one service uses the record. */
  readonly workSignal: WorkSignal | null;
  /** The role of feeding a vector index that all share; null if only one service uses the record. */
  readonly vectorFeeder: SharedRole | null;
  readonly organizationId: string;
  /** All or nothing. No network, model or file work inside. */
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /** Finds or creates the space of a fingerprint. @throws AppError `conflict` when it exists with another size */
  ensureSpace(fingerprint: string, dimensions: number): Promise<VectorSpace>;
  findSpace(fingerprint: string): Promise<VectorSpace | null>;
  /** The measurement of a space, as given to `setSpaceCalibration`; null when there is none. */
  spaceCalibration(spaceId: number): Promise<string | null>;
  /** Does nothing for a space that is gone. */
  setSpaceCalibration(spaceId: number, calibration: string): Promise<void>;
  /** A random sample of vectors of a container, without duplicates, at most `count`; fewer if the container has few. */
  sampleVectors(space: VectorSpace, containerId: number, count: number): Promise<readonly Float32Array[]>;
  health(options: { deep: boolean }): Promise<StoreHealth>;
  /**
   * Overwrites what was deleted from the record and is still in its files. Calling it again continues with what is left.
   * @throws AppError `storage_full` without room for a copy of the file, `unavailable` while another program reads it
   */
  scrub(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves, with the error to report, when the files of the record are no longer where they were opened. From then on nothing
   * is written or acknowledged.
   */
  readonly lost: Promise<AppError>;
  /** False as soon as that can be detected. */
  isInPlace(): boolean;
  /** When room for writing last ran out; null for never since the store was opened. */
  fullAt(): Date | null;
  close(): Promise<void>;
}
