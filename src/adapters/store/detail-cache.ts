import type { Kysely } from "kysely";
import type { UnitDetail } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";
import { createChangeCount } from "./change-count.js";
import type { Database } from "./schema.js";

/** A detail with what decides who may see it, so that it serves every scope. */
export interface HeldDetail {
  readonly detail: UnitDetail;
  /** Containers that the unit lies in. */
  readonly containerIds: readonly number[];
  /** When it will be forgotten; null for never. */
  readonly forgetAfter: string | null;
}

/** What ranking read of units before, as long as nothing of it can have changed. */
export interface DetailCache {
  /**
   * What is known of the organisation's units, null for one that is not there; empty after any change to what is held.
   * The caller adds what it reads.
   */
  known(organizationId: string): Promise<Map<Unit, HeldDetail | null>>;
}

/** About 10 MB of short texts. */
const UNITS_HELD = 10_000;

/** A memory or chunk that is only added is one that nobody asked for yet. */
const COUNTED_CHANGES = [
  "update on memories",
  "delete on memories",
  "insert on memory_sources",
  "update on memory_sources",
  "delete on memory_sources",
  "update on chunks",
  "delete on chunks",
  "insert on document_containers",
  "update on document_containers",
  "delete on document_containers",
];

export function createDetailCache(db: Kysely<Database>): DetailCache {
  const changes = createChangeCount(db, "detail_changes", COUNTED_CHANGES);
  let held = new Map<Unit, HeldDetail | null>();
  let heldAt: string | undefined;

  return {
    async known(organizationId) {
      const count = await changes.now();
      if (count === null) return new Map();
      const at = `${count} ${organizationId}`;
      if (at !== heldAt || held.size > UNITS_HELD) held = new Map();
      heldAt = at;
      return held;
    },
  };
}
