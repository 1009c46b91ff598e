import { type Kysely, sql } from "kysely";
import type { UnitCondition, UnitScope } from "../../core/ports.js";
import type { FilterExpression, Unit } from "../../core/types.js";
import { databaseTraits } from "./database-traits.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** A metadata value of units, or of their documents. */
type Value = readonly [key: string, value: string];

/** The index holds keys and values up to this length; see migration 7. */
const VALUE_LENGTH = 100;
const LONGEST_KEY = 100;

/**
 * Candidates that include every unit that satisfies a condition, found without looking at the whole scope: by document, or by a
 * metadata value that few have. Null where that would be no quicker.
 */
export async function namedUnits(
  db: Kysely<Database>,
  scope: UnitScope,
  { documentIds, filters }: UnitCondition,
): Promise<Unit[] | null> {
  if (documentIds) return unitsOfDocuments(db, documentIds);
  const choices = filters ? valuesOf(filters) : [];
  if (choices.length === 0) return null;
  const most = Math.floor((await countSome(db, scope)) / 2);
  for (const values of choices) {
    const owners = await ownersOf(db, values, most + 1);
    if (owners.length <= most) return unitsOfOwners(db, owners);
  }
  return null;
}

/** Lists of values; whatever passes the filter has at least one value of each list. */
function valuesOf(expression: FilterExpression): (readonly Value[])[] {
  if ("all" in expression) return expression.all.flatMap(valuesOf);
  if ("any" in expression) {
    const [first, ...others] = expression.any.map((one) => valuesOf(one).at(0));
    return first && others.every((one) => one !== undefined) ? [[...first, ...others.flat()]] : [];
  }
  const { key, value, type, negate, ignoreCase } = expression;
  const isEquality = (type === "metadata" || type === "array_contains") && !negate && !ignoreCase;
  return isEquality && key.length <= LONGEST_KEY ? [[[key, value]]] : [];
}

/** How many documents and memories the scope has, counted no further than needed. */
async function countSome(db: Kysely<Database>, { containerIds }: UnitScope): Promise<number> {
  const list = listParameter(containerIds);
  const enough = databaseTraits(db).mostOwners * 2;
  const { rows } = await sql<{ count: number }>`select
    (select count(*) from (select 1 from document_containers
      where container_id in (select cast(value as bigint) from json_each(${list})) limit ${enough}))
    + (select count(*) from (select 1 from memories
      where container_id in (select cast(value as bigint) from json_each(${list})) and is_latest = 1 limit ${enough}))
    as count`.execute(db);
  return Math.min(rows[0]?.count ?? 0, enough);
}

async function ownersOf(db: Kysely<Database>, values: readonly Value[], limit: number): Promise<number[]> {
  const { rows } = await sql<{ owner: number }>`
    select owner from json_each(${JSON.stringify(values)}) wanted
    cross join metadata_values mv on mv.key = wanted.value ->> 0
      and mv.value = substr(wanted.value ->> 1, 1, ${VALUE_LENGTH})
    limit ${limit}`.execute(db);
  return rows.map((row) => row.owner);
}

async function unitsOfDocuments(db: Kysely<Database>, documentIds: readonly string[]): Promise<Unit[]> {
  const list = listParameter(documentIds);
  return readUnits(
    db,
    sql`
    select chunks.seq * 2 as unit from chunks where document_id in (select value from json_each(${list}))
    union
    select memories.seq * 2 + 1 from json_each(${list}) wanted
    cross join memory_sources ms on ms.document_id = wanted.value cross join memories on memories.id = ms.memory_id`,
  );
}

/** @param owners as the index has them: even numbers are documents, odd ones memories */
async function unitsOfOwners(db: Kysely<Database>, owners: readonly number[]): Promise<Unit[]> {
  const list = listParameter(owners);
  return readUnits(
    db,
    sql`
    with named as materialized (
      select documents.id as id from json_each(${list}) wanted cross join documents on documents.seq = cast(wanted.value as bigint) / 2
      where cast(wanted.value as bigint) % 2 = 0)
    select chunks.seq * 2 as unit from named cross join chunks on chunks.document_id = named.id
    union
    select memories.seq * 2 + 1 from named
    cross join memory_sources ms on ms.document_id = named.id cross join memories on memories.id = ms.memory_id
    union
    select cast(value as bigint) from json_each(${list}) where cast(value as bigint) % 2 = 1`,
  );
}

async function readUnits(db: Kysely<Database>, query: ReturnType<typeof sql>): Promise<Unit[]> {
  const { rows } = await sql<{ unit: Unit }>`${query}`.execute(db);
  return rows.map((row) => row.unit);
}
