import type { UnitDetail } from "../../core/ports.js";
import type { Unit } from "../../core/types.js";
import { CHUNKS_OF, MEMORY_OF, type ChangeFeed, type Watched } from "./change-feed.js";

/** A detail with what decides who may see it, so that one copy serves every scope. */
export interface HeldDetail {
  readonly detail: UnitDetail;
  /** Containers that hold the unit. */
  readonly containerIds: readonly number[];
  /** When it will be forgotten; null for never. */
  readonly forgetAfter: string | null;
}

/** Caches what ranking reads of units, for as long as it cannot have changed. */
export interface DetailCache {
  /** The cached details of the organisation's units; null for a unit that does not exist. */
  known(organizationId: string): ReadonlyMap<Unit, HeldDetail | null>;
  /** Reads what is not cached yet, and keeps it unless it changed while it was read. */
  learn(
    organizationId: string,
    units: readonly Unit[],
    read: () => Promise<readonly HeldDetail[]>,
  ): Promise<readonly HeldDetail[]>;
}

/** About 10 MB with short texts. */
const UNITS_HELD = 10_000;
/** Most units of a large container are met only once; only those met again are worth the memory. */
const UNITS_MET = 20_000;

/** Chunks of a document some of whose statements may no longer hold, or may hold again. */
const CHUNKS_OF_OUTDATED = (documentId: string): string =>
  `${CHUNKS_OF(documentId)} and exists (
    select 1 from main.memory_sources where document_id = ${documentId} and may_be_over = 1)`;

/** A newly added memory or chunk cannot have been asked for yet. */
const WATCHED: Watched = {
  "update on memories": "select new.seq * 2 + 1 as unit",
  "delete on memories": "select old.seq * 2 + 1 as unit",
  "insert on memory_sources": `${MEMORY_OF("new.memory_id")} union ${CHUNKS_OF_OUTDATED("new.document_id")}`,
  "update on memory_sources": `${MEMORY_OF("new.memory_id")}
    union ${CHUNKS_OF("new.document_id")} and (old.may_be_over = 1 or new.may_be_over = 1)`,
  "delete on memory_sources": `${MEMORY_OF("old.memory_id")}
    union ${CHUNKS_OF("old.document_id")} and old.may_be_over = 1 union ${CHUNKS_OF_OUTDATED("old.document_id")}`,
  "update on chunks": "select new.seq * 2 as unit",
  "delete on chunks": "select old.seq * 2 as unit",
  "update of forget_after on documents": CHUNKS_OF("new.id"),
  "insert on document_containers": CHUNKS_OF("new.document_id"),
  "update on document_containers": `${CHUNKS_OF("new.document_id")} union ${CHUNKS_OF("old.document_id")}`,
  "delete on document_containers": CHUNKS_OF("old.document_id"),
};

export function createDetailCache(feed: ChangeFeed): DetailCache {
  let held = new Map<Unit, HeldDetail | null>();
  let heldOf: string | undefined;
  const met = new Set<Unit>();

  function isMetAgain(unit: Unit): boolean {
    if (met.has(unit)) return true;
    if (met.size >= UNITS_MET) met.clear();
    met.add(unit);
    return false;
  }

  let changes = 0;
  feed.watch(WATCHED, (units) => {
    changes += 1;
    if (units === "all") held.clear();
    else for (const unit of units) held.delete(unit);
  });

  return {
    known(organizationId) {
      if (organizationId !== heldOf || held.size > UNITS_HELD) held = new Map();
      heldOf = organizationId;
      return held;
    },

    async learn(organizationId, units, read) {
      const before = changes;
      const found = await read();
      if (changes !== before || organizationId !== heldOf) return found;
      // Set only now: another search may have run while this one waited, and would have taken the units for missing.
      const byUnit = new Map(found.map((one) => [one.detail.unit, one]));
      for (const unit of units) if (isMetAgain(unit)) held.set(unit, byUnit.get(unit) ?? null);
      return found;
    },
  };
}
