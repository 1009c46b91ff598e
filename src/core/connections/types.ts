import type { ConnectorSettings, Resource, SourceItem } from "./connector-ports.js";

/**
 * What a connection is up to: `pending` until somebody has signed in, `active`, `paused` by its owner, `reconnect` when
 * the source does not take the sign-in any more, `held` when a run would remove so much that its owner has to agree, and
 * `removing` until its documents are gone.
 */
export const CONNECTION_STATES = ["pending", "active", "paused", "reconnect", "held", "removing"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** A source of documents that is kept in step. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: string;
  /** At least one: where its documents go. */
  readonly containerTags: readonly string[];
  readonly endUserId: string | null;
  /** Most documents that it brings in. */
  readonly documentLimit: number;
  readonly settings: ConnectorSettings;
  readonly resources: readonly Resource[];
  /** Whose account it is, where the source tells. */
  readonly account: string | null;
  readonly state: ConnectionState;
  /** Why it does not go on, as a sentence; null while nothing is wrong. */
  readonly problem: string | null;
  /** Number of the listing that goes on or came last; items carry that of the last listing that named them. */
  readonly listing: number;
  /** Minutes between two runs; null: only when asked. */
  readonly everyMinutes: number | null;
  /** ISO date-time; null: not by itself. */
  readonly nextSyncAt: string | null;
  /** When a run was through last. */
  readonly lastSyncedAt: string | null;
  /** Null where its source sends no messages. */
  readonly webhooks: Webhooks | null;
  readonly createdAt: string;
}

/** Where the source of a connection sends word of changes. */
export interface Webhooks {
  /** What its messages prove themselves with, sealed. */
  readonly secret: string;
  /** Where they are sent. */
  readonly url: string;
  /** How many the source has taken; 0 where it took none. */
  readonly count: number;
  /** JSON that its connector reads. */
  readonly detail: unknown;
  /** When they are registered again, or removed; null: not by itself. */
  readonly renewAt: string | null;
  /** True: nobody wants them any more, and the source could not be told yet. What it still sends is refused. */
  readonly isLeaving?: boolean;
}

/** Something at a source as it was when it was looked at last. */
export interface KeptItem extends SourceItem {
  /** Of what was skipped for its size: how many bytes a file might have then. */
  readonly tooLargeFor?: number;
}

/** What is known of something at a source. */
export interface ConnectionItem {
  readonly connectionId: string;
  readonly item: KeptItem;
  /** The document that it became; null before, and where it became none. */
  readonly documentId: string | null;
  /** Version that the document has; null where none was read yet. */
  readonly version: string | null;
  /**
   * `waiting`: for room under the limit of documents. `gone`: no longer at the source, or nothing to read any more; its
   * document goes at the end of the run, unless that would be so many that the owner is asked.
   */
  readonly state: "present" | "failed" | "skipped" | "waiting" | "gone";
  /** Why it failed, was skipped or waits. */
  readonly reason: string | null;
  /** How often in a row it failed. */
  readonly attempts: number;
  /** When it is read again; null: not before it changes. */
  readonly retryAt: string | null;
  readonly listing: number;
  /** In how many complete listings in a row it was missing. */
  readonly absences: number;
  readonly seenAt: string;
}

export const SYNC_TRIGGERS = ["event", "cron", "manual"] as const;
export type SyncTrigger = (typeof SYNC_TRIGGERS)[number];

/** `partial`: some of it was not brought in, and the run says what. */
export const SYNC_STATUSES = ["running", "done", "partial", "failed"] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** Why a run failed, for programs (contract 1.14). */
export const SYNC_ERROR_CODES = ["auth_expired", "rate_limited", "provider_unavailable", "internal"] as const;
export type SyncErrorCode = (typeof SYNC_ERROR_CODES)[number];

/** One item that was not brought in by a run. */
export interface SyncFailure {
  readonly itemId: string;
  readonly documentId: string | null;
  readonly title: string | null;
  readonly reason: string;
  readonly failedAt: string;
  /** True: it is not read again before it changes, and the run is complete without it. */
  readonly isSkipped?: boolean;
}

export interface SyncCounts {
  /** Changes that the source named. */
  readonly listed: number;
  readonly read: number;
  readonly unchanged: number;
  /** Documents that went because their items did. */
  readonly removed: number;
  readonly skipped: number;
  readonly failed: number;
  /** How often a limit, or an owner who is still to agree, kept something undone; the notes say what. */
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
  /** Null where there is no error. */
  readonly errorCode: SyncErrorCode | null;
  /** What else there is to say, such as a limit that was reached, as sentences. */
  readonly notes: readonly string[];
  /** The first of what failed, and of what was skipped. */
  readonly failures: readonly SyncFailure[];
}
