import type { ProfileBucket } from "../types.js";

/** A container tag with its details (contract 5.3). */
export interface Container {
  /** Row number used by indexes. */
  readonly id: number;
  /** The id that clients see as `spaceId`. */
  readonly uid: string;
  readonly tag: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Guidance for extraction in this container, up to 1,500 characters. */
  readonly entityContext: string | null;
  /** Who wrote it; null if unknown. */
  readonly entityContextBy: ContextAuthor | null;
  /** Only documents under these paths form memories; null for all. */
  readonly memoryFilesystemPaths: readonly string[] | null;
  readonly profileBuckets: readonly ProfileBucket[];
  readonly visibility: "public" | "private" | "unlisted";
  readonly isExperimental: boolean;
  readonly emoji: string | null;
  /** Time zone in which its days are counted, in the form of `lib/time-zone.ts`; null for the server's zone. */
  readonly timeZone: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The author of a container's guidance. */
export interface ContextAuthor {
  /** As the journal names them. */
  readonly name: string;
  /** True if the author could change everything of the organisation at the time. */
  readonly isOwner: boolean;
}

/** A container with a summary of its contents. */
export interface ContainerSummary extends Container {
  readonly documentCount: number;
  /** Latest versions that are not forgotten. */
  readonly memoryCount: number;
  /** When a document was last changed or a memory created; null for an empty container. */
  readonly lastActivityAt: string | null;
}

export const MERGE_STATUSES = [
  "queued",
  "waiting_for_ingest",
  "copying_vectors",
  "db_committing",
  "cleanup_pending",
  "completed",
  "failed",
] as const;

export type MergeStatus = (typeof MERGE_STATUSES)[number];

/** The progress of a merge (contract 5.5). */
export interface MergeProgress {
  readonly phase: MergeStatus;
  readonly currentSourceTag?: string | undefined;
  readonly currentKind?: "chunk" | "memory" | undefined;
  /** Number of documents and memories moved. */
  readonly copiedRows?: number | undefined;
  /** Number of documents that lost their customId because another one has it in the target. */
  readonly withoutCustomId?: number | undefined;
  readonly completedSourceTags?: readonly string[] | undefined;
  /** Number of documents that are still being processed. */
  readonly inFlightItems?: number | undefined;
  readonly attempt?: number | undefined;
}

/** Containers being moved into another one. */
export interface Merge {
  readonly id: string;
  readonly sourceTags: readonly string[];
  readonly targetTag: string;
  readonly status: MergeStatus;
  /** Null before the first step. */
  readonly progress: MergeProgress | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
