import { type Kysely, sql } from "kysely";
import { GAVE_UP, READING_KINDS } from "../../core/given-up.js";
import type { DeadJob, JobStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readPayload } from "./job-rows.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

/** Keeps a statement below SQLite's limit on parameters. */
const BATCH = 500;

type JobOverview = Pick<
  JobStore,
  "counts" | "countOf" | "dead" | "unreadable" | "reasonOf" | "putOff" | "dropDead" | "hasten" | "revive"
>;

/** Reports on jobs, and handles those that wait long or were given up. */
export const OVERVIEW_METHODS: RepositoryMethods<JobOverview, StoreContext> = {
  async counts({ db, clock }) {
    const { rows } = await sql<{ state: string; count: number; oldest: string }>`
      select state, count(*) as count, min(run_at) as oldest from jobs group by state`.execute(db);
    const count = (state: string): number => Number(rows.find((row) => row.state === state)?.count ?? 0);
    const oldest = rows.find((row) => row.state === "waiting")?.oldest;
    const waited = oldest === undefined ? 0 : clock.now().getTime() - Date.parse(oldest);
    return {
      waiting: count("waiting"),
      running: count("running"),
      dead: count("dead"),
      oldestWaitingSeconds: Math.max(0, Math.floor(waited / 1000)),
    };
  },

  async countOf({ db }, kind) {
    const row = await db
      .selectFrom("jobs")
      .select(sql<number>`count(*)`.as("count"))
      .where("state", "in", ["waiting", "running"])
      .where("kind", "=", kind)
      .executeTakeFirstOrThrow();
    return row.count;
  },

  async dropDead({ db }, subject) {
    const result = await db
      .deleteFrom("jobs")
      .where("state", "=", "dead")
      .where(sql<boolean>`instr(dedupe_key, ${`:${subject}:`}) > 0`)
      .executeTakeFirst();
    return Number(result.numDeletedRows);
  },

  async dead({ db }, limit) {
    const rows = await db
      .selectFrom("jobs")
      .select(["id", "kind", "payload", "group_key", "reason"])
      .where("state", "=", "dead")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map((row): DeadJob => ({
      id: row.id,
      kind: row.kind,
      payload: readPayload(row.payload),
      group: row.group_key,
      reason: row.reason ?? "unknown",
    }));
  },

  async unreadable({ db }) {
    const row = await db
      .selectFrom("jobs")
      .select(sql<number>`count(*)`.as("count"))
      .where("state", "=", "dead")
      .where("kind", "in", READING_KINDS)
      .where("reason", "not like", `${GAVE_UP}%`)
      .executeTakeFirstOrThrow();
    return row.count;
  },

  async reasonOf({ db }, key) {
    const row = await db
      .selectFrom("jobs")
      .select("reason")
      .where("dedupe_key", "=", key)
      .where("state", "in", ["waiting", "running"])
      .executeTakeFirst();
    return row?.reason ?? null;
  },

  async putOff({ db, clock }, keys) {
    const rows = await db
      .selectFrom("jobs")
      .select(["id", "run_at", "reason"])
      .where("dedupe_key", "in", keys)
      .where("state", "=", "waiting")
      .where("run_at", ">", iso(clock.now()))
      .execute();
    return rows.flatMap(({ id, run_at, reason }) => (reason === null ? [] : { id, reason, runAt: new Date(run_at) }));
  },

  async hasten({ db, clock }, kind) {
    const now = iso(clock.now());
    await db
      .updateTable("jobs")
      .set({ run_at: now })
      .where("state", "=", "waiting")
      .where("kind", "=", kind)
      .where("run_at", ">", now)
      .execute();
  },

  async revive({ db, clock }, ids) {
    const now = iso(clock.now());
    return atomically(db, async (transaction) => {
      if (ids === undefined) return revive(transaction, null, now);
      let revived = 0;
      for (let start = 0; start < ids.length; start += BATCH)
        revived += await revive(transaction, ids.slice(start, start + BATCH), now);
      return revived;
    });
  },
};

/** Of several jobs with the same key, only the newest is revived, and none where a living job already has the key. */
async function revive(db: Kysely<Database>, ids: readonly number[] | null, now: string): Promise<number> {
  const chosen = ids === null ? sql`true` : ids.length === 0 ? sql`false` : sql`id in (${sql.join([...ids])})`;
  await sql`
    delete from jobs where state = 'dead' and ${chosen} and dedupe_key in (
      select dedupe_key from jobs where dedupe_key is not null and state in ('waiting', 'running'))`.execute(db);
  await sql`
    delete from jobs where state = 'dead' and ${chosen} and dedupe_key is not null and id not in (
      select max(id) from jobs where state = 'dead' and ${chosen} group by dedupe_key)`.execute(db);
  const result = await sql`
    update jobs set state = 'waiting', attempt = 0, crashes = 0, run_at = ${now}, reason = null, finished_at = null
    where state = 'dead' and ${chosen}`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
