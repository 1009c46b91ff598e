import { type Kysely, sql } from "kysely";
import type { PurgedRows, PurgeReach, PurgeStore } from "../../core/ports.js";
import { createId } from "../../lib/ids.js";
import {
  countListed,
  listChains,
  listContained,
  listDerived,
  listDocuments,
  isWithin,
  listStated,
  openLists,
  removeListed,
  silenceTraces,
} from "./purge-rows.js";
import { readKeptTexts, removeMadeOf, requote, rewriteRevisions } from "./purge-text.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

const MARK = "unscrubbed";

/** Permanent removal; every method is atomic. */
export const createPurgeStore = repositoryOf<PurgeStore, Kysely<Database>>({
  documents: (db, organizationId, ids, options) =>
    atomically(db, async (db) => {
      await openLists(db);
      await listDocuments(db, organizationId, ids);
      await listStated(db, organizationId, options);
      if (options.earlier) await silenceTraces(db, organizationId, options.within);
      await listDerived(db);
      return removeAll(db);
    }),

  memories: (db, organizationId, ids, { documents, within }) =>
    atomically(db, async (db) => {
      await openLists(db);
      await listDocuments(db, organizationId, documents);
      await listChains(db, organizationId, ids);
      await listDerived(db);
      await silenceDocuments(db, within);
      return removeAll(db);
    }),

  keptTexts: (db, organizationId, documentId) => readKeptTexts(db, organizationId, documentId),

  takeText: (db, organizationId, documentId, rewriting) =>
    atomically(db, async (db) => {
      await rewriteRevisions(db, documentId, rewriting);
      return removeMadeOf(db, organizationId, documentId);
    }),

  requote: (db, organizationId, documentId, links) =>
    atomically(db, async (db) => {
      for (const link of links) await requote(db, { organizationId, documentId, link });
    }),

  silence: (db, organizationId, containerTag) =>
    atomically(db, async (db) => {
      await sql`update journal set before = null, after = null, cause = null
        where container_tag = ${containerTag} and organization_id = ${organizationId}`.execute(db);
      // Stored answers of calls that described it; a removed container has `#` and a number after its tag.
      await sql`delete from operations where result ->> '$.uid' in (select uid from containers
        where organization_id = ${organizationId} and (tag = ${containerTag}
          or substr(tag, 1, length(${containerTag}) + 1) = ${`${containerTag}#`}))`.execute(db);
      await sql`update requests set container_tag = null
        where organization_id = ${organizationId} and container_tag = ${containerTag}`.execute(db);
    }),

  async container(db, organizationId, containerId) {
    await atomically(db, async (db) => {
      const isMine = sql`exists (select 1 from containers
        where id = ${containerId} and organization_id = ${organizationId})`;
      await sql`delete from vectors where space_id in (select id from vector_spaces)
        and container_id = ${containerId} and ${isMine}`.execute(db);
      await sql`delete from document_containers where container_id = ${containerId} and ${isMine}`.execute(db);
      await sql`delete from containers where id = ${containerId}
        and organization_id = ${organizationId}`.execute(db);
    });
  },

  async count(db, organizationId, containerId) {
    const own = sql`(select dc.document_id from document_containers dc
      join documents d on d.id = dc.document_id and d.organization_id = ${organizationId}
      where dc.container_id = ${containerId} and not exists (select 1 from document_containers o
        where o.document_id = dc.document_id and o.container_id <> dc.container_id))`;
    const { rows } = await sql<{ documents: number; memories: number; files: number }>`select
      (select count(*) from ${own}) as documents,
      (select count(*) from memories where container_id = ${containerId}
        and organization_id = ${organizationId}) as memories,
      (select count(*) from files where document_id in ${own}) as files`.execute(db);
    return rows[0] ?? { documents: 0, memories: 0, files: 0 };
  },

  async containersOf(db, organizationId, documentId) {
    const { rows } = await sql<{ tag: string }>`select distinct container_tag as tag from journal
      where subject_id = ${documentId} and subject = 'document' and organization_id = ${organizationId}
        and container_tag is not null`.execute(db);
    return rows.map(({ tag }) => tag);
  },

  memoriesIn: (db, organizationId, containerId, { limit, within }) =>
    atomically(db, async (db) => {
      await openLists(db);
      await listContained(db, organizationId, containerId, limit);
      await silenceDocuments(db, within);
      return removeAll(db);
    }),

  async mark(db) {
    await db
      .insertInto("meta")
      .values({ key: MARK, value: createId() })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: (eb) => eb.ref("excluded.value") }))
      .execute();
  },

  async marked(db) {
    const row = await db.selectFrom("meta").select("value").where("key", "=", MARK).executeTakeFirst();
    return row?.value ?? null;
  },

  async unmark(db, mark) {
    await db.deleteFrom("meta").where("key", "=", MARK).where("value", "=", mark).execute();
  },
});

async function removeAll(db: Kysely<Database>): Promise<PurgedRows> {
  const counted = await countListed(db);
  await removeListed(db);
  return counted;
}

/**
 * A document reveals memories in more places than its text: its receipt, ready-made facts that no other memory comes from, and
 * its earlier texts; and the journal has the title of a deleted one, which may be its text.
 */
async function silenceDocuments(db: Kysely<Database>, within: PurgeReach): Promise<void> {
  const texts = sql`(select text from memories where id in (select id from purged_memories))`;
  const others = sql`(select m.text from memory_sources s join memories m on m.id = s.memory_id
    where s.document_id = documents.id and s.memory_id not in (select id from purged_memories))`;
  // A cause refers to a document by an id of 22 characters, and may say more.
  const named = sql`select document_id as id from memory_sources where memory_id in (select id from purged_memories)
    union select substr(cause, 10, 22) from journal
      where subject_id in (select id from purged_memories) and substr(cause, 1, 9) = 'document '`;
  const ids = sql`(select named.id from (${named}) named where not exists (
    select 1 from document_containers dc join containers c on c.id = dc.container_id
    where dc.document_id = named.id and not ${isWithin(within, sql`c.tag`)}))`;
  await sql`update documents set
      receipt = iif(receipt is null, null, (select json_group_array(json(fact.value)) from json_each(receipt) fact
        where fact.value ->> '$.id' not in (select id from purged_memories))),
      facts = iif(facts is null, null, (select json_group_array(json(fact.value)) from json_each(facts) fact
        where fact.value ->> '$.text' not in ${texts} or fact.value ->> '$.text' in ${others}))
    where id in ${ids}`.execute(db);
  // Once a document has been read, no earlier text is needed.
  await sql`delete from document_revisions where document_id in ${ids} and pending is null and revision < (
    select remembered_revision from documents where documents.id = document_id)`.execute(db);
  await sql`update journal set before = null where action = 'document.deleted'
    and subject_id in ${ids} and ${isWithin(within, sql`container_tag`)}`.execute(db);
}
