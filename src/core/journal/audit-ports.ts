import type { AuditEntry, AuditOutcome } from "../types.js";

/** Which entries; all conditions hold together. */
export interface AuditQuery {
  readonly actor?: string | undefined;
  readonly containerTag?: string | undefined;
  readonly action?: string | undefined;
  /** `refused` is whatever did not end well. */
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
  /** One that is there already, by id, gets the count, the containers and the subjects that it has now. */
  put(organizationId: string, entries: readonly AuditEntry[]): Promise<void>;
  /** One page, the newest first, and how many there are in all. */
  list(organizationId: string, query: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }>;
  /** Removes what is older. @returns how many */
  dropBefore(organizationId: string, moment: Date): Promise<number>;
  /** Removes all but about the newest `count`. @returns how many */
  dropBeyond(organizationId: string, count: number): Promise<number>;
}
