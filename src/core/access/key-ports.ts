import type { ApiKey } from "../types.js";

/** A key that has not been used, disabled or revoked yet. */
export type NewKey = Omit<ApiKey, "lastUsedAt" | "disabledAt" | "revokedAt">;

export interface KeyStore {
  insert(key: NewKey, hash: string): Promise<void>;
  byHash(hash: string): Promise<ApiKey | null>;
  byId(organizationId: string, id: string): Promise<ApiKey | null>;
  list(organizationId: string): Promise<ApiKey[]>;
  /** @returns false when there is no such key, or it was already revoked */
  revoke(organizationId: string, id: string, at: Date): Promise<boolean>;
  /** Disables a key from a moment on, or enables it again with null. */
  disable(organizationId: string, id: string, at: Date | null): Promise<void>;
  touch(id: string, at: Date): Promise<void>;
  /** Keys that are neither revoked nor disabled and that expire before a moment, the first to expire first. */
  expiringBefore(organizationId: string, moment: Date): Promise<(ApiKey & { readonly warnedAhead: number | null })[]>;
  /** Records how many days ahead the owner was last warned that a key expires; 0 for when it has. */
  noteWarning(organizationId: string, id: string, daysAhead: number): Promise<void>;
}
