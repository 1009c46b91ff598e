import type { Kysely, Selectable } from "kysely";
import type { Clock, MergeStore } from "../../core/ports.js";
import type { Merge } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { fromJson, toJson } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const mergeStore = repositoryOf<MergeStore, StoreContext>({
  async insert({ db, clock }, organizationId, { id, sourceTags, targetTag }) {
    const now = iso(clock.now());
    const row = await db
      .insertInto("container_merges")
      .values({
        id,
        organization_id: organizationId,
        source_tags: JSON.stringify(sourceTags),
        target_tag: targetTag,
        status: "queued",
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return mergeOf(row);
  },

  async byId({ db }, organizationId, id) {
    const row = await db
      .selectFrom("container_merges")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? mergeOf(row) : null;
  },

  async open({ db }, organizationId) {
    const rows = await db
      .selectFrom("container_merges")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("status", "not in", ["completed", "failed"])
      .orderBy("created_at")
      .execute();
    return rows.map(mergeOf);
  },

  async update({ db, clock }, organizationId, id, change) {
    await db
      .updateTable("container_merges")
      .set({
        ...(change.status !== undefined && { status: change.status }),
        ...(change.progress !== undefined && { progress: toJson(change.progress) }),
        ...(change.lastError !== undefined && { last_error: change.lastError }),
        updated_at: iso(clock.now()),
      })
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .execute();
  },
});

export function createMergeStore(db: Kysely<Database>, clock: Clock): MergeStore {
  return mergeStore({ db, clock });
}

/** Only this file writes the columns, so the narrow types are certain. */
function mergeOf(row: Selectable<Database["container_merges"]>): Merge {
  return {
    id: row.id,
    sourceTags: fromJson<string[]>(row.source_tags) ?? [],
    targetTag: row.target_tag,
    status: row.status as Merge["status"],
    progress: fromJson(row.progress),
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
