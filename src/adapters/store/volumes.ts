import { type Kysely, sql } from "kysely";
import type { VolumeStore } from "../../core/ports.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

const BYTES_PER_TOKEN = 4;

export const createVolumeStore = repositoryOf<VolumeStore, Kysely<Database>>({
  async within(db, organizationId, { from, to }) {
    const documents = await db
      .selectFrom("documents")
      .select([
        sql<number>`count(*)`.as("count"),
        // Reads the size from the head of the row, without loading the text.
        sql<number>`coalesce(sum(octet_length(content)), 0)`.as("bytes"),
      ])
      .where("organization_id", "=", organizationId)
      .where("created_at", ">=", from)
      .where("created_at", "<", to)
      .executeTakeFirstOrThrow();
    const memories = await db
      .selectFrom("memories")
      .select(sql<number>`count(*)`.as("count"))
      .where("organization_id", "=", organizationId)
      .where("is_latest", "=", 1)
      .where("is_forgotten", "=", 0)
      .where("created_at", ">=", from)
      .where("created_at", "<", to)
      .executeTakeFirstOrThrow();
    const containers = await db
      .selectFrom("containers")
      .select(sql<number>`count(*)`.as("count"))
      .where("organization_id", "=", organizationId)
      .where("deleted_at", "is", null)
      .where("created_at", ">=", from)
      .where("created_at", "<", to)
      .executeTakeFirstOrThrow();
    return {
      documents: documents.count,
      memories: memories.count,
      containers: containers.count,
      tokens: Math.ceil(documents.bytes / BYTES_PER_TOKEN),
    };
  },
});
