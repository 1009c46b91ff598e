import type { Kysely, Selectable } from "kysely";
import * as z from "zod";
import type { DeviceRequestStore } from "../../core/ports.js";
import { DEVICE_STATES, type DeviceRequest, PERMISSIONS } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

const asker = z.object({
  client: z.string().nullable(),
  hostname: z.string().nullable(),
  os: z.string().nullable(),
  cwd: z.string().nullable(),
});
const permission = z.enum(PERMISSIONS);
const approved = z.object({
  grants: z.array(z.object({ containerTag: z.string(), permission })).nullable(),
  permission,
  expiresInDays: z.number().nullable(),
});

export const createDeviceRequestStore = repositoryOf<DeviceRequestStore, Kysely<Database>>({
  async insert(db, request, { device, user }) {
    const rows = await db
      .insertInto("device_requests")
      .values({
        device_hash: device,
        user_hash: user,
        organization_id: request.organizationId,
        asker: JSON.stringify(request.asker),
        choice: request.approved && JSON.stringify(request.approved),
        state: request.state,
        created_at: request.createdAt,
        expires_at: request.expiresAt,
        polled_at: request.polledAt,
      })
      .onConflict((conflict) => conflict.column("user_hash").doNothing())
      .returning("device_hash")
      .execute();
    return rows.length > 0;
  },

  byDevice: (db, organizationId, hash) => found(db, organizationId, "device_hash", hash),

  byUser: (db, organizationId, hash) => found(db, organizationId, "user_hash", hash),

  async countWaiting(db, organizationId, now) {
    const row = await db
      .selectFrom("device_requests")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("organization_id", "=", organizationId)
      .where("expires_at", ">", iso(now))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  },

  async notePoll(db, organizationId, deviceHash, at) {
    await db
      .updateTable("device_requests")
      .set({ polled_at: iso(at) })
      .where("organization_id", "=", organizationId)
      .where("device_hash", "=", deviceHash)
      .execute();
  },

  async answer(db, organizationId, userHash, { approved: use, at }) {
    const rows = await db
      .updateTable("device_requests")
      .set(use ? { state: "approved", choice: JSON.stringify(use) } : { state: "declined" })
      .where("organization_id", "=", organizationId)
      .where("user_hash", "=", userHash)
      .where("state", "=", "pending")
      .where("expires_at", ">", iso(at))
      .returning("device_hash")
      .execute();
    return rows.length > 0;
  },

  async remove(db, organizationId, deviceHash) {
    const rows = await db
      .deleteFrom("device_requests")
      .where("organization_id", "=", organizationId)
      .where("device_hash", "=", deviceHash)
      .returning("device_hash")
      .execute();
    return rows.length > 0;
  },

  async dropOver(db, now) {
    const rows = await db
      .deleteFrom("device_requests")
      .where("expires_at", "<=", iso(now))
      .returning("device_hash")
      .execute();
    return rows.length;
  },
});

async function found(db: Kysely<Database>, organizationId: string, column: "device_hash" | "user_hash", hash: string) {
  const row = await db
    .selectFrom("device_requests")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where(column, "=", hash)
    .executeTakeFirst();
  return row ? requestOf(row) : null;
}

function requestOf(row: Selectable<Database["device_requests"]>): DeviceRequest {
  return {
    organizationId: row.organization_id,
    asker: asker.parse(JSON.parse(row.asker)),
    state: z.enum(DEVICE_STATES).parse(row.state),
    approved: row.choice === null ? null : approved.parse(JSON.parse(row.choice)),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    polledAt: row.polled_at,
  };
}
