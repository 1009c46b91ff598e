import { type Kysely, sql } from "kysely";
import type { PurgedRows, PurgeStore } from "../../core/ports.js";
import { createId } from "../../lib/ids.js";
import {
  countListed,
  listChains,
  listContained,
  listDerived,
  listDocuments,
  listStated,
  openLists,
  removeListed,
  silenceTraces,
} from "./purge-rows.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

const MARK = "unscrubbed";

/** Removal for good; every method is atomic. */
export function createPurgeStore(db: Kysely<Database>): PurgeStore {
  return {
    documents: (organizationId, ids, options) =>
      atomically(db, async (db) => {
        await openLists(db);
        await listDocuments(db, organizationId, ids);
        await listStated(db, organizationId, options);
        if (options.earlier) await silenceTraces(db, organizationId);
        await listDerived(db);
        return removeAll(db);
      }),

    memories: (organizationId, ids) =>
      atomically(db, async (db) => {
        await openLists(db);
        await listChains(db, organizationId, ids);
        await listDerived(db);
        await silenceDocuments(db);
        return removeAll(db);
      }),

    silence: (organizationId, containerTag) =>
      atomically(db, async (db) => {
        await sql`update journal set before = null, after = null, cause = null
          where container_tag = ${containerTag} and organization_id = ${organizationId}`.execute(db);
        await sql`update requests set container_tag = null
          where organization_id = ${organizationId} and container_tag = ${containerTag}`.execute(db);
      }),

    async container(organizationId, containerId) {
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

    async count(organizationId, containerId) {
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

    async containersOf(organizationId, documentId) {
      const { rows } = await sql<{ tag: string }>`select distinct container_tag as tag from journal
        where subject_id = ${documentId} and subject = 'document' and organization_id = ${organizationId}
          and container_tag is not null`.execute(db);
      return rows.map(({ tag }) => tag);
    },

    memoriesIn: (organizationId, containerId, limit) =>
      atomically(db, async (db) => {
        await openLists(db);
        await listContained(db, organizationId, containerId, limit);
        await silenceDocuments(db);
        return removeAll(db);
      }),

    async mark() {
      await db
        .insertInto("meta")
        .values({ key: MARK, value: createId() })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: (eb) => eb.ref("excluded.value") }))
        .execute();
    },

    async marked() {
      const row = await db.selectFrom("meta").select("value").where("key", "=", MARK).executeTakeFirst();
      return row?.value ?? null;
    },

    async unmark(mark) {
      await db.deleteFrom("meta").where("key", "=", MARK).where("value", "=", mark).execute();
    },
  };
}

async function removeAll(db: Kysely<Database>): Promise<PurgedRows> {
  const counted = await countListed(db);
  await removeListed(db);
  return counted;
}

/** A document tells of memories besides its text: in its receipt, in ready-made facts, or by being made for them. */
async function silenceDocuments(db: Kysely<Database>): Promise<void> {
  const texts = sql`(select text from memories where id in (select id from purged_memories))`;
  const { rows } = await sql<{ id: string; content: string; hasChunks: number; hasOthers: number; texts: string }>`
    select d.id, iif(d.status = 'done', d.content, '') as content,
      exists (select 1 from chunks where document_id = d.id) as hasChunks,
      exists (select 1 from memory_sources s where s.document_id = d.id
        and s.memory_id not in (select id from purged_memories)) as hasOthers,
      (select json_group_array(text) from memories where id in (select id from purged_memories)) as texts
    from documents d where d.id in (
      select document_id from memory_sources where memory_id in (select id from purged_memories)
      union select substr(cause, 10) from journal
        where subject_id in (select id from purged_memories) and substr(cause, 1, 9) = 'document ')`.execute(db);
  for (const { id, content, hasChunks, hasOthers, texts: purged } of rows) {
    const isMadeForThem = content !== "" && !hasChunks;
    if (isMadeForThem && !hasOthers) await sql`insert or ignore into purged_documents values (${id})`.execute(db);
    else if (isMadeForThem) {
      const others = withoutTexts(content, JSON.parse(purged) as string[]);
      await sql`update documents set content = ${others} where id = ${id}`.execute(db);
    }
    await sql`update documents set
        receipt = iif(receipt is null, null, (select json_group_array(json(fact.value)) from json_each(receipt) fact
          where fact.value ->> '$.id' not in (select id from purged_memories))),
        facts = iif(facts is null, null, (select json_group_array(json(fact.value)) from json_each(facts) fact
          where fact.value ->> '$.text' not in ${texts}))
      where id = ${id}`.execute(db);
  }
}

function withoutTexts(content: string, texts: readonly string[]): string {
  return texts.reduce((rest, text) => rest.split(text).join(""), content).replace(/\n{2,}/g, "\n");
}
