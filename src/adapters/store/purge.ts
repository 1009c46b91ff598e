import { type Kysely, sql } from "kysely";
import { unitOf } from "../../core/types.js";
import { listParameter } from "./json.js";
import { REMOVE_ROWS } from "./purge-rows.js";
import type { Database } from "./schema.js";
import { dropUnit } from "./text-index.js";
import { atomically } from "./transact.js";

/** Rows that depend on a container alone, children first. Documents that are in other containers too only lose this one. */
const STATEMENTS = (organizationId: string, { id, tag }: { id: number; tag: string }) => [
  sql`create temp table if not exists purged_documents (id text primary key)`,
  sql`create temp table if not exists purged_memories (id text primary key, unit integer not null)`,
  sql`delete from purged_documents`,
  sql`delete from purged_memories`,
  sql`insert into purged_documents select document_id from document_containers dc where container_id = ${id}
    and not exists (select 1 from document_containers o where o.document_id = dc.document_id and o.container_id <> ${id})`,
  sql`insert into purged_memories select id, seq * 2 + 1 from memories where container_id = ${id}`,
  sql`insert into vector_changes (space_id, container_id, unit) select space_id, container_id, unit from vectors
    where space_id in (select id from vector_spaces) and container_id = ${id}`,
  sql`delete from vectors where space_id in (select id from vector_spaces) and container_id = ${id}`,
  ...REMOVE_ROWS,
  sql`delete from extraction_tasks where container_id = ${id}`,
  sql`delete from profile_summaries where container_id = ${id}`,
  sql`delete from document_containers where container_id = ${id}`,
  sql`delete from journal where subject_id in (select id from purged_memories)`,
  sql`delete from journal where subject_id in (select id from purged_documents)`,
  // Only the journal still knows of what was deleted before.
  sql`delete from journal where container_tag = ${tag} and organization_id = ${organizationId}
    and subject_id not in (select id from documents)`,
  sql`delete from containers where id = ${id}`,
  sql`delete from purged_documents`,
  sql`delete from purged_memories`,
];

/** Removes everything in a container, and the container. */
export async function purgeContainer(
  db: Kysely<Database>,
  organizationId: string,
  container: { readonly id: number; readonly tag: string },
): Promise<void> {
  await atomically(db, async (connection) => {
    for (const statement of STATEMENTS(organizationId, container)) await statement.execute(connection);
  });
}

/** Removes some memories of a container from all tables and indexes except the journal. @returns how many */
export async function purgeMemories(
  db: Kysely<Database>,
  organizationId: string,
  { containerId, limit }: { readonly containerId: number; readonly limit: number },
): Promise<number> {
  return atomically(db, async (connection) => {
    const rows = await connection
      .selectFrom("memories")
      .select(["id", "seq"])
      .where("organization_id", "=", organizationId)
      .where("container_id", "=", containerId)
      .limit(limit)
      .execute();
    const ids = sql`(select value from json_each(${listParameter(rows.map(({ id }) => id))}))`;
    for (const { seq } of rows) await dropUnit(connection, unitOf("memory", seq));
    await sql`delete from memory_sources where memory_id in ${ids}`.execute(connection);
    await sql`delete from memory_relations where from_id in ${ids}`.execute(connection);
    await sql`delete from memory_relations where to_id in ${ids}`.execute(connection);
    await sql`delete from memories where id in ${ids}`.execute(connection);
    return rows.length;
  });
}
