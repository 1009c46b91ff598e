import { type Kysely, type Selectable, sql } from "kysely";
import type { Clock, JournalQuery, JournalRow, JournalStore } from "../../core/ports.js";
import type { JournalEntry } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { writeRows } from "./fixed-query.js";
import { fromJson, listParameter, toJson } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

const APPEND = `insert into journal (
    organization_id, batch_id, at, actor, action, subject, subject_id, container_tag, cause, before, after
  ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const journalStore = repositoryOf<JournalStore, StoreContext>({
  async append({ db, clock }, organizationId, entries) {
    if (entries.length === 0) return;
    const at = iso(clock.now());
    const append = async (db: Kysely<Database>, entry: JournalEntry): Promise<void> =>
      writeRows(db, APPEND, [
        organizationId,
        entry.batchId,
        at,
        entry.actor,
        entry.action,
        entry.subject,
        entry.subjectId,
        entry.containerTag,
        entry.cause,
        toJson(entry.before),
        toJson(entry.after),
      ]);
    const [only, ...more] = entries;
    if (only && more.length === 0) await append(db, only);
    else
      await atomically(db, async (db) => {
        for (const entry of entries) await append(db, entry);
      });
  },

  async latest({ db }, organizationId, subjectId, action) {
    const row = await db
      .selectFrom("journal")
      .select(["before", "after"])
      .where("subject_id", "=", subjectId)
      .where(sql<boolean>`+organization_id = ${organizationId}`)
      .where("action", "=", action)
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? { before: fromJson(row.before), after: fromJson(row.after) } : null;
  },

  async list({ db }, organizationId, query) {
    const matching = selectMatching(db, organizationId, query);
    const rows = await matching.selectAll().orderBy("seq", "desc").limit(query.limit).offset(query.offset).execute();
    const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
    return { entries: rows.map(entryOf), total };
  },

  async ofBatch({ db }, organizationId, batchId) {
    const rows = await db
      .selectFrom("journal")
      .selectAll()
      .where("batch_id", "=", batchId)
      .where(sql<boolean>`+organization_id = ${organizationId}`)
      .orderBy("seq")
      .execute();
    return rows.map(entryOf);
  },
});

export function createJournalStore(db: Kysely<Database>, clock: Clock): JournalStore {
  return journalStore({ db, clock });
}

function selectMatching(db: Kysely<Database>, organizationId: string, query: JournalQuery) {
  const { containerTags, subjectIds, documentId, batchId, action, actor, from, to } = query;
  const isNarrow = [containerTags, subjectIds, documentId, batchId].some((filter) => filter !== undefined);
  // The plus keeps SQLite off the index: there is usually one organisation, and other conditions narrow the search better.
  let matching = db
    .selectFrom("journal")
    .where(
      isNarrow ? sql<boolean>`+organization_id = ${organizationId}` : sql<boolean>`organization_id = ${organizationId}`,
    );
  if (containerTags !== undefined)
    matching = matching.where(
      sql<boolean>`container_tag in (select value from json_each(${listParameter(containerTags)}))`,
    );
  if (subjectIds !== undefined)
    matching = matching.where(sql<boolean>`subject_id in (select value from json_each(${listParameter(subjectIds)}))`);
  if (documentId !== undefined)
    matching = matching.where(
      sql<boolean>`subject_id in (
        select ${documentId} union select memory_id from memory_sources where document_id = ${documentId})`,
    );
  if (batchId !== undefined) matching = matching.where("batch_id", "=", batchId);
  if (action !== undefined) matching = matching.where("action", "=", action);
  if (actor !== undefined) matching = matching.where("actor", "=", actor);
  if (from !== undefined) matching = matching.where("at", ">=", from);
  if (to !== undefined) matching = matching.where("at", "<", to);
  return matching;
}

/** Only `append` writes the columns, so the narrow types are certain. */
function entryOf(row: Selectable<Database["journal"]>): JournalRow {
  return {
    seq: row.seq,
    at: row.at,
    batchId: row.batch_id,
    actor: row.actor,
    action: row.action,
    subject: row.subject as JournalEntry["subject"],
    subjectId: row.subject_id,
    containerTag: row.container_tag,
    cause: row.cause,
    before: fromJson(row.before),
    after: fromJson(row.after),
  };
}
