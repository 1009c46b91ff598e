import type { AppGrant, OAuthRecord } from "../types.js";

/** State of the OAuth protocol, and what apps were let do. */
export interface OAuthStore {
  /** Writes a record, or writes it anew; whether it is consumed stays as it is. */
  save(record: Omit<OAuthRecord, "consumedAt">): Promise<void>;
  byHash(kind: string, hash: string): Promise<OAuthRecord | null>;
  byUid(kind: string, uidHash: string): Promise<OAuthRecord | null>;
  /** Uses up a record. @returns false when it is gone, or was used up before */
  consume(kind: string, hash: string, at: Date): Promise<boolean>;
  remove(kind: string, hash: string): Promise<void>;
  /** Removes what belongs to a grant: of one kind, or all. */
  removeOfGrant(grantId: string, kind?: string): Promise<void>;
  /** Lets a record live until a moment, or for ever with null. */
  prolong(kind: string, hash: string, until: Date | null): Promise<void>;
  /** Removes the oldest of a kind that have a time limit, beyond so many. @returns how many */
  trim(kind: string, keep: number): Promise<number>;

  insertGrant(grant: Omit<AppGrant, "lastUsedAt">): Promise<void>;
  grant(organizationId: string, id: string): Promise<AppGrant | null>;
  /** Newest first. */
  grants(organizationId: string): Promise<AppGrant[]>;
  /** Grants made before a moment that no code or token belongs to any more, so that nobody can come in by them. */
  deadGrants(organizationId: string, before: Date): Promise<AppGrant[]>;
  touchGrant(id: string, at: Date): Promise<void>;
  removeGrantById(id: string): Promise<void>;

  /** JSON; null before there is any. */
  secrets(organizationId: string): Promise<string | null>;
  /** Keeps secrets unless there are some. */
  insertSecrets(organizationId: string, secrets: string): Promise<void>;

  /** Removes records and grants whose time is over. @returns how many */
  dropOver(now: Date): Promise<number>;
}
