import { type Kysely, type Selectable, sql, type Updateable } from "kysely";
import type { ConnectionChange, ConnectionStore } from "../../core/ports.js";
import type { Connection, SyncCounts, SyncRun } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import type { Clock } from "../../core/ports.js";
import { fromJson, listParameter } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { ITEM_METHODS } from "./connection-items.js";
import { ORIGIN_METHODS } from "./document-origins.js";

const connectionStore = repositoryOf<ConnectionStore, StoreContext>({
  ...ITEM_METHODS,
  ...ORIGIN_METHODS,

  async insert({ db, clock }, draft, sealedSecrets) {
    const connection: Connection = { ...draft, createdAt: iso(clock.now()) };
    const { id, organizationId, provider, createdAt } = connection;
    const own = { id, organization_id: organizationId, provider, created_at: createdAt, secrets: sealedSecrets };
    await db
      .insertInto("connections")
      .values({ ...own, ...columnsOf(connection) })
      .execute();
    return connection;
  },

  async byId({ db }, organizationId, id) {
    const row = await named(db, organizationId, id).select(COLUMNS).executeTakeFirst();
    return row ? connectionOf(row) : null;
  },

  async list({ db }, organizationId) {
    const rows = await db
      .selectFrom("connections")
      .select(COLUMNS)
      .where("organization_id", "=", organizationId)
      .orderBy("created_at", "desc")
      .orderBy("id")
      .execute();
    return rows.map(connectionOf);
  },

  async update({ db }, organizationId, id, change) {
    const changed = changedColumnsOf(change);
    if (Object.keys(changed).length === 0) return;
    await db
      .updateTable("connections")
      .set(changed)
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .execute();
  },

  async checkpoint({ db }, organizationId, id) {
    const row = await named(db, organizationId, id).select("checkpoint").executeTakeFirst();
    return fromJson<unknown>(row?.checkpoint ?? null);
  },

  async sealedSecrets({ db }, organizationId, id) {
    const row = await named(db, organizationId, id).select("secrets").executeTakeFirst();
    return row?.secrets ?? null;
  },

  async keepSecrets({ db }, organizationId, id, sealed, former) {
    const { numUpdatedRows } = await db
      .updateTable("connections")
      .set({ secrets: sealed })
      .where("organization_id", "=", organizationId)
      .where("id", "=", id)
      .where(sql<boolean>`secrets is ${former}`)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },

  async remove({ db }, organizationId, id) {
    await db.deleteFrom("sync_runs").where("connection_id", "=", id).execute();
    await db.deleteFrom("connection_items").where("connection_id", "=", id).execute();
    await db.deleteFrom("connections").where("organization_id", "=", organizationId).where("id", "=", id).execute();
  },

  async insertRun({ db }, run) {
    await db.insertInto("sync_runs").values(runRowOf(run)).execute();
  },

  async updateRun({ db }, run) {
    const { id, ...changed } = runRowOf(run);
    await db.updateTable("sync_runs").set(changed).where("id", "=", id).execute();
  },

  async runs({ db }, connectionId, limit) {
    const rows = await db
      .selectFrom("sync_runs")
      .selectAll()
      .where("connection_id", "=", connectionId)
      // In the order in which they began, whatever the clock said then.
      .orderBy(sql`rowid`, "desc")
      .limit(limit)
      .execute();
    return rows.map(runOf);
  },

  async dropOldRuns({ db }, keep) {
    const { numAffectedRows = 0n } = await sql`delete from sync_runs where id in (select id from (
      select id, row_number() over (partition by connection_id order by rowid desc) as place
      from sync_runs) where place > ${keep})`.execute(db);
    return Number(numAffectedRows);
  },
});

export function createConnectionStore(db: Kysely<Database>, clock: Clock): ConnectionStore {
  return connectionStore({ db, clock });
}

function named(db: Kysely<Database>, organizationId: string, id: string) {
  return db.selectFrom("connections").where("organization_id", "=", organizationId).where("id", "=", id);
}

/** All columns except those that may be long or that few callers need. */
const COLUMNS = [
  "id",
  "organization_id",
  "provider",
  "container_tags",
  "end_user_id",
  "document_limit",
  "settings",
  "resources",
  "account",
  "state",
  "problem",
  "listing",
  "every_minutes",
  "next_sync_at",
  "last_synced_at",
  "webhooks",
  "created_at",
] as const satisfies readonly (keyof Database["connections"])[];
type ConnectionRow = Pick<Selectable<Database["connections"]>, (typeof COLUMNS)[number]>;
type ConnectionColumns = Omit<ConnectionRow, "id" | "organization_id" | "provider" | "created_at">;

function columnsOf(
  connection: Omit<Connection, "id" | "organizationId" | "provider" | "createdAt">,
): ConnectionColumns {
  return {
    container_tags: listParameter(connection.containerTags),
    end_user_id: connection.endUserId,
    document_limit: connection.documentLimit,
    settings: JSON.stringify(connection.settings),
    resources: JSON.stringify(connection.resources),
    account: connection.account,
    state: connection.state,
    problem: connection.problem,
    listing: connection.listing,
    every_minutes: connection.everyMinutes,
    next_sync_at: connection.nextSyncAt,
    last_synced_at: connection.lastSyncedAt,
    webhooks: JSON.stringify(connection.webhooks),
  };
}

const COLUMN_OF = {
  containerTags: "container_tags",
  endUserId: "end_user_id",
  documentLimit: "document_limit",
  settings: "settings",
  resources: "resources",
  account: "account",
  state: "state",
  problem: "problem",
  checkpoint: "checkpoint",
  listing: "listing",
  everyMinutes: "every_minutes",
  nextSyncAt: "next_sync_at",
  lastSyncedAt: "last_synced_at",
  webhooks: "webhooks",
} as const satisfies Readonly<Record<keyof ConnectionChange, keyof Database["connections"]>>;

const IN_JSON: ReadonlySet<string> = new Set(["containerTags", "settings", "resources", "checkpoint", "webhooks"]);

function changedColumnsOf(change: ConnectionChange): Updateable<Database["connections"]> {
  const columns = Object.entries(change).flatMap(([field, value]) =>
    value === undefined
      ? []
      : [[COLUMN_OF[field as keyof ConnectionChange], IN_JSON.has(field) ? JSON.stringify(value) : value] as const],
  );
  return Object.fromEntries(columns);
}

function connectionOf(row: ConnectionRow): Connection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    containerTags: fromJson<string[]>(row.container_tags) ?? [],
    endUserId: row.end_user_id,
    documentLimit: row.document_limit,
    settings: fromJson<Connection["settings"]>(row.settings) ?? {},
    resources: fromJson<Connection["resources"]>(row.resources) ?? [],
    account: row.account,
    state: row.state as Connection["state"],
    problem: row.problem,
    listing: row.listing,
    everyMinutes: row.every_minutes,
    nextSyncAt: row.next_sync_at,
    lastSyncedAt: row.last_synced_at,
    webhooks: fromJson<Connection["webhooks"]>(row.webhooks),
    createdAt: row.created_at,
  };
}

function runRowOf(run: SyncRun): Selectable<Database["sync_runs"]> {
  const { listed, read, unchanged, removed, skipped, failed, cut } = run;
  return {
    id: run.id,
    connection_id: run.connectionId,
    status: run.status,
    trigger: run.trigger,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    counts: JSON.stringify({ listed, read, unchanged, removed, skipped, failed, cut } satisfies SyncCounts),
    error: run.error,
    error_code: run.errorCode,
    notes: listParameter(run.notes),
    failures: JSON.stringify(run.failures),
  };
}

const NO_COUNTS: SyncCounts = { listed: 0, read: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0, cut: 0 };

function runOf(row: Selectable<Database["sync_runs"]>): SyncRun {
  return {
    ...NO_COUNTS,
    ...fromJson<SyncCounts>(row.counts),
    id: row.id,
    connectionId: row.connection_id,
    status: row.status as SyncRun["status"],
    trigger: row.trigger as SyncRun["trigger"],
    startedAt: row.started_at,
    completedAt: row.completed_at,
    error: row.error,
    errorCode: row.error_code as SyncRun["errorCode"],
    notes: fromJson<string[]>(row.notes) ?? [],
    failures: fromJson<SyncRun["failures"]>(row.failures) ?? [],
  };
}
