import { sql } from "kysely";
import type { JobStore, KeyedJob } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows, writeRows } from "./fixed-query.js";
import type { Chooser } from "./job-claim.js";
import { DRAFT_COLUMNS, PACKED_JOBS, readJobs, readPayload, draftValues } from "./job-rows.js";
import { listParameter } from "./json.js";
import { leaseMoment } from "./lease-time.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import { atomically } from "./transact.js";

const NUMBERS: readonly string[] = ["exclusive", "max_attempts"];

function valueAt(column: string, place: number): string {
  return NUMBERS.includes(column) ? `cast(value ->> ${place} as bigint)` : `value ->> ${place}`;
}

const look = (leaseNow: string): string => `select
  exists (select 1 from jobs where state = 'running' and lease_until < ${leaseNow}) as expired,
  exists (select 1 from jobs where state = 'waiting' and run_at <= ?1) as due`;

const take = (until: string): string => `update jobs
  set state = 'running', worker = ?1, lease_until = ${until}, attempt = attempt + 1
  where id in (select cast(value as bigint) from json_each(?3))
    -- The plus keeps SQLite from walking through all waiting jobs for the sake of four ids.
    and +state = 'waiting' returning ${PACKED_JOBS.expression} as job`;

/**
 * The worker that asks is alive and was at most suspended; others that have gone silent count as crashed. The list has the jobs
 * that it is still running.
 */
const releaseExpired = (
  leaseNow: string,
): string => `update jobs set state = 'waiting', worker = null, lease_until = null,
    attempt = attempt - case when worker = ?1 then 0 else 1 end,
    crashes = crashes + case when worker = ?1 then 0 else 1 end
  where state = 'running' and lease_until < ${leaseNow}
    and not (worker = ?1 and id in (select cast(value as bigint) from json_each(?2)))`;

const ENQUEUE = `insert into jobs (${DRAFT_COLUMNS.join(", ")}, state, attempt)
  select ${DRAFT_COLUMNS.map(valueAt).join(", ")}, 'waiting', 0 from json_each(?) where true
  on conflict do nothing`;
/** A step usually enqueues one job, and unpacking a list takes PostgreSQL longer than writing the row. */
const ENQUEUE_ONE = `insert into jobs (${DRAFT_COLUMNS.join(", ")}, state, attempt)
  values (${DRAFT_COLUMNS.map(() => "?").join(", ")}, 'waiting', 0) on conflict do nothing`;

/** The plus leaves the choice of index to the keys, whose index covers living jobs. */
const WAITING_WITH = `select id, dedupe_key as key from jobs
  where dedupe_key in (select value from json_each(?)) and state in ('waiting', 'running') and +state = 'waiting'`;

const DUE_KINDS = `select wanted.value as kind from json_each(?) wanted where exists (
    select 1 from jobs where state = 'waiting' and kind = wanted.value and run_at <= ?)
  order by cast(wanted.key as bigint)`;

/** What taking a job needs: where, when, and whose turn it is. */
export interface JobContext extends StoreContext {
  readonly choose: Chooser;
}

type JobQueue = Pick<
  JobStore,
  "enqueue" | "claim" | "dueKinds" | "reclaim" | "waiting" | "waitingWith" | "hold" | "hastenAfter" | "drop" | "nextDue"
>;

/** Waiting jobs, and how they reach a worker. */
export const QUEUE_METHODS: RepositoryMethods<JobQueue, JobContext> = {
  async enqueue({ db, clock }, drafts) {
    const [draft, ...others] = drafts;
    if (!draft) return;
    const now = iso(clock.now());
    if (others.length === 0) await writeRows(db, ENQUEUE_ONE, draftValues(draft, now));
    else await writeRows(db, ENQUEUE, [JSON.stringify(drafts.map((one) => draftValues(one, now)))]);
  },

  async claim(context, worker, limit, leaseMs, kinds) {
    const { db, clock, choose } = context;
    const now = iso(clock.now());
    const [leaseNow, until] = [leaseMoment(context), leaseMoment(context, leaseMs)];
    // Reads first: nearly every claim has nothing to release, and a write would cost a commit.
    const looked = [now, leaseNow.value];
    const [found] = await readRows<{ expired: number; due: number }>(db, look(leaseNow.at("?2")), looked);
    if (found?.expired === 1) {
      const running = listParameter(kinds?.running ?? []);
      await writeRows(db, releaseExpired(leaseNow.at("?3")), [worker, running, leaseNow.value]);
    }
    if (limit < 1 || (found?.due !== 1 && found?.expired !== 1)) return [];
    return atomically(db, async (transaction) => {
      const ids = await choose(transaction, now, limit, kinds);
      if (ids.length === 0) return [];
      const taken = await readJobs(transaction, take(until.at("?2")), [worker, until.value, listParameter(ids)]);
      return taken.toSorted((left, right) => ids.indexOf(left.id) - ids.indexOf(right.id));
    });
  },

  async dueKinds({ db, clock }, kinds) {
    const rows = await readRows<{ kind: string }>(db, DUE_KINDS, [listParameter(kinds), iso(clock.now())]);
    return rows.map(({ kind }) => kind);
  },

  async reclaim({ db }) {
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

  async waiting({ db }, kind, group) {
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

  async waitingWith({ db }, keys) {
    if (keys.length === 0) return [];
    return readRows<KeyedJob>(db, WAITING_WITH, [listParameter(keys)]);
  },

  async hold({ db }, ids, runAt, reason) {
    await sql`update jobs set run_at = ${iso(runAt)}, reason = ${reason} where state = 'waiting' and ${isAmong(ids)}`.execute(
      db,
    );
  },

  async hastenAfter({ db, clock }, latest) {
    const result = await db
      .updateTable("jobs")
      .set({ run_at: iso(clock.now()) })
      .where("state", "=", "waiting")
      .where("run_at", ">", iso(latest))
      .executeTakeFirst();
    return Number(result.numUpdatedRows);
  },

  async drop({ db }, ids) {
    await sql`delete from jobs where state = 'waiting' and ${isAmong(ids)}`.execute(db);
  },

  async nextDue({ db }) {
    const { rows } = await sql<{ run_at: string }>`
      select run_at from jobs where state = 'waiting' order by run_at limit 1`.execute(db);
    return rows[0] ? new Date(rows[0].run_at) : null;
  },
};

function isAmong(ids: readonly number[]) {
  return sql`id in (select cast(value as bigint) from json_each(${listParameter(ids)}))`;
}
