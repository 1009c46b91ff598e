import type { Kysely, Selectable } from "kysely";
import * as z from "zod";
import type { KeyStore } from "../../core/ports.js";
import { type ApiKey, KEY_KINDS, PERMISSIONS } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { readSteadyRows } from "./fixed-query.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

const BY_HASH = "select * from api_keys where hash = ?";

export const createKeyStore = repositoryOf<KeyStore, Kysely<Database>>({
  async insert(db, key, hash) {
    await db
      .insertInto("api_keys")
      .values({
        id: key.id,
        organization_id: key.organizationId,
        name: key.name,
        kind: key.kind,
        hint: key.hint,
        client: key.client,
        permission: key.permission,
        grants: key.grants && JSON.stringify(key.grants),
        rate_requests: key.rate?.requests ?? null,
        rate_window_ms: key.rate?.windowMs ?? null,
        expires_at: key.expiresAt,
        hash,
        created_at: key.createdAt,
      })
      .onConflict((conflict) => conflict.column("hash").doNothing())
      .execute();
  },

  async byHash(db, hash) {
    const [row] = await readSteadyRows<Selectable<Database["api_keys"]>>(db, BY_HASH, [hash]);
    return row ? keyOf(row) : null;
  },

  async byId(db, organizationId, id) {
    const row = await db
      .selectFrom("api_keys")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? keyOf(row) : null;
  },

  async list(db, organizationId) {
    const rows = await db
      .selectFrom("api_keys")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .orderBy("created_at")
      .execute();
    return rows.map(keyOf);
  },

  async revoke(db, organizationId, id, at) {
    const rows = await oneOf(db, organizationId, id)
      .set({ revoked_at: iso(at) })
      .where("revoked_at", "is", null)
      .returning("id")
      .execute();
    return rows.length > 0;
  },

  async disable(db, organizationId, id, at) {
    await oneOf(db, organizationId, id)
      .set({ disabled_at: at && iso(at) })
      .execute();
  },

  async touch(db, id, at) {
    await db
      .updateTable("api_keys")
      .set({ last_used_at: iso(at) })
      .where("id", "=", id)
      .execute();
  },

  async expiringBefore(db, organizationId, moment) {
    const rows = await db
      .selectFrom("api_keys")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("expires_at", "<", iso(moment))
      .where("revoked_at", "is", null)
      .where("disabled_at", "is", null)
      .orderBy("expires_at")
      .execute();
    return rows.map((row) => ({ ...keyOf(row), warnedAhead: row.warned_ahead }));
  },

  async noteWarning(db, organizationId, id, daysAhead) {
    await oneOf(db, organizationId, id).set({ warned_ahead: daysAhead }).execute();
  },
});

function oneOf(db: Kysely<Database>, organizationId: string, id: string) {
  return db.updateTable("api_keys").where("organization_id", "=", organizationId).where("id", "=", id);
}

const grantsSchema = z.array(z.object({ containerTag: z.string(), permission: z.enum(PERMISSIONS) }));

function keyOf(row: Selectable<Database["api_keys"]>): ApiKey {
  const { rate_requests: requests, rate_window_ms: windowMs } = row;
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    kind: z.enum(KEY_KINDS).parse(row.kind),
    hint: row.hint,
    client: row.client,
    permission: z.enum(PERMISSIONS).parse(row.permission),
    grants: row.grants === null ? null : grantsSchema.parse(JSON.parse(row.grants)),
    rate: requests === null || windowMs === null ? null : { requests, windowMs },
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    disabledAt: row.disabled_at,
    revokedAt: row.revoked_at,
  };
}
