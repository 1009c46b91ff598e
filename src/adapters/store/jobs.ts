import type { Kysely } from "kysely";
import type { Clock, JobStore } from "../../core/ports.js";
import { createChooser } from "./job-claim.js";
import { LEASE_METHODS } from "./job-leases.js";
import { OVERVIEW_METHODS } from "./job-overview.js";
import { type JobContext, QUEUE_METHODS } from "./job-queue.js";
import { RECURRING_METHODS } from "./recurring-runs.js";
import { repositoryOf } from "./repository.js";
import type { Database } from "./schema.js";

const systemClock: Clock = { now: () => new Date() };

const jobStore = repositoryOf<JobStore, JobContext>({
  ...QUEUE_METHODS,
  ...LEASE_METHODS,
  ...OVERVIEW_METHODS,
  ...RECURRING_METHODS,
});

/** The record's jobs and the times of recurring work. Inside a transaction, pass that transaction. */
export function createJobStore(db: Kysely<Database>, clock: Clock = systemClock): JobStore {
  return jobStore({ db, clock, choose: createChooser() });
}
