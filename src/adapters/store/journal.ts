import type { Kysely } from "kysely";
import type { Clock, JournalStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { fromJson, toJson } from "./json.js";
import type { Database } from "./schema.js";

export function createJournalStore(db: Kysely<Database>, clock: Clock): JournalStore {
  return {
    async append(organizationId, entries) {
      if (entries.length === 0) return;
      const at = iso(clock.now());
      await db
        .insertInto("journal")
        .values(
          entries.map((entry) => ({
            organization_id: organizationId,
            batch_id: entry.batchId,
            at,
            actor: entry.actor,
            action: entry.action,
            subject: entry.subject,
            subject_id: entry.subjectId,
            container_tag: entry.containerTag,
            cause: entry.cause,
            before: toJson(entry.before),
            after: toJson(entry.after),
          })),
        )
        .execute();
    },

    async latest(organizationId, subjectId, action) {
      const row = await db
        .selectFrom("journal")
        .select(["before", "after"])
        .where("organization_id", "=", organizationId)
        .where("subject_id", "=", subjectId)
        .where("action", "=", action)
        .orderBy("seq", "desc")
        .limit(1)
        .executeTakeFirst();
      return row ? { before: fromJson(row.before), after: fromJson(row.after) } : null;
    },
  };
}
