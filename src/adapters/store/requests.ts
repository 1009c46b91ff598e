import { type Kysely, type Selectable, sql } from "kysely";
import type { RequestPart, RequestQuery, RequestStore, RequestTally, TimeRange } from "../../core/ports.js";
import { REQUEST_TYPES, type RequestRecord } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

/** Rows per statement: SQL limits how many parameters a statement may have. */
const BATCH = 100;

const PARTS = {
  type: sql<string>`type`,
  keyId: sql<string>`key_id`,
  status: sql<number>`status`,
  hour: sql<string>`substr(created_at, 1, 13) || ':00:00.000Z'`,
} as const satisfies Record<RequestPart, unknown>;

export const createRequestStore = repositoryOf<RequestStore, Kysely<Database>>({
  async insert(db, organizationId, records) {
    await atomically(db, async (db) => {
      for (let start = 0; start < records.length; start += BATCH)
        await db
          .insertInto("requests")
          .values(records.slice(start, start + BATCH).map((record) => rowOf(organizationId, record)))
          .onConflict((conflict) => conflict.column("id").doNothing())
          .execute();
    });
  },

  async list(db, organizationId, query) {
    const matching = selectMatching(db, organizationId, query);
    const rows = await matching
      .selectAll()
      .orderBy("created_at", "desc")
      .orderBy("seq", "desc")
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
    return { requests: rows.map(recordOf), total };
  },

  async tally(db, organizationId, range, parts, { errorsOnly = false } = {}) {
    const places = parts.map((_, index) => index + 1);
    const { rows } = await sql<
      Partial<RequestTally> & Pick<RequestTally, "count" | "operations" | "errors" | "averageMs" | "lastAt">
    >`
      select ${sql.join(parts.map((part) => sql`${PARTS[part]} as ${sql.ref(part)}`))},
        count(*) as count, sum(operations) as operations, sum(iif(status >= 400, 1, 0)) as errors, round(avg(duration), 1) as averageMs, max(created_at) as lastAt
      from requests
      where organization_id = ${organizationId} and created_at >= ${range.from} and created_at < ${range.to}
        and status >= ${errorsOnly ? 400 : 0}
      group by ${sql.raw(places.join(", "))} order by ${sql.raw(places.map((place) => `${place} nulls first`).join(", "))}`.execute(
      db,
    );
    return rows.map((row) => ({ type: null, keyId: null, status: null, hour: null, ...row }));
  },

  async dropBefore(db, organizationId, moment) {
    const { numDeletedRows } = await db
      .deleteFrom("requests")
      .where("organization_id", "=", organizationId)
      .where("created_at", "<", iso(moment))
      .executeTakeFirst();
    return Number(numDeletedRows);
  },

  async dropBeyond(db, organizationId, count) {
    // The plus keeps SQLite off the index: the row number narrows this better.
    const { numAffectedRows } = await sql`
      delete from requests
      where seq <= (select max(seq) from requests) - ${count} and +organization_id = ${organizationId}`.execute(db);
    return Number(numAffectedRows ?? 0);
  },
});

function selectMatching(db: Kysely<Database>, organizationId: string, query: RequestQuery) {
  let matching = selectWithin(db, organizationId, query);
  if (query.id !== undefined) matching = matching.where("id", "=", query.id);
  if (query.type !== undefined) matching = matching.where("type", "=", query.type);
  if (query.keyId !== undefined) matching = matching.where("key_id", "=", query.keyId);
  if (query.statusCode !== undefined) matching = matching.where("status", "=", query.statusCode);
  if (query.outcome !== undefined) matching = matching.where("status", query.outcome === "error" ? ">=" : "<", 400);
  return matching;
}

function selectWithin(db: Kysely<Database>, organizationId: string, { from, to }: TimeRange) {
  return db
    .selectFrom("requests")
    .where("organization_id", "=", organizationId)
    .where("created_at", ">=", from)
    .where("created_at", "<", to);
}

function rowOf(organizationId: string, record: RequestRecord) {
  return {
    id: record.id,
    organization_id: organizationId,
    key_id: record.keyId,
    client: record.client,
    type: record.type,
    method: record.method,
    path: record.path,
    status: record.status,
    duration: record.duration,
    container_tag: record.containerTag,
    error: record.error,
    created_at: record.createdAt,
    address: record.address ?? null,
    operations: record.operations ?? 1,
  };
}

function recordOf(row: Selectable<Database["requests"]>): RequestRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    client: row.client,
    type: REQUEST_TYPES.find((type) => type === row.type) ?? "request",
    method: row.method,
    path: row.path,
    status: row.status,
    duration: row.duration,
    containerTag: row.container_tag,
    error: row.error,
    createdAt: row.created_at,
    address: row.address,
    ...(row.operations !== 1 && { operations: row.operations }),
  };
}
