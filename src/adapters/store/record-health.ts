import { type Kysely, sql } from "kysely";
import type { StoreHealth } from "../../core/ports.js";
import type { Database } from "./schema.js";

/** How much the record holds. */
export async function countRecord(
  db: Kysely<Database>,
): Promise<Pick<StoreHealth, "documents" | "chunks" | "memories">> {
  const { rows } = await sql<{ documents: number; chunks: number; memories: number }>`select
    (select count(*) from documents) as documents, (select count(*) from chunks) as chunks,
    (select count(*) from memories) as memories`.execute(db);
  return rows[0] ?? { documents: 0, chunks: 0, memories: 0 };
}

/** Rows that do not belong together, as sentences for the owner. */
export async function findLostRows(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ lost: number }>`select count(*) as lost from chunks
    where not exists (select 1 from documents where documents.id = chunks.document_id)`.execute(db);
  const lost = rows[0]?.lost ?? 0;
  return lost > 0 ? [`${lost} chunks have no document`] : [];
}
