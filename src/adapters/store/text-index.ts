import type { Kysely } from "kysely";
import { kindOf, unitOf, type Unit, type UnitKind } from "../../core/types.js";
import { writeRows } from "./fixed-query.js";
import type { Database } from "./schema.js";
import { REMOVE_TEXT, textIndexDialect } from "./text-index-dialects.js";

/**
 * Containers as words of the text index's `scope` column, so that a search reads only the postings of its containers. For
 * container 12: `d12` chunks, `m12` memories, `e12` and `f12` forgotten ones.
 */
export function scopeWord(kind: UnitKind, containerId: number, forgotten = false): string {
  const [told, untold] = kind === "chunk" ? ["d", "e"] : ["m", "f"];
  return `${forgotten ? untold : told}${containerId}`;
}

/** Writes a unit into the text index, replacing what it had there. */
export async function writeText(
  db: Kysely<Database>,
  entry: { unit: Unit; containerIds: readonly number[]; text: string; context: string; forgotten?: boolean },
): Promise<void> {
  const { unit, text, context } = entry;
  const scope = entry.containerIds.map((id) => scopeWord(kindOf(unit), id, entry.forgotten));
  for (const id of entry.containerIds) await noteChange(db, unit, id);
  await writeRows(db, REMOVE_TEXT, [unit]);
  for (const { statement, parameters } of textIndexDialect(db).insertions([{ unit, text, context, scope }]))
    await writeRows(db, statement, parameters);
}

/** Call before a unit becomes findable in other containers than before. */
export async function noteAnywhere(db: Kysely<Database>, unit: Unit): Promise<void> {
  await noteChange(db, unit, 0);
}

async function noteChange(db: Kysely<Database>, unit: Unit, containerId: number): Promise<void> {
  const statement = textIndexDialect(db).noteChange;
  if (statement !== null) await writeRows(db, statement, [unit, containerId]);
}

/** Removes a unit from the text index and the vectors, with a line in the change log for each of its containers. */
export async function dropUnit(db: Kysely<Database>, unit: Unit): Promise<void> {
  await noteAnywhere(db, unit);
  await writeRows(db, REMOVE_TEXT, [unit]);
  const removed = await db
    .deleteFrom("vectors")
    .where("unit", "=", unit)
    .returning(["space_id", "container_id", "unit"])
    .execute();
  if (removed.length > 0) await db.insertInto("vector_changes").values(removed).execute();
}

/** Drops the units of a document's chunks of some revisions. */
export async function dropChunkUnits(
  db: Kysely<Database>,
  documentId: string,
  revisions: { readonly from?: number; readonly before: number },
): Promise<void> {
  const rows = await db
    .selectFrom("chunks")
    .select("seq")
    .where("document_id", "=", documentId)
    .where("revision", ">=", revisions.from ?? 0)
    .where("revision", "<", revisions.before)
    .execute();
  for (const row of rows) await dropUnit(db, unitOf("chunk", row.seq));
}
