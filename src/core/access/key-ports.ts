import type { ApiKey } from "../types.js";

/** A key that was not used, switched off or revoked yet. */
export type NewKey = Omit<ApiKey, "lastUsedAt" | "disabledAt" | "revokedAt">;

export interface KeyStore {
  insert(key: NewKey, hash: string): Promise<void>;
  byHash(hash: string): Promise<ApiKey | null>;
  byId(organizationId: string, id: string): Promise<ApiKey | null>;
  list(organizationId: string): Promise<ApiKey[]>;
  /** @returns false when there is no such key, or it was revoked before */
  revoke(organizationId: string, id: string, at: Date): Promise<boolean>;
  /** Switches a key off from a moment on, or on again with null. */
  disable(organizationId: string, id: string, at: Date | null): Promise<void>;
  touch(id: string, at: Date): Promise<void>;
  /** Keys that are neither revoked nor switched off and that expire before a moment, the first to expire first. */
  expiringBefore(organizationId: string, moment: Date): Promise<(ApiKey & { readonly warnedAhead: number | null })[]>;
  /** Notes of how many days ahead its owner was warned last that a key expires; 0 for when it has. */
  noteWarning(organizationId: string, id: string, daysAhead: number): Promise<void>;
}
