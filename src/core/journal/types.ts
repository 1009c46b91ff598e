/** The journal's names for the kinds of changes. */
export const JOURNAL_ACTIONS = [
  "document.added",
  "document.replaced",
  "document.updated",
  "document.moved",
  "document.retried",
  "document.cut",
  "document.deleted",
  "document.purged",
  "memory.added",
  "memory.copied",
  "memory.updated",
  "memory.strengthened",
  "memory.merged",
  "memory.moved",
  "memory.forgotten",
  "memory.restored",
  "memory.reverted",
  "memory.expiry-changed",
  "memory.approved",
  "memory.declined",
  "memory.purged",
  "container.added",
  "container.updated",
  "container.merging",
  "container.merged",
  "container.deleted",
  "container.purged",
] as const;

/** One entry of the journal: who changed what, why, from what to what, in which batch. */
export interface JournalEntry {
  readonly batchId: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: "document" | "memory" | "key" | "container";
  readonly subjectId: string;
  readonly containerTag: string | null;
  readonly cause: string | null;
  readonly before: unknown;
  readonly after: unknown;
}
