import { createExpiryWarnings } from "./core/access/expiring-keys.js";
import { syncDueConnections } from "./core/connections/connection-jobs.js";
import { renewWebhooks } from "./core/connections/webhooks.js";
import type { CoreContext } from "./core/context.js";
import { removeFailed } from "./core/documents/failed-documents.js";
import { maintainEmbedders } from "./core/embeddings/open.js";
import { MISSING_JOB } from "./core/embeddings/roles.js";
import { createSummariser } from "./core/profile/summarise.js";
import { cleanUp, forgetExpired } from "./core/upkeep/upkeep.js";
import { createSchedule, type Schedule } from "./jobs/schedule.js";

const PROFILES_SUMMED_UP_MINUTES = 15;
const KEYS_LOOKED_AT_MINUTES = 30;
/** No job waits for longer than a day. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

interface RecurringWork {
  readonly context: CoreContext;
  /** How long failed documents stay in lists. */
  readonly keepFailedMinutes: number;
  /** Retries what a model could not be asked about. */
  readonly retryModel: () => Promise<void>;
}

/** All work that a service repeats by the clock. Nothing runs before it is started. */
export function createRecurringWork({ context, keepFailedMinutes, retryModel }: RecurringWork): Schedule {
  const { store, clock, log, model } = context;
  const schedule = createSchedule({ runs: store.jobs, clock, log, isShared: context.about.hasSeveralNodes });
  schedule.every("forget expired memories", { minutes: 1 }, (signal) => forgetExpired(context, signal));
  schedule.every("remove failed documents", { minutes: 1 }, (signal) =>
    removeFailed(context, keepFailedMinutes, signal),
  );
  if (model) {
    schedule.every("read again with the language model", { minutes: 1 }, retryModel);
    schedule.every("sum up profiles", { minutes: PROFILES_SUMMED_UP_MINUTES }, createSummariser({ ...context, model }));
  }
  schedule.every("warn of expiring keys", { minutes: KEYS_LOOKED_AT_MINUTES }, createExpiryWarnings(context));
  schedule.every("sync connections", { minutes: 1 }, () => syncDueConnections(context));
  schedule.every("make due what a wrong clock put off", { minutes: 1 }, () => hastenJobs(context));
  schedule.every("renew webhooks", { minutes: 10 }, () => renewWebhooks(context));
  schedule.every("look for missing vectors", { minutes: 60 }, () => lookForMissingVectors(context));
  addWorkOfProcess(schedule, context);
  return schedule;
}

/** Work that each process does for itself, even when several share a store. */
function addWorkOfProcess(schedule: Schedule, context: CoreContext): void {
  const learn = (signal: AbortSignal) => context.calibrations.learn(context.embedders.active(), signal);
  const verify = (signal: AbortSignal) => context.vectors.verify(signal).then(() => undefined);
  schedule.every("look after embedders", { minutes: 1 }, () => maintainEmbedders(context), "process");
  schedule.every("learn from stored vectors", { minutes: 60 }, learn, "process");
  schedule.every("clean up", { minutes: 60 }, (signal) => cleanUp(context, signal), "process");
  schedule.every("verify vectors", { minutes: 360 }, verify, "process");
}

async function hastenJobs({ store, clock, wakeJobs }: CoreContext): Promise<void> {
  const latest = new Date(clock.now().getTime() + LONGEST_WAIT_MS);
  if ((await store.jobs.hastenAfter(latest)) > 0) wakeJobs();
}

async function lookForMissingVectors({ store, wakeJobs }: CoreContext): Promise<void> {
  await store.jobs.enqueue([MISSING_JOB]);
  wakeJobs();
}
