import { type Kysely, sql } from "kysely";
import { kindOf, seqOf, type Unit } from "../../core/types.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";
import { noteAnywhere, writeText } from "./text-index.js";

/** Makes a unit findable in exactly these containers. Its text and vectors stay as they are. */
export async function rescopeUnit(db: Kysely<Database>, unit: Unit, containerIds: readonly number[]): Promise<void> {
  await noteAnywhere(db, unit);
  const entry = await findableText(db, unit);
  if (entry) await writeText(db, { unit, containerIds, ...entry });
  await moveVectors(db, unit, containerIds);
}

/** What the text index holds of a unit; null for one that is not in it, such as a superseded memory. */
async function findableText(
  db: Kysely<Database>,
  unit: Unit,
): Promise<{ text: string; context: string; forgotten: boolean } | null> {
  if (kindOf(unit) === "chunk") {
    const chunk = await db
      .selectFrom("chunks")
      .innerJoin("documents", "documents.id", "chunks.document_id")
      .select(["chunks.content", "chunks.context", "documents.is_forgotten"])
      .where("chunks.seq", "=", seqOf(unit))
      .executeTakeFirst();
    return chunk ? { text: chunk.content, context: chunk.context, forgotten: chunk.is_forgotten === 1 } : null;
  }
  const memory = await db
    .selectFrom("memories")
    .select(["text", "is_forgotten"])
    .where("seq", "=", seqOf(unit))
    .where("is_latest", "=", 1)
    .where((where) => where.or([where("kind", "<>", "statement"), where("is_forgotten", "=", 1)]))
    .executeTakeFirst();
  return memory ? { text: memory.text, context: "", forgotten: memory.is_forgotten === 1 } : null;
}

async function moveVectors(db: Kysely<Database>, unit: Unit, containerIds: readonly number[]): Promise<void> {
  const wanted = listParameter(containerIds);
  await sql`insert into vectors (space_id, container_id, unit, active, vector)
    select v.space_id, cast(wanted.value as bigint), v.unit, v.active, v.vector
    from (select min(id) as id from vectors where unit = ${unit} group by space_id) first
    join vectors v on v.id = first.id join json_each(${wanted}) wanted on true
    where true on conflict do nothing`.execute(db);
  await sql`insert into vector_changes (space_id, container_id, unit)
    select space_id, container_id, unit from vectors where unit = ${unit}`.execute(db);
  await sql`delete from vectors where unit = ${unit}
    and container_id not in (select cast(value as bigint) from json_each(${wanted}))`.execute(db);
}
