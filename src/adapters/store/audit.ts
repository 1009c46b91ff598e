import { type Kysely, type Selectable, sql } from "kysely";
import * as z from "zod";
import type { AuditQuery, AuditStore } from "../../core/ports.js";
import { AUDIT_OUTCOMES, type AuditEntry, FACES } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

/** Rows per statement: SQL limits how many parameters a statement may have. */
const BATCH = 100;

export const createAuditStore = repositoryOf<AuditStore, Kysely<Database>>({
  async put(db, organizationId, entries) {
    await atomically(db, async (db) => {
      for (let start = 0; start < entries.length; start += BATCH)
        await db
          .insertInto("audit_entries")
          .values(entries.slice(start, start + BATCH).map((entry) => rowOf(organizationId, entry)))
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet((row) => ({
              count: row.ref("excluded.count"),
              container_tags: row.ref("excluded.container_tags"),
              subject_ids: row.ref("excluded.subject_ids"),
            })),
          )
          .execute();
    });
  },

  async list(db, organizationId, query) {
    // In insertion order: the clock may go backwards.
    const rows = await selectMatching(db, organizationId, query, { inOrder: true })
      .selectAll()
      .orderBy("seq", "desc")
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const { total } = await selectMatching(db, organizationId, query)
      .select(sql<number>`count(*)`.as("total"))
      .executeTakeFirstOrThrow();
    return { entries: rows.map(entryOf), total };
  },

  async dropBefore(db, organizationId, moment) {
    const { numDeletedRows } = await db
      .deleteFrom("audit_entries")
      .where("organization_id", "=", organizationId)
      .where("at", "<", iso(moment))
      .executeTakeFirst();
    return Number(numDeletedRows);
  },

  async dropBeyond(db, organizationId, count) {
    // The plus keeps SQLite off the index: the row number narrows this better.
    const { numAffectedRows } = await sql`
      delete from audit_entries
      where seq <= (select max(seq) from audit_entries) - ${count} and +organization_id = ${organizationId}`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0);
  },
});

function selectMatching(
  db: Kysely<Database>,
  organizationId: string,
  query: AuditQuery,
  { inOrder = false }: { readonly inOrder?: boolean } = {},
) {
  const isNarrow = query.actor !== undefined || query.action !== undefined;
  // The plus keeps SQLite off an index whose rows would need sorting: the newest rows are at the end of the table.
  const organization = inOrder && !isNarrow ? sql<string>`+organization_id` : sql<string>`organization_id`;
  let matching = db.selectFrom("audit_entries").where(organization, "=", organizationId);
  if (query.actor !== undefined) matching = matching.where("actor", "=", query.actor);
  if (query.action !== undefined) matching = matching.where("action", "=", query.action);
  if (query.from !== undefined) matching = matching.where("at", ">=", query.from);
  if (query.to !== undefined) matching = matching.where("at", "<", query.to);
  if (query.outcome === "refused") matching = matching.where("outcome", "<>", "ok");
  else if (query.outcome !== undefined) matching = matching.where("outcome", "=", query.outcome);
  if (query.containerTag !== undefined)
    // Tags contain no quotation marks, so this is exact, and faster than parsing the JSON.
    matching = matching.where(sql<boolean>`instr(container_tags, ${JSON.stringify(query.containerTag)}) > 0`);
  return matching;
}

function rowOf(organizationId: string, entry: AuditEntry) {
  return {
    id: entry.id,
    organization_id: organizationId,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    outcome: entry.outcome,
    container_tags: JSON.stringify(entry.containerTags),
    subject_ids: JSON.stringify(entry.subjectIds),
    face: entry.face,
    address: entry.address,
    client: entry.client,
    count: entry.count,
  };
}

const textsSchema = z.array(z.string());

function entryOf(row: Selectable<Database["audit_entries"]>): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    actor: row.actor,
    action: row.action,
    outcome: AUDIT_OUTCOMES.find((outcome) => outcome === row.outcome) ?? "internal",
    containerTags: textsSchema.parse(JSON.parse(row.container_tags)),
    subjectIds: textsSchema.parse(JSON.parse(row.subject_ids)),
    face: FACES.find((face) => face === row.face) ?? null,
    address: row.address,
    client: row.client,
    count: row.count,
  };
}
