import type { ConnectorSettings, Resource, SourceItem } from "./connector-ports.js";

/**
 * The state of a connection: `pending` until somebody has signed in, `active`, `paused` by its owner, `reconnect` when the
 * source no longer accepts the sign-in, `held` when a run would remove so many documents that its owner has to agree, and
 * `removing` until its documents are gone.
 */
export const CONNECTION_STATES = ["pending", "active", "paused", "reconnect", "held", "removing"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** A source of documents that is kept in sync. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: string;
  /** The containers its documents go to; at least one. */
  readonly containerTags: readonly string[];
  readonly endUserId: string | null;
  /** The most documents that it imports. */
  readonly documentLimit: number;
  readonly settings: ConnectorSettings;
  readonly resources: readonly Resource[];
  /** Whose account it is, if the source tells. */
  readonly account: string | null;
  readonly state: ConnectionState;
  /** Why it has stopped, as a sentence; null while nothing is wrong. */
  readonly problem: string | null;
  /** Number of the current or last listing; items carry that of the last listing that named them. */
  readonly listing: number;
  /** Minutes between two runs; null: only on request. */
  readonly everyMinutes: number | null;
  /** ISO date-time; null: not automatically. */
  readonly nextSyncAt: string | null;
  /** When a run last completed. */
  readonly lastSyncedAt: string | null;
  /** Null if its source sends no messages. */
  readonly webhooks: Webhooks | null;
  readonly createdAt: string;
}

/** Where the source of a connection sends change notifications. */
export interface Webhooks {
  /** The secret that authenticates its messages, sealed. */
  readonly secret: string;
  /** Where they are sent. */
  readonly url: string;
  /** How many the source has accepted; 0 for none. */
  readonly count: number;
  /** JSON that its connector reads. */
  readonly detail: unknown;
  /** When they are registered again, or removed; null: not automatically. */
  readonly renewAt: string | null;
  /** True: they are no longer wanted, but the source could not be told yet. What it still sends is refused. */
  readonly isLeaving?: boolean;
}

/** Something at a source as it was when last checked. */
export interface KeptItem extends SourceItem {
  /** For an item skipped for its size: the file size limit at the time, in bytes. */
  readonly tooLargeFor?: number;
}

/** What is known about something at a source. */
export interface ConnectionItem {
  readonly connectionId: string;
  readonly item: KeptItem;
  /** The document that it became; null before, and if it became none. */
  readonly documentId: string | null;
  /** Version that the document has; null if none has been read yet. */
  readonly version: string | null;
  /**
   * `waiting`: for room under the document limit. `gone`: no longer at the source, or nothing left to read; its document is
   * removed at the end of the run, unless that would be so many that the owner is asked.
   */
  readonly state: "present" | "failed" | "skipped" | "waiting" | "gone";
  /** Why it failed, was skipped or waits. */
  readonly reason: string | null;
  /** Consecutive failures. */
  readonly attempts: number;
  /** When it is read again; null: not until it changes. */
  readonly retryAt: string | null;
  readonly listing: number;
  /** In how many consecutive complete listings it was missing. */
  readonly absences: number;
  readonly seenAt: string;
}

export const SYNC_TRIGGERS = ["event", "cron", "manual"] as const;
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number];

/** `partial`: part of it was not imported, and the run says what. */
export const SYNC_STATUSES = ["running", "done", "partial", "failed"] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** Why a run failed, for programs (contract 1.14). */
export const SYNC_ERROR_CODES = ["auth_expired", "rate_limited", "provider_unavailable", "internal"] as const;
export type SyncErrorCode = (typeof SYNC_ERROR_CODES)[number];

/** One item that a run did not import. */
export interface SyncFailure {
  readonly itemId: string;
  readonly documentId: string | null;
  readonly title: string | null;
  readonly reason: string;
  readonly failedAt: string;
  /** True: it is not read again until it changes, and the run is complete without it. */
  readonly isSkipped?: boolean;
}

export interface SyncCounts {
  /** Changes that the source named. */
  readonly listed: number;
  readonly read: number;
  readonly unchanged: number;
  /** Documents removed because their items were. */
  readonly removed: number;
  readonly skipped: number;
  readonly failed: number;
  /** How often a limit, or an owner's pending agreement, left something undone; the notes say what. */
  readonly cut: number;
}

export interface SyncRun extends SyncCounts {
  readonly id: string;
  readonly connectionId: string;
  readonly status: SyncStatus;
  readonly trigger: SyncTrigger;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly error: string | null;
  /** Null if there is no error. */
  readonly errorCode: SyncErrorCode | null;
  /** Other remarks, such as a limit that was reached, as sentences. */
  readonly notes: readonly string[];
  /** The first failures and skipped items. */
  readonly failures: readonly SyncFailure[];
}
