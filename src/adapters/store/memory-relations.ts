import { type Kysely, sql } from "kysely";
import type { MemoryRelation } from "../../core/ports.js";
import type { Relation } from "../../core/types.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** Relations of these memories within their containers, in either direction, as `MemoryStore.relations` promises. */
export async function readRelations(
  db: Kysely<Database>,
  organizationId: string,
  memoryIds: readonly string[],
  { evenApart = false } = {},
): Promise<MemoryRelation[]> {
  // A union of two queries, because one with "or" would read the whole table.
  const { rows } = await sql<{ from_id: string; to_id: string; relation: string }>`
    with asked as (select value as id from json_each(${listParameter(memoryIds)}))
    select found.from_id, found.to_id, found.relation from (
      select mr.* from asked cross join memory_relations mr on mr.from_id = asked.id
      union
      select mr.* from asked cross join memory_relations mr on mr.to_id = asked.id
    ) found
    join memories newer on newer.id = found.from_id join memories older on older.id = found.to_id
    where newer.organization_id = ${organizationId} and older.organization_id = ${organizationId}
      and (newer.container_id = older.container_id or ${evenApart ? 1 : 0})
    order by found.created_at, found.from_id, found.to_id`.execute(db);
  // The column holds what `writeRelation` wrote.
  return rows.map((row) => ({ fromId: row.from_id, toId: row.to_id, relation: row.relation as Relation }));
}

/** Relates two memories, or replaces their relation, as `MemoryStore.relate` promises. */
export async function writeRelation(
  db: Kysely<Database>,
  organizationId: string,
  { fromId, toId, relation }: MemoryRelation,
  createdAt: string,
): Promise<void> {
  await sql`insert into memory_relations (from_id, to_id, relation, created_at)
    select newer.id, older.id, ${relation}, ${createdAt} from memories newer join memories older on older.id = ${toId}
    where newer.id = ${fromId} and newer.id <> older.id and newer.container_id = older.container_id
      and newer.organization_id = ${organizationId} and older.organization_id = ${organizationId}
    on conflict (from_id, to_id) do update set relation = excluded.relation`.execute(db);
}
