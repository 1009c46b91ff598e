import type { Kysely } from "kysely";
import type { JobStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows } from "./fixed-query.js";
import { DRAFT_COLUMNS, PACKED_JOBS, readJobs, draftValues } from "./job-rows.js";
import { leaseMoment } from "./lease-time.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const extend = (until: string): string =>
  `update jobs set lease_until = ${until} where id = ?2 and worker = ?3 and state = 'running' returning id`;

const replace = (
  until: string,
): string => `update jobs set ${DRAFT_COLUMNS.map((column) => `${column} = ?`).join(", ")}, attempt = 1, crashes = 0,
  lease_until = ${until}
  where id = ? and worker = ? and state = 'running' and not exists (select 1 from jobs other
    where other.dedupe_key = ? and other.id <> jobs.id and other.state in ('waiting', 'running'))
  returning ${PACKED_JOBS.expression} as job`;

const DELETE_HELD = "delete from jobs where id = ? and worker = ? and state = 'running' returning id";

type JobLeases = Pick<JobStore, "extend" | "complete" | "replace" | "release" | "bury">;

/** What a worker does with the job it holds; has no effect once another worker holds it. */
export const LEASE_METHODS: RepositoryMethods<JobLeases, StoreContext> = {
  complete: ({ db }, ...parameters) => complete(db, ...parameters),

  async extend(context, worker, jobId, leaseMs) {
    const until = leaseMoment(context, leaseMs);
    return (await readRows(context.db, extend(until.at("?1")), [until.value, jobId, worker])).length > 0;
  },

  async replace(context, worker, jobId, draft, leaseMs) {
    const { db, clock } = context;
    const until = leaseMoment(context, leaseMs);
    const [taken] = await readJobs(db, replace(until.at("?")), [
      ...draftValues(draft, iso(clock.now())),
      until.value,
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
