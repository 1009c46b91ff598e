import { type Kysely, sql } from "kysely";
import type { MessagePictureStore } from "../../core/ports.js";
import { listParameter } from "./json.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

const IS_KEPT = sql<boolean>`(bytes is not null or address is not null)`;

/** Pictures in messages, one row each. */
export const createMessagePictureStore = repositoryOf<MessagePictureStore, Kysely<Database>>({
  async add(db, organizationId, documentId, pictures) {
    for (const { digest, address, bytes } of pictures)
      await sql`insert into message_pictures (document_id, digest, organization_id, address, bytes)
        select id, ${digest}, ${organizationId}, ${address}, ${bytes} from documents
        where id = ${documentId} and +organization_id = ${organizationId}
        on conflict (document_id, digest) do nothing`.execute(db);
  },

  async digests(db, organizationId, documentId) {
    const found = await rows(db, organizationId, documentId).select("digest").execute();
    return new Set(found.map(({ digest }) => digest));
  },

  async unread(db, organizationId, documentId) {
    const found = await rows(db, organizationId, documentId).select("digest").where("read_at", "is", null).execute();
    return found.map(({ digest }) => digest);
  },

  undescribed(db, organizationId, documentId) {
    return rows(db, organizationId, documentId)
      .select(["digest", "note"])
      .where("read_at", "is not", null)
      .where(IS_KEPT)
      .execute();
  },

  async find(db, organizationId, documentId, digest) {
    const row = await rows(db, organizationId, documentId)
      .select(["digest", "address", "bytes"])
      .where("digest", "=", digest)
      .where(IS_KEPT)
      .executeTakeFirst();
    return row ?? null;
  },

  async settle(db, organizationId, documentId, { digest, readAt, note, isUndescribed = false }) {
    await db
      .updateTable("message_pictures")
      .set({ read_at: readAt, note, ...(!isUndescribed && { bytes: null, address: null }) })
      .where("document_id", "=", documentId)
      .where("organization_id", "=", organizationId)
      .where("digest", "=", digest)
      .execute();
  },

  async keepOnly(db, organizationId, documentId, shown) {
    await sql`delete from message_pictures where document_id = ${documentId} and organization_id = ${organizationId}
      and digest not in (select value from json_each(${listParameter([...shown])}))`.execute(db);
  },

  async notes(db, organizationId, documentId) {
    const found = await rows(db, organizationId, documentId)
      .select(["read_at", "note"])
      .orderBy("read_at")
      .orderBy("digest")
      .execute();
    return found.flatMap(({ read_at: readAt, note }) => (readAt === null || note === null ? [] : [{ readAt, note }]));
  },
});

function rows(db: Kysely<Database>, organizationId: string, documentId: string) {
  return db
    .selectFrom("message_pictures")
    .where("document_id", "=", documentId)
    .where("organization_id", "=", organizationId);
}
