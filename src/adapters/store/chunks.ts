import type { Kysely, Selectable } from "kysely";
import type { ChunkStore, Clock } from "../../core/ports.js";
import type { Chunk } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { fromJson, toJson } from "./json.js";
import type { Database } from "./schema.js";
import { dropChunkUnits } from "./text-index.js";

/** Rows of one insert; keeps the number of parameters below SQLite's limit. */
const BATCH = 500;

export function createChunkStore(db: Kysely<Database>, clock: Clock): ChunkStore {
  return {
    async replace(_organizationId, documentId, revision, drafts) {
      await db.deleteFrom("chunks").where("document_id", "=", documentId).where("revision", "=", revision).execute();
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
    },

    async ofDocument(_organizationId, documentId, revision) {
      const rows = await db
        .selectFrom("chunks")
        .selectAll()
        .where("document_id", "=", documentId)
        .where("revision", "=", revision)
        .orderBy("position")
        .execute();
      return rows.map(chunkOf);
    },

    async dropOlder(_organizationId, documentId, revision) {
      await dropChunkUnits(db, documentId, { beforeRevision: revision });
      await db.deleteFrom("chunks").where("document_id", "=", documentId).where("revision", "<", revision).execute();
    },
  };
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
