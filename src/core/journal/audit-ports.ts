import type { AuditEntry, AuditOutcome } from "../types.js";

/** Which entries; all conditions must hold. */
export interface AuditQuery {
  readonly actor?: string | undefined;
  readonly containerTag?: string | undefined;
  readonly action?: string | undefined;
  /** `refused` is anything but success. */
  readonly outcome?: AuditOutcome | "refused" | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Who did what. */
export interface AuditStore {
  /** An existing entry, by id, is updated with the current count, containers and subjects. */
  put(organizationId: string, entries: readonly AuditEntry[]): Promise<void>;
  /** One page, newest first, and the total number. */
  list(organizationId: string, query: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }>;
  /** Removes what is older. @returns how many */
  dropBefore(organizationId: string, moment: Date): Promise<number>;
  /** Removes all but about the newest `count`. @returns how many */
  dropBeyond(organizationId: string, count: number): Promise<number>;
}
