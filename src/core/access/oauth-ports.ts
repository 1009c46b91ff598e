import type { AppGrant, OAuthRecord } from "../types.js";

/** State of the OAuth protocol, and the grants of apps. */
export interface OAuthStore {
  /** Inserts or replaces a record; whether it has been consumed stays unchanged. */
  save(record: Omit<OAuthRecord, "consumedAt">): Promise<void>;
  byHash(kind: string, hash: string): Promise<OAuthRecord | null>;
  byUid(kind: string, uidHash: string): Promise<OAuthRecord | null>;
  /**
   * Consumes a record.
   * @returns false when it is gone, or was already consumed
   */
  consume(kind: string, hash: string, at: Date): Promise<boolean>;
  remove(kind: string, hash: string): Promise<void>;
  /** Removes what belongs to a grant: of one kind, or all. */
  removeOfGrant(grantId: string, kind?: string): Promise<void>;
  /** Extends a record to a moment, or without limit with null. */
  prolong(kind: string, hash: string, until: Date | null): Promise<void>;
  /**
   * Keeps at most this many records of a kind with a time limit, removing the oldest.
   * @returns how many
   */
  trim(kind: string, keep: number): Promise<number>;

  insertGrant(grant: Omit<AppGrant, "lastUsedAt">): Promise<void>;
  grant(organizationId: string, id: string): Promise<AppGrant | null>;
  /** Newest first. */
  grants(organizationId: string): Promise<AppGrant[]>;
  /** Grants made before a moment that no longer have any code or token, so that nobody can use them. */
  deadGrants(organizationId: string, before: Date): Promise<AppGrant[]>;
  touchGrant(id: string, at: Date): Promise<void>;
  removeGrantById(id: string): Promise<void>;

  /** JSON; null before there is any. */
  secrets(organizationId: string): Promise<string | null>;
  /** Stores secrets unless there already are some. */
  insertSecrets(organizationId: string, secrets: string): Promise<void>;

  /**
   * Removes expired records and grants.
   * @returns how many
   */
  dropOver(now: Date): Promise<number>;
}
