import type { Kysely } from "kysely";
import type { Clock, JobStore } from "../../core/ports.js";
import { createJobLeases } from "./job-leases.js";
import { createJobOverview } from "./job-overview.js";
import { createJobQueue } from "./job-queue.js";
import { createRecurringRuns } from "./recurring-runs.js";
import type { Database } from "./schema.js";

const systemClock: Clock = { now: () => new Date() };

/** Jobs and times of recurring work in the record. Inside a transaction pass that transaction. */
export function createJobStore(db: Kysely<Database>, clock: Clock = systemClock): JobStore {
  return {
    ...createJobQueue(db, clock),
    ...createJobLeases(db, clock),
    ...createJobOverview(db, clock),
    ...createRecurringRuns(db),
  };
}
