import * as z from "zod";
import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import type { JobDraft, JobHandler, Repositories } from "../ports.js";
import { type Connection, SYNC_TRIGGERS, type SyncTrigger } from "../types.js";
import { removeItem } from "./bring-in.js";
import { isDue, nextSyncOf } from "./schedule.js";
import { isOpen } from "./sync.js";
import { syncConnection } from "./sync-connection.js";
import { createNewsJob } from "./tell-owner.js";
import { dropWebhooks } from "./webhooks.js";

/** Runs of different connections at once; they wait for others most of the time. */
const RUNS_AT_ONCE = 2;
const LONGEST_MS = 30 * 60_000;
const PAGE = 50;
const ATTEMPTS = 5;
const MINUTE_MS = 60_000;
/** Of each connection. */
const RUNS_KEPT = 100;
/** A sign-in that nobody has ended after so long will not be. */
const LONGEST_PENDING_MS = 24 * 60 * MINUTE_MS;

const orderSchema = z.object({
  connectionId: z.string(),
  trigger: z.enum(SYNC_TRIGGERS),
  mayRemoveMany: z.boolean(),
});
const removalSchema = z.object({ connectionId: z.string(), keepsDocuments: z.boolean().default(false) });

/** The jobs that keep connections in step, by their kinds. */
export function createConnectionJobs(context: CoreContext): Record<string, JobHandler> {
  const sync: JobHandler<z.output<typeof orderSchema>> = {
    schema: orderSchema,
    slots: RUNS_AT_ONCE,
    timeoutMs: LONGEST_MS,
    resumes: true,
    run: (order, job) => syncConnection(context, order, job),
  };
  const remove: JobHandler<z.output<typeof removalSchema>> = {
    schema: removalSchema,
    slots: 1,
    timeoutMs: LONGEST_MS,
    resumes: true,
    run: (order, { signal }) => removeConnection(context, order, signal),
  };
  return { "sync-connection": sync, "remove-connection": remove, "tell-of-connection": createNewsJob(context) };
}

/** Removes a connection that is `removing`, with what its source knows of it. */
export function removalJob({ id }: Connection, { keepsDocuments = false } = {}): JobDraft {
  return {
    kind: "remove-connection",
    payload: { connectionId: id, keepsDocuments },
    group: `connection:${id}`,
    key: `remove-connection:${id}`,
  };
}

/** Has all connections synced that are due, and drops those that nobody has signed in to. */
export async function syncDueConnections(context: CoreContext): Promise<void> {
  const { store, clock } = context;
  const now = clock.now();
  const all = await store.connections.list(store.organizationId);
  const due = all.filter((connection) => isOpen(connection) && isDue(connection, now));
  for (const connection of due)
    await store.transaction((repositories) => orderSync(repositories, connection, { trigger: "cron", now }));
  await store.connections.dropOldRuns(RUNS_KEPT);
  const abandoned = iso(new Date(now.getTime() - LONGEST_PENDING_MS));
  for (const { state, createdAt, id } of all)
    if (state === "pending" && createdAt < abandoned) await store.connections.remove(store.organizationId, id);
  if (due.length > 0) context.wakeJobs();
}

interface RunOrder {
  readonly trigger: SyncTrigger;
  readonly now: Date;
  /** Its owner agrees to whatever is to be removed. */
  readonly mayRemoveMany?: boolean;
  /** Not before this moment, and why. */
  readonly gathered?: { readonly runAt: Date; readonly reason: string };
}

/**
 * Orders a run, inside a transaction, unless one waits that does the same; the next one by itself is due an interval later.
 * A run that goes on may have passed what this one is to see, so that another one follows it.
 */
export async function orderSync(repositories: Repositories, connection: Connection, order: RunOrder): Promise<void> {
  const { jobs, connections } = repositories;
  const { trigger, now, mayRemoveMany = false, gathered } = order;
  const { organizationId, id } = connection;
  const [kind, group] = ["sync-connection", `connection:${id}`];
  const waiting = await jobs.waiting(kind, group);
  if (waiting.length === 0 || (mayRemoveMany && !waiting.some(isAgreed))) {
    await jobs.drop(waiting.map(({ id: jobId }) => jobId));
    // What the source asked for is heeded.
    const [postponed] = waiting.filter(({ attempt }) => attempt === 0);
    const payload = { connectionId: id, trigger, mayRemoveMany };
    const draft: JobDraft = { kind, payload, group, exclusive: true, maxAttempts: ATTEMPTS, ...gathered };
    await jobs.enqueue([postponed ? { ...draft, runAt: postponed.runAt } : draft]);
  } else if (trigger !== "cron") {
    // Whoever asks does not wait until what failed is tried again by itself.
    const failed = waiting.filter(({ attempt }) => attempt > 0).map(({ id: jobId }) => jobId);
    await jobs.hold(failed, now, "It is tried again.");
  }
  if (!gathered) await connections.update(organizationId, id, { nextSyncAt: nextSyncOf(connection, now) });
}

function isAgreed({ payload }: { readonly payload: unknown }): boolean {
  return orderSchema.safeParse(payload).data?.mayRemoveMany === true;
}

async function removeConnection(
  context: CoreContext,
  { connectionId: id, keepsDocuments }: z.output<typeof removalSchema>,
  signal: AbortSignal,
): Promise<void> {
  const { store } = context;
  const connection = await store.connections.byId(store.organizationId, id);
  if (connection?.state !== "removing") return;
  await dropWebhooks(context, connection);
  while (!keepsDocuments) {
    const some = await store.connections.itemsWithDocuments(id, { after: "", limit: PAGE });
    for (const known of some) {
      signal.throwIfAborted();
      await removeItem(context, connection, known);
    }
    if (some.length < PAGE) break;
  }
  await store.connections.remove(store.organizationId, id);
}
