import type { ProfileBucket } from "../types.js";

/** A container tag with what is known of it (contract 5.3). */
export interface Container {
  /** Row number, as indexes use it. */
  readonly id: number;
  /** The id that clients see as `spaceId`. */
  readonly uid: string;
  readonly tag: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Guidance for extraction in this container, up to 1,500 characters. */
  readonly entityContext: string | null;
  /** Who wrote it; null where that is not known. */
  readonly entityContextBy: ContextAuthor | null;
  /** Only documents under these paths form memories; null for all. */
  readonly memoryFilesystemPaths: readonly string[] | null;
  readonly profileBuckets: readonly ProfileBucket[];
  readonly visibility: "public" | "private" | "unlisted";
  readonly isExperimental: boolean;
  readonly emoji: string | null;
  /** Where its days are counted, as `lib/time-zone.ts` takes it; null for the server's zone. */
  readonly timeZone: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Whoever wrote the guidance of a container. */
export interface ContextAuthor {
  /** As the journal names them. */
  readonly name: string;
  /** True for whoever could change everything of the organisation when they wrote it. */
  readonly isOwner: boolean;
}

/** A container with what lies in it. */
export interface ContainerSummary extends Container {
  readonly documentCount: number;
  /** Latest versions that are not forgotten. */
  readonly memoryCount: number;
  /** When a document was changed or a memory was made last; null for an empty one. */
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

/** How far a merge is (contract 5.5). */
export interface MergeProgress {
  readonly phase: MergeStatus;
  readonly currentSourceTag?: string | undefined;
  readonly currentKind?: "chunk" | "memory" | undefined;
  /** Documents and memories that were moved. */
  readonly copiedRows?: number | undefined;
  /** Documents that gave up their customId, which another one has in the target. */
  readonly withoutCustomId?: number | undefined;
  readonly completedSourceTags?: readonly string[] | undefined;
  /** Documents that are still being processed. */
  readonly inFlightItems?: number | undefined;
  readonly attempt?: number | undefined;
}

/** Containers on their way into another one. */
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
