import type { Kysely, Selectable } from "kysely";
import type { KeyStore } from "../../core/ports.js";
import type { ApiKey } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import type { Database } from "./schema.js";

export function createKeyStore(db: Kysely<Database>): KeyStore {
  return {
    async insert(key, hash) {
      await db
        .insertInto("api_keys")
        .values({
          id: key.id,
          organization_id: key.organizationId,
          name: key.name,
          hint: key.hint,
          client: key.client,
          hash,
          created_at: key.createdAt,
        })
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .execute();
    },

    async byHash(hash) {
      const row = await db.selectFrom("api_keys").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row ? keyOf(row) : null;
    },

    async list(organizationId) {
      const rows = await db
        .selectFrom("api_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy("created_at")
        .execute();
      return rows.map(keyOf);
    },

    async revoke(organizationId, id, at) {
      const rows = await db
        .updateTable("api_keys")
        .set({ revoked_at: iso(at) })
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returning("id")
        .execute();
      return rows.length > 0;
    },

    async touch(id, at) {
      await db
        .updateTable("api_keys")
        .set({ last_used_at: iso(at) })
        .where("id", "=", id)
        .execute();
    },
  };
}

function keyOf(row: Selectable<Database["api_keys"]>): ApiKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hint: row.hint,
    client: row.client,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
