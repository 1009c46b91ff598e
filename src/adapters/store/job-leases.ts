import type { Kysely } from "kysely";
import type { JobStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows } from "./fixed-query.js";
import { DRAFT_COLUMNS, PACKED_JOBS, readJobs, draftValues } from "./job-rows.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const REPLACE = `update jobs set ${DRAFT_COLUMNS.map((column) => `${column} = ?`).join(", ")}, attempt = 1, crashes = 0,
  lease_until = ?
  where id = ? and worker = ? and state = 'running' and not exists (select 1 from jobs other
    where other.dedupe_key = ? and other.id <> jobs.id and other.state in ('waiting', 'running'))
  returning ${PACKED_JOBS.expression} as job`;

const DELETE_HELD = "delete from jobs where id = ? and worker = ? and state = 'running' returning id";

type JobLeases = Pick<JobStore, "extend" | "complete" | "replace" | "release" | "bury">;

/** What a worker does with the job it holds; has no effect once another worker holds it. */
export const LEASE_METHODS: RepositoryMethods<JobLeases, StoreContext> = {
  complete: ({ db }, ...parameters) => complete(db, ...parameters),

  async extend({ db, clock }, worker, jobId, leaseMs) {
    const result = await held(db, worker, jobId)
      .set({ lease_until: iso(new Date(clock.now().getTime() + leaseMs)) })
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  },

  async replace({ db, clock }, worker, jobId, draft, leaseMs) {
    const now = clock.now();
    const until = iso(new Date(now.getTime() + leaseMs));
    const [taken] = await readJobs(db, REPLACE, [
      ...draftValues(draft, iso(now)),
      until,
      jobId,
      worker,
      draft.key ?? null,
    ]);
    if (taken) return taken;
    return (await complete(db, worker, jobId)) ? null : "gone";
  },

  async release({ db }, worker, jobId, { runAt, failed, reason }) {
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

  async bury({ db, clock }, worker, jobId, reason) {
    await held(db, worker, jobId)
      .set({ state: "dead", worker: null, lease_until: null, reason, finished_at: iso(clock.now()) })
      .execute();
  },
};

async function complete(db: Kysely<Database>, worker: string, jobId: number): Promise<boolean> {
  return (await readRows(db, DELETE_HELD, [jobId, worker])).length > 0;
}

/** An update of a job that takes effect only while this worker holds it. */
function held(db: Kysely<Database>, worker: string, jobId: number) {
  return db.updateTable("jobs").where("id", "=", jobId).where("worker", "=", worker).where("state", "=", "running");
}
