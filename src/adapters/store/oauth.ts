import { type Kysely, type Selectable, sql } from "kysely";
import * as z from "zod";
import type { Clock, OAuthStore } from "../../core/ports.js";
import { type AppGrant, type OAuthRecord, PERMISSIONS } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const oauthStore = repositoryOf<OAuthStore, StoreContext>({
  async save({ db }, record) {
    const changed = {
      uid_hash: record.uidHash,
      grant_id: record.grantId,
      payload: record.payload,
      expires_at: record.expiresAt,
    };
    await db
      .insertInto("oauth_records")
      .values({ kind: record.kind, hash: record.hash, created_at: record.createdAt, ...changed })
      .onConflict((conflict) => conflict.columns(["kind", "hash"]).doUpdateSet(changed))
      .execute();
  },

  async byHash({ db }, kind, hash) {
    const row = await recordsOf(db, kind).where("hash", "=", hash).executeTakeFirst();
    return row ? recordOf(row) : null;
  },

  async byUid({ db }, kind, uidHash) {
    const row = await recordsOf(db, kind).where("uid_hash", "=", uidHash).executeTakeFirst();
    return row ? recordOf(row) : null;
  },

  async consume({ db }, kind, hash, at) {
    const rows = await db
      .updateTable("oauth_records")
      .set({ consumed_at: iso(at) })
      .where("kind", "=", kind)
      .where("hash", "=", hash)
      .where("consumed_at", "is", null)
      .returning("hash")
      .execute();
    return rows.length > 0;
  },

  async remove({ db }, kind, hash) {
    await db.deleteFrom("oauth_records").where("kind", "=", kind).where("hash", "=", hash).execute();
  },

  async removeOfGrant({ db }, grantId, kind) {
    const ofGrant = db.deleteFrom("oauth_records").where("grant_id", "=", grantId);
    await (kind === undefined ? ofGrant : ofGrant.where("kind", "=", kind)).execute();
  },

  async prolong({ db }, kind, hash, until) {
    await db
      .updateTable("oauth_records")
      .set({ expires_at: until && iso(until) })
      .where("kind", "=", kind)
      .where("hash", "=", hash)
      .execute();
  },

  async trim({ db }, kind, keep) {
    const { rows } = await sql<{ hash: string }>`
      delete from oauth_records where kind = ${kind} and hash in (
        select hash from oauth_records where kind = ${kind} and expires_at is not null
        order by created_at desc, hash limit 1000000000 offset ${keep}
      ) returning hash`.execute(db);
    return rows.length;
  },

  async insertGrant({ db }, grant) {
    await db
      .insertInto("oauth_grants")
      .values({
        id: grant.id,
        organization_id: grant.organizationId,
        issuer: grant.issuer,
        client_id: grant.clientId,
        client_name: grant.clientName,
        client_host: grant.clientHost,
        container_tags: grant.containerTags && JSON.stringify(grant.containerTags),
        permission: grant.permission,
        created_at: grant.createdAt,
        expires_at: grant.expiresAt,
      })
      .execute();
  },

  async grant({ db }, organizationId, id) {
    const row = await grantsOf(db, organizationId).where("id", "=", id).executeTakeFirst();
    return row ? grantOf(row) : null;
  },

  async grants({ db }, organizationId) {
    const rows = await grantsOf(db, organizationId).orderBy("created_at", "desc").orderBy("id").execute();
    return rows.map(grantOf);
  },

  async deadGrants({ db }, organizationId, before) {
    const rows = await grantsOf(db, organizationId)
      .where("created_at", "<", iso(before))
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom("oauth_records")
              .select("hash")
              .whereRef("oauth_records.grant_id", "=", "oauth_grants.id")
              .where("kind", "<>", "Grant"),
          ),
        ),
      )
      .execute();
    return rows.map(grantOf);
  },

  async touchGrant({ db }, id, at) {
    await db
      .updateTable("oauth_grants")
      .set({ last_used_at: iso(at) })
      .where("id", "=", id)
      .execute();
  },

  async removeGrantById({ db }, id) {
    await db.deleteFrom("oauth_grants").where("id", "=", id).execute();
  },

  async secrets({ db }, organizationId) {
    const row = await db
      .selectFrom("oauth_secrets")
      .select("secrets")
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row?.secrets ?? null;
  },

  async insertSecrets({ db, clock }, organizationId, secrets) {
    await db
      .insertInto("oauth_secrets")
      .values({ organization_id: organizationId, secrets, created_at: iso(clock.now()) })
      .onConflict((conflict) => conflict.column("organization_id").doNothing())
      .execute();
  },

  async dropOver({ db }, now) {
    const over = iso(now);
    const records = await db.deleteFrom("oauth_records").where("expires_at", "<=", over).executeTakeFirst();
    const grants = await db.deleteFrom("oauth_grants").where("expires_at", "<=", over).executeTakeFirst();
    return Number(records.numDeletedRows + grants.numDeletedRows);
  },
});

export function createOAuthStore(db: Kysely<Database>, clock: Clock): OAuthStore {
  return oauthStore({ db, clock });
}

function recordsOf(db: Kysely<Database>, kind: string) {
  return db.selectFrom("oauth_records").selectAll().where("kind", "=", kind);
}

function grantsOf(db: Kysely<Database>, organizationId: string) {
  return db.selectFrom("oauth_grants").selectAll().where("organization_id", "=", organizationId);
}

function recordOf(row: Selectable<Database["oauth_records"]>): OAuthRecord {
  return {
    kind: row.kind,
    hash: row.hash,
    uidHash: row.uid_hash,
    grantId: row.grant_id,
    payload: row.payload,
    consumedAt: row.consumed_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

const tagsSchema = z.array(z.string());

function grantOf(row: Selectable<Database["oauth_grants"]>): AppGrant {
  return {
    id: row.id,
    organizationId: row.organization_id,
    issuer: row.issuer,
    clientId: row.client_id,
    clientName: row.client_name,
    clientHost: row.client_host,
    containerTags: row.container_tags === null ? null : tagsSchema.parse(JSON.parse(row.container_tags)),
    permission: z.enum(PERMISSIONS).parse(row.permission),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
