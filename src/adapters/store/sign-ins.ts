import type { Kysely, Selectable } from "kysely";
import * as z from "zod";
import type { Clock, SignInStore } from "../../core/ports.js";
import { SIGN_IN_WAYS, type SignIn } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const signInStore = repositoryOf<SignInStore, StoreContext>({
  async insert({ db }, signIn, hash) {
    await db
      .insertInto("sign_ins")
      .values({
        id: signIn.id,
        organization_id: signIn.organizationId,
        hash,
        how: signIn.how,
        client: signIn.client,
        created_at: signIn.createdAt,
        last_used_at: signIn.lastUsedAt,
        expires_at: signIn.expiresAt,
      })
      .execute();
  },

  async byHash({ db }, hash) {
    const row = await db.selectFrom("sign_ins").selectAll().where("hash", "=", hash).executeTakeFirst();
    return row ? signInOf(row) : null;
  },

  async list({ db }, organizationId) {
    const rows = await db
      .selectFrom("sign_ins")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .orderBy("last_used_at", "desc")
      .execute();
    return rows.map(signInOf);
  },

  async prolong({ db }, id, usedAt, expiresAt) {
    await db
      .updateTable("sign_ins")
      .set({ last_used_at: iso(usedAt), expires_at: iso(expiresAt) })
      .where("id", "=", id)
      .execute();
  },

  async end({ db }, organizationId, id) {
    const rows = await db
      .deleteFrom("sign_ins")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .returning("id")
      .execute();
    return rows.length > 0;
  },

  async endAll({ db }, organizationId) {
    const rows = await db
      .deleteFrom("sign_ins")
      .where("organization_id", "=", organizationId)
      .returning("id")
      .execute();
    return rows.length;
  },

  async insertCode({ db }, organizationId, hash, expiresAt) {
    await db
      .insertInto("sign_in_codes")
      .values({ hash, organization_id: organizationId, expires_at: iso(expiresAt) })
      .execute();
  },

  async takeCode({ db }, organizationId, hash, now) {
    const rows = await db
      .deleteFrom("sign_in_codes")
      .where("organization_id", "=", organizationId)
      .where("hash", "=", hash)
      .where("expires_at", ">", iso(now))
      .returning("hash")
      .execute();
    return rows.length > 0;
  },

  async noteAnswer({ db }, organizationId, hash, expiresAt) {
    const rows = await db
      .insertInto("answered_requests")
      .values({ hash, organization_id: organizationId, expires_at: iso(expiresAt) })
      .onConflict((conflict) => conflict.column("hash").doNothing())
      .returning("hash")
      .execute();
    return rows.length > 0;
  },

  async password({ db }, organizationId) {
    const row = await db
      .selectFrom("passwords")
      .select("hash")
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row?.hash ?? null;
  },

  async setPassword({ db, clock }, organizationId, hash) {
    if (hash === null) {
      await db.deleteFrom("passwords").where("organization_id", "=", organizationId).execute();
      return;
    }
    const changed = { hash, changed_at: iso(clock.now()) };
    await db
      .insertInto("passwords")
      .values({ organization_id: organizationId, ...changed })
      .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(changed))
      .execute();
  },

  async dropOver({ db }, now) {
    const over = iso(now);
    const signIns = await db.deleteFrom("sign_ins").where("expires_at", "<=", over).returning("id").execute();
    const codes = await db.deleteFrom("sign_in_codes").where("expires_at", "<=", over).returning("hash").execute();
    const answered = await db
      .deleteFrom("answered_requests")
      .where("expires_at", "<=", over)
      .returning("hash")
      .execute();
    return signIns.length + codes.length + answered.length;
  },
});

export function createSignInStore(db: Kysely<Database>, clock: Clock): SignInStore {
  return signInStore({ db, clock });
}

function signInOf(row: Selectable<Database["sign_ins"]>): SignIn {
  return {
    id: row.id,
    organizationId: row.organization_id,
    how: z.enum(SIGN_IN_WAYS).parse(row.how),
    client: row.client,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}
