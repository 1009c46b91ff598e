import { type Kysely, sql } from "kysely";
import type { Clock, JobStore, KeyedJob } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows, writeRows } from "./fixed-query.js";
import { createChooser } from "./job-claim.js";
import { DRAFT_COLUMNS, PACKED_JOBS, readJobs, readPayload, draftValues } from "./job-rows.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";
import { atomically } from "./transact.js";

const NUMBERS: readonly string[] = ["exclusive", "max_attempts"];

function valueAt(column: string, place: number): string {
  return NUMBERS.includes(column) ? `cast(value ->> ${place} as bigint)` : `value ->> ${place}`;
}

const LOOK = `select
  exists (select 1 from jobs where state = 'running' and lease_until < ?1) as expired,
  exists (select 1 from jobs where state = 'waiting' and run_at <= ?1) as due`;

const TAKE = `update jobs set state = 'running', worker = ?1, lease_until = ?2, attempt = attempt + 1
  where id in (select cast(value as bigint) from json_each(?3))
    -- The plus keeps SQLite from walking through all waiting jobs for the sake of four ids.
    and +state = 'waiting' returning ${PACKED_JOBS.expression} as job`;

const ENQUEUE = `insert into jobs (${DRAFT_COLUMNS.join(", ")}, state, attempt)
  select ${DRAFT_COLUMNS.map(valueAt).join(", ")}, 'waiting', 0 from json_each(?) where true
  on conflict do nothing`;
/** A step enqueues one mostly, and PostgreSQL takes a list apart for longer than it writes the row. */
const ENQUEUE_ONE = `insert into jobs (${DRAFT_COLUMNS.join(", ")}, state, attempt)
  values (${DRAFT_COLUMNS.map(() => "?").join(", ")}, 'waiting', 0) on conflict do nothing`;

/** The plus leaves the choice of the index, which is one of living jobs, to the keys. */
const WAITING_WITH = `select id, dedupe_key as key from jobs
  where dedupe_key in (select value from json_each(?)) and state in ('waiting', 'running') and +state = 'waiting'`;

const DUE_KINDS = `select wanted.value as kind from json_each(?) wanted where exists (
    select 1 from jobs where state = 'waiting' and kind = wanted.value and run_at <= ?)
  order by cast(wanted.key as bigint)`;

/** Jobs that wait, and how one gets to whoever works on it. */
export function createJobQueue(
  db: Kysely<Database>,
  clock: Clock,
): Pick<
  JobStore,
  "enqueue" | "claim" | "dueKinds" | "reclaim" | "waiting" | "waitingWith" | "hold" | "hastenAfter" | "drop" | "nextDue"
> {
  const choose = createChooser();
  return {
    async enqueue(drafts) {
      const [draft, ...others] = drafts;
      if (!draft) return;
      const now = iso(clock.now());
      if (others.length === 0) await writeRows(db, ENQUEUE_ONE, draftValues(draft, now));
      else await writeRows(db, ENQUEUE, [JSON.stringify(drafts.map((one) => draftValues(one, now)))]);
    },

    async claim(worker, limit, leaseMs, kinds) {
      const now = clock.now();
      // Reads first: in nearly every claim there is nothing to free, and a write would cost a commit.
      const [found] = await readRows<{ expired: number; due: number }>(db, LOOK, [iso(now)]);
      if (found?.expired === 1) await releaseExpired(db, worker, iso(now));
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

    async waitingWith(keys) {
      if (keys.length === 0) return [];
      return readRows<KeyedJob>(db, WAITING_WITH, [listParameter(keys)]);
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

function isAmong(ids: readonly number[]) {
  return sql`id in (select cast(value as bigint) from json_each(${listParameter(ids)}))`;
}

/** Whoever asks is alive, and has slept at most; others that were not heard of have crashed, as far as can be told. */
async function releaseExpired(db: Kysely<Database>, asking: string, now: string): Promise<void> {
  const ofOthers = sql<number>`case when worker = ${asking} then 0 else 1 end`;
  await db
    .updateTable("jobs")
    .set({
      state: "waiting",
      worker: null,
      lease_until: null,
      attempt: sql`attempt - ${ofOthers}`,
      crashes: sql`crashes + ${ofOthers}`,
    })
    .where("state", "=", "running")
    .where("lease_until", "<", now)
    .execute();
}
