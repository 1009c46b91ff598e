import type { JournalEntry } from "../types.js";

/** An entry with its position in the journal and its time. */
export interface JournalRow extends JournalEntry {
  /** Rises with every entry. */
  readonly seq: number;
  readonly at: string;
}

/** Which entries of the journal; all conditions must hold. */
export interface JournalQuery {
  /** Only entries of these containers. */
  readonly containerTags?: readonly string[] | undefined;
  readonly subjectIds?: readonly string[] | undefined;
  /** Only entries of this document and of the memories it states. */
  readonly documentId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface JournalStore {
  append(organizationId: string, entries: readonly JournalEntry[]): Promise<void>;
  /** The content of the last entry of this action for a subject, or null. */
  latest(
    organizationId: string,
    subjectId: string,
    action: string,
  ): Promise<{ before: unknown; after: unknown } | null>;
  /** One page of entries, newest first, and the total number. */
  list(organizationId: string, query: JournalQuery): Promise<{ entries: JournalRow[]; total: number }>;
  /** The entries of a batch, oldest first. */
  ofBatch(organizationId: string, batchId: string): Promise<JournalRow[]>;
}
