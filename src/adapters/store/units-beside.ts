import { type Kysely, sql } from "kysely";
import { kindOf, seqOf, unitOf, type Unit } from "../../core/types.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** These chunks and those up to `distance` places before and after each of them. */
export async function findUnitsBeside(db: Kysely<Database>, units: readonly Unit[], distance: number): Promise<Unit[]> {
  const seqs = units.filter((unit) => kindOf(unit) === "chunk").map(seqOf);
  if (seqs.length === 0) return [];
  // In this order SQLite looks each place up; in any other it would read all chunks.
  const { rows } = await sql<{ seq: number }>`
    select distinct beside.seq from json_each(${listParameter(seqs)}) place
    cross join chunks on chunks.seq = cast(place.value as bigint)
    cross join chunks beside on beside.document_id = chunks.document_id and beside.revision = chunks.revision
      and beside.position between chunks.position - ${distance} and chunks.position + ${distance}`.execute(db);
  return rows.map(({ seq }) => unitOf("chunk", seq));
}
