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
const removalSchema = z.object({ connectionId: z.string() });

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
    run: ({ connectionId }, { signal }) => removeWithDocuments(context, connectionId, signal),
  };
  return { "sync-connection": sync, "remove-connection": remove, "tell-of-connection": createNewsJob(context) };
}

/** Has a connection synced, unless a run waits or goes on already. */
export function syncJob(connection: Connection, trigger: SyncTrigger, mayRemoveMany = false): JobDraft {
  return {
    kind: "sync-connection",
    payload: { connectionId: connection.id, trigger, mayRemoveMany },
    group: `connection:${connection.id}`,
    key: `sync-connection:${connection.id}`,
    exclusive: true,
    maxAttempts: ATTEMPTS,
  };
}

export function removalJob({ id }: Connection): JobDraft {
  return {
    kind: "remove-connection",
    payload: { connectionId: id },
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

/** Orders a run, inside a transaction; the next one by itself is due an interval later. */
export async function orderSync(
  { jobs, connections }: Repositories,
  connection: Connection,
  { trigger, now, mayRemoveMany = false }: { trigger: SyncTrigger; now: Date; mayRemoveMany?: boolean },
): Promise<void> {
  const { organizationId, id } = connection;
  const job = syncJob(connection, trigger, mayRemoveMany);
  await jobs.enqueue([job]);
  // Whoever asks does not wait until what failed is tried again by itself; what the source asked for is heeded.
  if (trigger !== "cron") {
    const failed = (await jobs.waiting(job.kind, job.group)).filter(({ attempt }) => attempt > 0);
    await jobs.hold(
      failed.map(({ id: jobId }) => jobId),
      now,
      "It is tried again.",
    );
  }
  await connections.update(organizationId, id, { nextSyncAt: nextSyncOf(connection, now) });
}

async function removeWithDocuments(context: CoreContext, id: string, signal: AbortSignal): Promise<void> {
  const { store } = context;
  const connection = await store.connections.byId(store.organizationId, id);
  if (connection?.state !== "removing") return;
  for (;;) {
    const some = await store.connections.itemsWithDocuments(id, { after: "", limit: PAGE });
    for (const known of some) {
      signal.throwIfAborted();
      await removeItem(context, connection, known);
    }
    if (some.length < PAGE) break;
  }
  await store.connections.remove(store.organizationId, id);
}
