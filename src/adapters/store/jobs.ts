import { type Kysely, type Selectable, sql } from "kysely";
import { GAVE_UP, READING_KINDS } from "../../core/given-up.js";
import type { Clock, DeadJob, Job, JobDraft, JobStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows, type Value } from "./fixed-query.js";
import { createChooser } from "./job-claim.js";
import { listParameter } from "./json.js";
import { columnsOfTable, packedRows } from "./packed-rows.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

const DEFAULT_MAX_ATTEMPTS = 8;
/** Keeps a statement below the number of parameters that SQLite allows. */
const BATCH = 500;

const COLUMNS = [
  "kind",
  "payload",
  "group_key",
  "dedupe_key",
  "exclusive",
  "run_at",
  "max_attempts",
  "reason",
  "created_at",
] as const;

const NUMBERS: readonly string[] = ["exclusive", "max_attempts"];

function valueAt(column: string, place: number): string {
  return NUMBERS.includes(column) ? `cast(value ->> ${place} as bigint)` : `value ->> ${place}`;
}

const LOOK = `select
  exists (select 1 from jobs where state = 'running' and lease_until < ?1) as expired,
  exists (select 1 from jobs where state = 'waiting' and run_at <= ?1) as due`;

const JOBS = packedRows<JobRow>(
  columnsOfTable("jobs", [
    "id",
    "kind",
    "payload",
    "group_key",
    "exclusive",
    "attempt",
    "max_attempts",
    "run_at",
    "crashes",
  ]),
);

const TAKE = `update jobs set state = 'running', worker = ?1, lease_until = ?2, attempt = attempt + 1
  where id in (select cast(value as bigint) from json_each(?3))
    -- The plus keeps SQLite from walking through all waiting jobs for the sake of four ids.
    and +state = 'waiting' returning ${JOBS.expression} as job`;

const ENQUEUE = `insert into jobs (${COLUMNS.join(", ")}, state, attempt)
  select ${COLUMNS.map(valueAt).join(", ")}, 'waiting', 0 from json_each(?) where true
  on conflict do nothing`;

const REPLACE = `update jobs set ${COLUMNS.map((column) => `${column} = ?`).join(", ")}, attempt = 1, crashes = 0,
  lease_until = ?
  where id = ? and worker = ? and state = 'running' and not exists (select 1 from jobs other
    where other.dedupe_key = ? and other.id <> jobs.id and other.state in ('waiting', 'running'))
  returning ${JOBS.expression} as job`;

const DELETE_HELD = "delete from jobs where id = ? and worker = ? and state = 'running' returning id";

const DUE_KINDS = `select wanted.value as kind from json_each(?) wanted where exists (
    select 1 from jobs where state = 'waiting' and kind = wanted.value and run_at <= ?)
  order by cast(wanted.key as bigint)`;

const systemClock: Clock = { now: () => new Date() };

/** Jobs and times of recurring work in the record. Inside a transaction pass that transaction. */
export function createJobStore(db: Kysely<Database>, clock: Clock = systemClock): JobStore {
  return { ...createQueue(db, clock), ...createLeases(db, clock), ...createOverview(db, clock), ...createRuns(db) };
}

function createQueue(
  db: Kysely<Database>,
  clock: Clock,
): Pick<
  JobStore,
  "enqueue" | "claim" | "dueKinds" | "reclaim" | "waiting" | "hold" | "hastenAfter" | "drop" | "nextDue"
> {
  const choose = createChooser();
  return {
    async enqueue(drafts) {
      if (drafts.length === 0) return;
      const now = iso(clock.now());
      await readRows(db, ENQUEUE, [JSON.stringify(drafts.map((draft) => valuesOf(draft, now)))]);
    },

    async claim(worker, limit, leaseMs, kinds) {
      const now = clock.now();
      // Reads first: in nearly every claim there is nothing to free, and a write would cost a commit.
      const [found] = await readRows<{ expired: number; due: number }>(db, LOOK, [iso(now)]);
      if (found?.expired === 1) await releaseExpired(db, iso(now));
      if (limit < 1 || (found?.due !== 1 && found?.expired !== 1)) return [];
      return atomically(db, async (transaction) => {
        const ids = await choose(transaction, iso(now), limit, kinds);
        if (ids.length === 0) return [];
        const until = iso(new Date(now.getTime() + leaseMs));
        const taken = await readJobs(transaction, TAKE, [worker, until, listParameter(ids)]);
        return taken.toSorted((left, right) => ids.indexOf(left.id) - ids.indexOf(right.id));
      });
    },

    async dueKinds(kinds) {
      const rows = await readRows<{ kind: string }>(db, DUE_KINDS, [listParameter(kinds), iso(clock.now())]);
      return rows.map(({ kind }) => kind);
    },

    async reclaim() {
      const freed = await db
        .updateTable("jobs")
        .set((expression) => ({
          state: "waiting",
          worker: null,
          lease_until: null,
          attempt: expression("attempt", "-", 1),
          crashes: expression("crashes", "+", 1),
        }))
        .where("state", "=", "running")
        .executeTakeFirst();
      return Number(freed.numUpdatedRows);
    },

    async waiting(kind, group) {
      const rows = await db
        .selectFrom("jobs")
        .select(["id", "payload", "attempt", "run_at"])
        .where("state", "=", "waiting")
        .where("group_key", "=", group)
        .where("kind", "=", kind)
        .orderBy("run_at")
        .orderBy("id")
        .execute();
      return rows.map(({ id, payload, attempt, run_at }) => ({
        id,
        attempt,
        runAt: new Date(run_at),
        payload: readPayload(payload),
      }));
    },

    async hold(ids, runAt, reason) {
      await sql`update jobs set run_at = ${iso(runAt)}, reason = ${reason} where state = 'waiting' and ${isAmong(ids)}`.execute(
        db,
      );
    },

    async hastenAfter(latest) {
      const result = await db
        .updateTable("jobs")
        .set({ run_at: iso(clock.now()) })
        .where("state", "=", "waiting")
        .where("run_at", ">", iso(latest))
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    async drop(ids) {
      await sql`delete from jobs where state = 'waiting' and ${isAmong(ids)}`.execute(db);
    },

    async nextDue() {
      const { rows } = await sql<{ run_at: string }>`
        select run_at from jobs where state = 'waiting' order by run_at limit 1`.execute(db);
      return rows[0] ? new Date(rows[0].run_at) : null;
    },
  };
}

function createLeases(
  db: Kysely<Database>,
  clock: Clock,
): Pick<JobStore, "extend" | "complete" | "replace" | "release" | "bury"> {
  async function complete(worker: string, jobId: number): Promise<boolean> {
    return (await readRows(db, DELETE_HELD, [jobId, worker])).length > 0;
  }

  return {
    complete,

    async extend(worker, jobId, leaseMs) {
      const result = await held(db, worker, jobId)
        .set({ lease_until: iso(new Date(clock.now().getTime() + leaseMs)) })
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async replace(worker, jobId, draft, leaseMs) {
      const now = clock.now();
      const until = iso(new Date(now.getTime() + leaseMs));
      const [taken] = await readJobs(db, REPLACE, [
        ...valuesOf(draft, iso(now)),
        until,
        jobId,
        worker,
        draft.key ?? null,
      ]);
      if (taken) return taken;
      return (await complete(worker, jobId)) ? null : "gone";
    },

    async release(worker, jobId, { runAt, failed, reason }) {
      await held(db, worker, jobId)
        .set((expression) => ({
          state: "waiting",
          worker: null,
          lease_until: null,
          run_at: iso(runAt),
          reason,
          crashes: 0,
          attempt: failed ? expression.ref("attempt") : expression("attempt", "-", 1),
        }))
        .execute();
    },

    async bury(worker, jobId, reason) {
      await held(db, worker, jobId)
        .set({ state: "dead", worker: null, lease_until: null, reason, finished_at: iso(clock.now()) })
        .execute();
    },
  };
}

function createOverview(
  db: Kysely<Database>,
  clock: Clock,
): Pick<
  JobStore,
  "counts" | "countOf" | "dead" | "unreadable" | "reasonOf" | "putOff" | "dropDead" | "hasten" | "revive"
> {
  return {
    async counts() {
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

    async countOf(kind) {
      const row = await db
        .selectFrom("jobs")
        .select(sql<number>`count(*)`.as("count"))
        .where("state", "in", ["waiting", "running"])
        .where("kind", "=", kind)
        .executeTakeFirstOrThrow();
      return row.count;
    },

    async dropDead(subject) {
      const result = await db
        .deleteFrom("jobs")
        .where("state", "=", "dead")
        .where(sql<boolean>`instr(dedupe_key, ${`:${subject}:`}) > 0`)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },

    async dead(limit) {
      const rows = await db
        .selectFrom("jobs")
        .select(["id", "kind", "payload", "group_key", "reason", "finished_at", "created_at"])
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
        diedAt: row.finished_at ?? row.created_at,
      }));
    },

    async unreadable() {
      const row = await db
        .selectFrom("jobs")
        .select(sql<number>`count(*)`.as("count"))
        .where("state", "=", "dead")
        .where("kind", "in", READING_KINDS)
        .where("reason", "not like", `${GAVE_UP}%`)
        .executeTakeFirstOrThrow();
      return row.count;
    },

    async reasonOf(key) {
      const row = await db
        .selectFrom("jobs")
        .select("reason")
        .where("dedupe_key", "=", key)
        .where("state", "in", ["waiting", "running"])
        .executeTakeFirst();
      return row?.reason ?? null;
    },

    async putOff(keys) {
      const rows = await db
        .selectFrom("jobs")
        .select(["id", "run_at", "reason"])
        .where("dedupe_key", "in", keys)
        .where("state", "=", "waiting")
        .where("run_at", ">", iso(clock.now()))
        .execute();
      return rows.flatMap(({ id, run_at, reason }) => (reason === null ? [] : { id, reason, runAt: new Date(run_at) }));
    },

    async hasten(kind) {
      const now = iso(clock.now());
      await db
        .updateTable("jobs")
        .set({ run_at: now })
        .where("state", "=", "waiting")
        .where("kind", "=", kind)
        .where("run_at", ">", now)
        .execute();
    },

    async revive(ids) {
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
}

function createRuns(db: Kysely<Database>): Pick<JobStore, "lastRun" | "setLastRun" | "takeRun"> {
  return {
    async lastRun(name) {
      const row = await db.selectFrom("schedules").select("last_run_at").where("name", "=", name).executeTakeFirst();
      return row ? new Date(row.last_run_at) : null;
    },

    async setLastRun(name, at) {
      const last_run_at = iso(at);
      await db
        .insertInto("schedules")
        .values({ name, last_run_at })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_run_at }))
        .execute();
    },

    async takeRun(name, { known, at }) {
      const { numUpdatedRows } = await db
        .updateTable("schedules")
        .set({ last_run_at: iso(at) })
        .where("name", "=", name)
        .where("last_run_at", "=", iso(known))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/** An update of a job that only counts while this worker has it. */
function held(db: Kysely<Database>, worker: string, jobId: number) {
  return db.updateTable("jobs").where("id", "=", jobId).where("worker", "=", worker).where("state", "=", "running");
}

function isAmong(ids: readonly number[]) {
  return sql`id in (select cast(value as bigint) from json_each(${listParameter(ids)}))`;
}

async function releaseExpired(db: Kysely<Database>, now: string): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ state: "waiting", worker: null, lease_until: null })
    .where("state", "=", "running")
    .where("lease_until", "<", now)
    .execute();
}

async function readJobs(db: Kysely<Database>, statement: string, parameters: readonly Value[]): Promise<Job[]> {
  const rows = await readRows<{ job: string }>(db, statement, parameters);
  return rows.map(({ job }) => toJob(JOBS.unpack(job)));
}

/** Of the jobs with one key only the newest comes back, and none where a living job has the key already. */
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

/** What `COLUMNS` are of a draft. */
function valuesOf(draft: JobDraft, now: string): (string | number | null)[] {
  return [
    draft.kind,
    JSON.stringify(draft.payload ?? null),
    draft.group,
    draft.key ?? null,
    draft.exclusive ? 1 : 0,
    draft.runAt ? iso(draft.runAt) : now,
    draft.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    draft.reason ?? null,
    now,
  ];
}

/** What is read of a job that is taken. */
type JobRow = Pick<
  Selectable<Database["jobs"]>,
  "id" | "kind" | "payload" | "group_key" | "exclusive" | "attempt" | "max_attempts" | "run_at" | "crashes"
>;

function toJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    payload: readPayload(row.payload),
    group: row.group_key,
    exclusive: row.exclusive === 1,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    crashes: row.crashes,
    runAt: new Date(row.run_at),
  };
}

/** A payload that is not JSON reaches the handler as text and is refused there, by name, instead of stopping a claim. */
function readPayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
