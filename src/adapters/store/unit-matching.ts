import { type Kysely, sql } from "kysely";
import type { UnitCondition, UnitScope } from "../../core/ports.js";
import { unitOf, type Unit } from "../../core/types.js";
import { filepathSql, ofOrganization } from "./documents.js";
import { documentFilterSql, memoryFilterSql } from "./filters.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** The units of a scope that satisfy a condition, as `UnitStore.matching` promises. */
export async function matchUnits(
  db: Kysely<Database>,
  organizationId: string,
  scope: UnitScope,
  condition: UnitCondition,
): Promise<Unit[]> {
  return [
    ...(scope.kinds.includes("chunk") ? await matchChunks(db, organizationId, scope, condition) : []),
    ...(scope.kinds.includes("memory") ? await matchMemories(db, organizationId, scope, condition) : []),
  ];
}

async function matchChunks(
  db: Kysely<Database>,
  organizationId: string,
  { containerIds }: UnitScope,
  condition: UnitCondition,
): Promise<Unit[]> {
  const { filters, exceptDocumentIds } = condition;
  const conditions = [ofOrganization(organizationId), ...sourceConditions(condition)];
  if (filters) conditions.push(documentFilterSql(filters, sql`documents.metadata`));
  if (exceptDocumentIds)
    conditions.push(
      sql<boolean>`documents.id not in (select value from json_each(${listParameter(exceptDocumentIds)}))`,
    );
  if (condition.inEveryContainer)
    conditions.push(
      sql<boolean>`(select count(*) from document_containers every where every.document_id = documents.id
        and every.container_id in (select value from json_each(${listParameter(containerIds)}))) = ${containerIds.length}`,
    );
  const { rows } = await sql<{ seq: number }>`
    select distinct chunks.seq as seq from document_containers dc
    join documents on documents.id = dc.document_id join chunks on chunks.document_id = documents.id
    where dc.container_id in (select value from json_each(${listParameter(containerIds)}))
      and ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows.map((row) => unitOf("chunk", row.seq));
}

async function matchMemories(
  db: Kysely<Database>,
  organizationId: string,
  { containerIds }: UnitScope,
  condition: UnitCondition,
): Promise<Unit[]> {
  const conditions = [sql<boolean>`memories.organization_id = ${organizationId}`];
  if (condition.filters) conditions.push(memoryFilterSql(condition.filters));
  const ofSource = sourceConditions(condition);
  if (ofSource.length > 0)
    conditions.push(
      sql<boolean>`exists (
        select 1 from memory_sources ms join documents on documents.id = ms.document_id
        where ms.memory_id = memories.id and ${sql.join(ofSource, sql` and `)})`,
    );
  const { rows } = await sql<{ seq: number }>`
    select memories.seq as seq from memories
    where memories.container_id in (select value from json_each(${listParameter(containerIds)}))
      and memories.is_latest = 1 and ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows.map((row) => unitOf("memory", row.seq));
}

/** What must hold of the document of a chunk, or of one document that states a memory. */
function sourceConditions({ filepath, documentIds }: UnitCondition) {
  return [
    ...(filepath === undefined ? [] : [filepathSql(filepath)]),
    ...(documentIds === undefined
      ? []
      : [sql<boolean>`documents.id in (select value from json_each(${listParameter(documentIds)}))`]),
  ];
}
