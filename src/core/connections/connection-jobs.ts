import * as z from "zod";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { JobContext, JobDraft, JobHandler, Repositories } from "../ports.js";
import { type Connection, SYNC_TRIGGERS, type SyncTrigger } from "../types.js";
import { removeItem } from "./import-item.js";
import { removeLeaving } from "./left-documents.js";
import { isDue, isRetryDue, nextSyncOf } from "./schedule.js";
import { isOpen, type RemovalAgreement } from "./sync.js";
import { giveUpSync, syncConnection } from "./sync-connection.js";
import { createNewsJob } from "./tell-owner.js";
import { dropWebhooks } from "./webhooks.js";

/** Concurrent runs of different connections; they mostly wait for others. */
const RUNS_AT_ONCE = 2;
const LONGEST_MS = 30 * 60_000;
const PAGE = 50;
const ATTEMPTS = 5;
const MINUTE_MS = 60_000;
/** How long an agreement to removals is valid: both to specific ones that were asked about, and to whatever a run finds. */
const AGREED_MS = 24 * 60 * MINUTE_MS;
const AGREED_BLINDLY_MS = 60 * MINUTE_MS;
/** Abandoned jobs among which removals are looked for. */
const MOST_DEAD = 1_000;
/** Runs kept per connection. */
const RUNS_KEPT = 100;
/** A sign-in that has not been completed after this long will not be. */
const LONGEST_PENDING_MS = 24 * 60 * MINUTE_MS;

const orderSchema = z.object({
  connectionId: z.string(),
  trigger: z.enum(SYNC_TRIGGERS),
  agreement: z.object({ most: z.number().nullable(), until: z.string() }).nullable().default(null),
});
const removalSchema = z.object({ connectionId: z.string(), keepsDocuments: z.boolean().default(false) });

/** The jobs that keep connections in sync, by kind. */
export function createConnectionJobs(context: CoreContext): Record<string, JobHandler> {
  const sync: JobHandler<z.output<typeof orderSchema>> = {
    schema: orderSchema,
    slots: RUNS_AT_ONCE,
    timeoutMs: LONGEST_MS,
    resumes: true,
    run: (order, job) => syncConnection(context, order, job),
    giveUp: (order, reason) => giveUpSync(context, order, reason),
  };
  const remove: JobHandler<z.output<typeof removalSchema>> = {
    schema: removalSchema,
    slots: 1,
    timeoutMs: LONGEST_MS,
    resumes: true,
    run: (order, job) => removeConnection(context, order, job),
  };
  return { "sync-connection": sync, "remove-connection": remove, "tell-of-connection": createNewsJob(context) };
}

/** Removes a connection in state `removing`, together with its registrations at the source. */
export function removalJob({ id }: Connection, { keepsDocuments = false } = {}): JobDraft {
  return {
    kind: "remove-connection",
    payload: { connectionId: id, keepsDocuments },
    group: `connection:${id}`,
    key: `remove-connection:${id}`,
  };
}

/** Starts a sync of all connections that are due, and drops those that nobody has signed in to. */
export async function syncDueConnections(context: CoreContext): Promise<void> {
  const { store, clock } = context;
  const now = clock.now();
  const all = await store.connections.list(store.organizationId);
  const due = all.filter((connection) => isOpen(connection) && isDue(connection, now));
  const refused = all.filter((connection) => connection.state === "reconnect" && isRetryDue(connection, now));
  for (const connection of refused)
    await store.transaction((repositories) => reopen(repositories, connection, { trigger: "cron", now }));
  for (const connection of due)
    await store.transaction((repositories) => orderSync(repositories, connection, { trigger: "cron", now }));
  await store.connections.dropOldRuns(RUNS_KEPT);
  if (all.some(({ state }) => state === "removing")) await reviveRemovals(context);
  const abandoned = iso(new Date(now.getTime() - LONGEST_PENDING_MS));
  for (const { state, createdAt, id } of all)
    if (state === "pending" && createdAt < abandoned) await store.connections.remove(store.organizationId, id);
  if (due.length + refused.length > 0) context.wakeJobs();
}

/** Retries a refused sign-in once. */
export async function reopen(repositories: Repositories, connection: Connection, order: RunOrder): Promise<void> {
  const { organizationId, id } = connection;
  await repositories.connections.update(organizationId, id, { state: "active" });
  await orderSync(repositories, { ...connection, state: "active" }, order);
}

/** Without this, nothing could remove what such a connection has imported. */
async function reviveRemovals({ store, wakeJobs }: CoreContext): Promise<void> {
  const dead = await store.jobs.dead(MOST_DEAD);
  const removals = dead.filter(({ kind }) => kind === "remove-connection").map(({ id }) => id);
  if (removals.length === 0) return;
  await store.jobs.revive(removals);
  wakeJobs();
}

interface RunOrder {
  readonly trigger: SyncTrigger;
  readonly now: Date;
  /** Its owner agrees to the removals that were asked about, or, if none were, to those of this run. */
  readonly isAgreed?: boolean;
  /** Earliest start, and the reason. */
  readonly gathered?: { readonly runAt: Date; readonly reason: string };
}

/**
 * Orders a run, inside a transaction, unless an equivalent one is waiting; the next automatic one is due an interval later. A
 * run in progress may already have passed what this one is to see, so another one follows it.
 */
export async function orderSync(repositories: Repositories, connection: Connection, order: RunOrder): Promise<void> {
  const { jobs, connections } = repositories;
  const { trigger, now, isAgreed = false, gathered } = order;
  const { organizationId, id } = connection;
  const { kind, group } = runsOf(connection);
  const waiting = await jobs.waiting(kind, group);
  if (waiting.length === 0 || isAgreed) {
    await jobs.drop(waiting.map(({ id: jobId }) => jobId));
    // The delay that the source asked for is respected.
    const [postponed] = waiting.filter(({ attempt }) => attempt === 0);
    const agreement = isAgreed ? agreementTo(await connections.countGone(id), now) : null;
    const payload = { connectionId: id, trigger, agreement };
    const draft: JobDraft = { kind, payload, group, exclusive: true, maxAttempts: ATTEMPTS, ...gathered };
    await jobs.enqueue([postponed ? { ...draft, runAt: postponed.runAt } : draft]);
  } else if (trigger !== "cron") {
    // A manual request does not wait for the automatic retry.
    const failed = waiting.filter(({ attempt }) => attempt > 0).map(({ id: jobId }) => jobId);
    await jobs.hold(failed, now, "It will be retried.");
  }
  if (!gathered) await connections.update(organizationId, id, { nextSyncAt: nextSyncOf(connection, now) });
}

/** Starts a waiting run immediately, inside a transaction: it ends at once if its connection is inactive. */
export async function hastenSync({ jobs }: Repositories, connection: Connection, now: Date): Promise<void> {
  const { kind, group } = runsOf(connection);
  const waiting = await jobs.waiting(kind, group);
  await jobs.hold(
    waiting.map(({ id: jobId }) => jobId),
    now,
    "The connection was changed.",
  );
}

/** The queue for the runs of a connection. */
function runsOf({ id }: Connection): Pick<JobDraft, "kind" | "group"> {
  return { kind: "sync-connection", group: `connection:${id}` };
}

function agreementTo(gone: number, now: Date): RemovalAgreement {
  const isAsked = gone > 0;
  const until = iso(new Date(now.getTime() + (isAsked ? AGREED_MS : AGREED_BLINDLY_MS)));
  return { most: isAsked ? gone : null, until };
}

async function removeConnection(
  context: CoreContext,
  { connectionId: id, keepsDocuments }: z.output<typeof removalSchema>,
  { job, signal }: JobContext,
): Promise<void> {
  const { store } = context;
  const connection = await store.connections.byId(store.organizationId, id);
  if (connection?.state !== "removing") return;
  const isSilent = await dropWebhooks(context, connection);
  while (!keepsDocuments) {
    const some = await store.connections.itemsWithDocuments(id, { after: "", limit: PAGE });
    for (const known of some) {
      signal.throwIfAborted();
      await removeItem(context, connection, known);
    }
    if (some.length < PAGE) break;
  }
  // Nobody could remove them later.
  if (!isSilent && job.attempt < job.maxAttempts)
    throw new AppError("unavailable", "The source could not be reached to remove its webhooks.");
  await store.transaction((repositories) => removeLeaving(context, repositories, connection));
}
