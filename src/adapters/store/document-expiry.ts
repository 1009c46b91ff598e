import { type Kysely, sql } from "kysely";
import { unitOf, type Unit } from "../../core/types.js";
import { yieldTurn } from "../../lib/time.js";
import { readRows } from "./fixed-query.js";
import type { Database } from "./schema.js";
import { writeText } from "./text-index.js";
import { atomically } from "./transact.js";

/** Chunks after which other work gets a turn. */
const YIELD_EVERY = 50;

const MARK =
  "update documents set is_forgotten = ? where id = ? and +organization_id = ? and is_forgotten <> ? returning id";

/** Moves the chunks of a document to the forgotten part of the index, or back. */
export async function setDocumentForgotten(
  db: Kysely<Database>,
  organizationId: string,
  documentId: string,
  forgotten: boolean,
): Promise<void> {
  const mark = forgotten ? 1 : 0;
  await atomically(db, async (db) => {
    const changed = await readRows(db, MARK, [mark, documentId, organizationId, mark]);
    if (changed.length === 0) return;
    const containerIds = await containersOf(db, documentId);
    for (const [index, { unit, text, context }] of (await indexedChunks(db, documentId)).entries()) {
      if (index % YIELD_EVERY === YIELD_EVERY - 1) await yieldTurn();
      await writeText(db, { unit, containerIds, text, context, forgotten });
    }
    await setActive(db, documentId, 1 - mark);
  });
}

async function containersOf(db: Kysely<Database>, documentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom("document_containers")
    .select("container_id")
    .where("document_id", "=", documentId)
    .orderBy("position")
    .execute();
  return rows.map((row) => row.container_id);
}

/** Chunks that the text index already has; the rest are indexed correctly later. */
async function indexedChunks(
  db: Kysely<Database>,
  documentId: string,
): Promise<{ unit: Unit; text: string; context: string }[]> {
  const rows = await db
    .selectFrom("chunks")
    .select(["seq", "content", "context"])
    .where("document_id", "=", documentId)
    .where(sql<boolean>`exists (select 1 from text_index where rowid = chunks.seq * 2)`)
    .execute();
  return rows.map(({ seq, content, context }) => ({ unit: unitOf("chunk", seq), text: content, context }));
}

async function setActive(db: Kysely<Database>, documentId: string, active: number): Promise<void> {
  const units = sql`select seq * 2 from chunks where document_id = ${documentId}`;
  await sql`update vectors set active = ${active} where unit in (${units})`.execute(db);
  await sql`insert into vector_changes (space_id, container_id, unit)
    select space_id, container_id, unit from vectors where unit in (${units})`.execute(db);
}
