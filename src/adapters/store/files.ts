import { type Kysely, type Selectable, sql } from "kysely";
import type { Clock, FileStore } from "../../core/ports.js";
import type { StoredFile } from "../../core/types.js";
import { randomSecret } from "../../lib/crypto.js";
import { iso } from "../../lib/time.js";
import { listParameter } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

/** A file counts as long as its document refers to it: `/files/{key}` is then the document's URL. */
const UNNAMED = sql<boolean>`not exists (
  select 1 from documents where documents.id = files.document_id and documents.url = '/files/' || files.key)`;

const fileStore = repositoryOf<FileStore, StoreContext>({
  async insert({ db, clock }, organizationId, file) {
    await db
      .insertInto("files")
      .values({
        key: file.key,
        organization_id: organizationId,
        document_id: file.documentId,
        name: file.name,
        mime_type: file.mimeType,
        bytes: file.bytes,
        created_at: iso(clock.now()),
      })
      .execute();
  },

  async byKey({ db }, organizationId, key) {
    const row = await db
      .selectFrom("files")
      .selectAll()
      .where("key", "=", key)
      .where("organization_id", "=", organizationId)
      .where(sql<boolean>`not ${UNNAMED}`)
      .executeTakeFirst();
    return row ? fileOf(row) : null;
  },

  async ofDocument({ db }, organizationId, documentId) {
    const rows = await db
      .selectFrom("files")
      .selectAll()
      .where("document_id", "=", documentId)
      .where("organization_id", "=", organizationId)
      .orderBy("created_at")
      .execute();
    return rows.map(fileOf);
  },

  async dropUnnamed({ db }, organizationId, limit) {
    const rows = await db
      .deleteFrom("files")
      .where("key", "in", (select) =>
        select
          .selectFrom("files")
          .select("key")
          .where("organization_id", "=", organizationId)
          .where(UNNAMED)
          .limit(limit),
      )
      .returning("key")
      .execute();
    return rows.map((row) => row.key);
  },

  async linkSecret({ db }, organizationId) {
    const key = `file_links:${organizationId}`;
    const select = db.selectFrom("meta").select("value").where("key", "=", key);
    const known = await select.executeTakeFirst();
    if (known) return known.value;
    await db
      .insertInto("meta")
      .values({ key, value: randomSecret() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await select.executeTakeFirstOrThrow()).value;
  },

  async knownKeys({ db }, organizationId, keys) {
    const rows = await db
      .selectFrom("files")
      .select("key")
      .where("organization_id", "=", organizationId)
      .where(sql<boolean>`key in (select value from json_each(${listParameter(keys)}))`)
      .execute();
    return new Set(rows.map((row) => row.key));
  },
});

export function createFileStore(db: Kysely<Database>, clock: Clock): FileStore {
  return fileStore({ db, clock });
}

function fileOf(row: Selectable<Database["files"]>): StoredFile {
  return {
    key: row.key,
    documentId: row.document_id,
    name: row.name,
    mimeType: row.mime_type,
    bytes: row.bytes,
    createdAt: row.created_at,
  };
}
