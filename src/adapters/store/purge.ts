import { type Kysely, sql } from "kysely";
import type { Database } from "./schema.js";

/** Rows that hang on a container alone, children first. Documents that lie in other containers too only lose this one. */
const STATEMENTS = (id: number) => [
  sql`create temp table if not exists purged_documents (id text primary key)`,
  sql`delete from purged_documents`,
  sql`insert into purged_documents select document_id from document_containers dc where container_id = ${id}
    and not exists (select 1 from document_containers o where o.document_id = dc.document_id and o.container_id <> ${id})`,
  sql`delete from text_index where rowid in
    (select seq * 2 + 1 from memories where container_id = ${id})
    or rowid in (select seq * 2 from chunks where document_id in (select id from purged_documents))`,
  sql`insert into vector_changes (space_id, container_id, unit)
    select space_id, container_id, unit from vectors where container_id = ${id}`,
  sql`delete from vectors where container_id = ${id}`,
  sql`delete from journal where subject_id in (select id from memories where container_id = ${id})
    or subject_id in (select id from purged_documents)`,
  sql`delete from memory_sources where memory_id in (select id from memories where container_id = ${id})`,
  sql`delete from memories where container_id = ${id}`,
  sql`delete from chunks where document_id in (select id from purged_documents)`,
  sql`delete from document_revisions where document_id in (select id from purged_documents)`,
  sql`delete from documents where id in (select id from purged_documents)`,
  sql`delete from document_containers where container_id = ${id}`,
];

/** Removes everything in a container. */
export async function purgeContainer(db: Kysely<Database>, containerId: number): Promise<void> {
  const run = async (connection: Kysely<Database>): Promise<void> => {
    for (const statement of STATEMENTS(containerId)) await statement.execute(connection);
  };
  await (db.isTransaction ? run(db) : db.transaction().execute(run));
}
