import type { Kysely, Selectable } from "kysely";
import type { ChunkDraft, ChunkStore, Clock } from "../../core/ports.js";
import type { Chunk } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { ofOrganization } from "./documents.js";
import { fromJson, toJson } from "./json.js";
import type { Database } from "./schema.js";
import { dropChunkUnits } from "./text-index.js";
import { atomically } from "./transact.js";

/** Rows of one insert; keeps the number of parameters below SQLite's limit. */
const BATCH = 500;

export function createChunkStore(db: Kysely<Database>, clock: Clock): ChunkStore {
  return {
    async replace(organizationId, documentId, revision, drafts) {
      return atomically(db, async (db) => {
        if (!(await isOfOrganization(db, organizationId, documentId))) return [];
        await dropChunkUnits(db, documentId, { from: revision, before: revision + 1 });
        await db.deleteFrom("chunks").where("document_id", "=", documentId).where("revision", "=", revision).execute();
        return insertChunks(db, documentId, revision, drafts);
      });
    },

    ofDocument,

    async newest(organizationId, documentId) {
      const newest = await db
        .selectFrom("chunks")
        .select((of) => of.fn.max("revision").as("revision"))
        .where("document_id", "=", documentId)
        .executeTakeFirst();
      return newest?.revision ? ofDocument(organizationId, documentId, newest.revision) : [];
    },

    async dropOlder(organizationId, documentId, revision) {
      await atomically(db, async (db) => {
        if (!(await isOfOrganization(db, organizationId, documentId))) return;
        await dropChunkUnits(db, documentId, { before: revision });
        await db.deleteFrom("chunks").where("document_id", "=", documentId).where("revision", "<", revision).execute();
      });
    },
  };

  async function ofDocument(organizationId: string, documentId: string, revision: number): Promise<Chunk[]> {
    const rows = await db
      .selectFrom("chunks")
      .innerJoin("documents", "documents.id", "chunks.document_id")
      .selectAll("chunks")
      .where(ofOrganization(organizationId))
      .where("chunks.document_id", "=", documentId)
      .where("chunks.revision", "=", revision)
      .orderBy("chunks.position")
      .execute();
    return rows.map(chunkOf);
  }

  async function insertChunks(
    db: Kysely<Database>,
    documentId: string,
    revision: number,
    drafts: readonly ChunkDraft[],
  ): Promise<Chunk[]> {
    const now = iso(clock.now());
    const chunks: Chunk[] = [];
    for (let start = 0; start < drafts.length; start += BATCH) {
      const values = drafts.slice(start, start + BATCH).map((draft, index) => ({
        id: draft.id,
        document_id: documentId,
        revision,
        position: start + index,
        content: draft.content,
        context: draft.context,
        metadata: toJson(draft.metadata),
        created_at: now,
      }));
      const rows = await db.insertInto("chunks").values(values).returningAll().execute();
      chunks.push(...rows.map(chunkOf));
    }
    return chunks.sort((a, b) => a.position - b.position);
  }
}

async function isOfOrganization(db: Kysely<Database>, organizationId: string, documentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("documents")
    .select("id")
    .where(ofOrganization(organizationId))
    .where("id", "=", documentId)
    .executeTakeFirst();
  return row !== undefined;
}

export function chunkOf(row: Selectable<Database["chunks"]>): Chunk {
  return {
    seq: row.seq,
    id: row.id,
    documentId: row.document_id,
    revision: row.revision,
    position: row.position,
    content: row.content,
    context: row.context,
    type: "text",
    metadata: fromJson(row.metadata),
    createdAt: row.created_at,
  };
}
