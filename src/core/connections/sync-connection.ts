import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError, RetryLater, UnreadableSecret } from "../errors.js";
import type { ChangePage, JobContext } from "../ports.js";
import type { Connection, SyncTrigger } from "../types.js";
import { CheckpointExpired, SignInRefused } from "./connector-errors.js";
import { applyPage, importWaiting, noteAbsent, retryFailed } from "./apply-page.js";
import { giveWay, requireRoom, SOON, waitForImports } from "./give-way.js";
import { requireConnector } from "./find-connections.js";
import { removeGone } from "./remove-gone.js";
import { nextSyncOf } from "./schedule.js";
import { type ConnectionSecrets, readableSecrets } from "./secrets.js";
import { openSource } from "./source-access.js";
import { isOpen, type RemovalAgreement, RemovalsHeld, requireUnchanged, RunOvertaken, type Sync } from "./sync.js";
import { openRun, type RunningSync, type SyncError } from "./sync-run.js";
import { newsJob } from "./tell-owner.js";

/** A run yields to others after this long, and continues in its next turn. */
const STRETCH_MS = 2 * 60_000;
const MINUTE_MS = 60_000;
const PAGE = 100;
/** Time until a refused key is tried again. */
const AGAIN_MS = 6 * 60 * MINUTE_MS;
const UNREAD = "It could not be read.";
const MOST_UNREAD = 1_000;
/** Seconds until a run continues whose source broke off after it had made progress. */
const AFTER_BREAK = 30;
/** Seconds; a source that asks for a longer pause is asked again after this. */
const LONGEST_PAUSE = 60 * 60;

export interface SyncOrder {
  readonly connectionId: string;
  readonly trigger: SyncTrigger;
  readonly agreement: RemovalAgreement | null;
}

/**
 * Imports what has changed at a source. A run interrupted with its process continues after the last stored page; its result is
 * in the record of runs.
 * @throws RetryLater if the source asks for a pause, or it is the turn of others; temporary errors, to be retried
 */
export async function syncConnection(context: CoreContext, order: SyncOrder, job: JobContext): Promise<void> {
  const { store } = context;
  const connection = await store.connections.byId(store.organizationId, order.connectionId);
  if (!connection) return;
  if (!isOpen(connection)) return endLeftRun(context, connection);
  const run = await openRun(context, connection, order.trigger);
  const signInId = (await secretsOf(context, connection))?.signInId ?? null;
  const turn = { outages: 0, kept: 0, read: 0 };
  try {
    const connector = requireConnector(context, connection.provider);
    const source = await openSource(context, connection, connector, job.signal);
    const { agreement } = order;
    const { signal } = job;
    const deadline = context.clock.now().getTime() + STRETCH_MS;
    const sync = { context, connection, connector, source, run, signal, agreement, deadline, turn };
    await followSource(sync);
    await retryFailed(sync);
    // Removals that wait for agreement do not stop anything else from being imported.
    const held = await removeGone(sync).catch(heldOnly);
    await importWaiting(sync);
    await tellUnread(sync);
    if (held) throw held;
    await run.finish(null);
    await settle(context, connection, { state: "active", problem: null });
  } catch (error) {
    await run.save();
    job.signal.throwIfAborted();
    await end(context, { connection, signInId, run, job, turn }, error).catch((later: unknown) => {
      if (!(later instanceof RetryLater)) throw later;
      throw new RetryLater(later.seconds, later.message, { isFurther: turn.kept > 0 });
    });
  }
}

function heldOnly(error: unknown): RemovalsHeld {
  if (error instanceof RemovalsHeld) return error;
  throw error;
}

/** Ends a waiting run whose connection was paused, or lost its sign-in. */
async function endLeftRun(context: CoreContext, connection: Connection): Promise<void> {
  const [last] = await context.store.connections.runs(connection.id, 1);
  if (last?.status !== "running") return;
  const run = await openRun(context, connection, last.trigger);
  run.note(
    `The connection was ${connection.state === "paused" ? "paused" : "stopped"} while the run was in progress.`,
    "cut",
  );
  await run.finish(null);
}

/** Records on a connection that the job runner gave up its run, and why. It becomes due again automatically. */
export async function giveUpSync(context: CoreContext, { connectionId }: SyncOrder, reason: string): Promise<void> {
  const connection = await context.store.connections.byId(context.store.organizationId, connectionId);
  if (!connection || !isOpen(connection)) return;
  const [last] = await context.store.connections.runs(connection.id, 1);
  if (last?.status === "running") {
    const run = await openRun(context, connection, last.trigger);
    await run.finish({ code: "internal", message: reason });
  }
  await settle(context, connection, { state: null, problem: reason });
}

/** True for a sign-in that is renewed from stored credentials, such as a key, without a user in a browser. */
function isByItself({ connectors }: CoreContext, { provider }: Connection, secrets: ConnectionSecrets | null): boolean {
  return connectors.get(provider)?.signIn.kind !== "oauth" || Object.keys(secrets?.fields ?? {}).length > 0;
}

/** Null for secrets that cannot be opened; whoever needs them reports that. */
function secretsOf(context: CoreContext, connection: Connection): Promise<ConnectionSecrets | null> {
  return readableSecrets(context, connection).catch(() => null);
}

/** Continues from the checkpoint; from the beginning if the source no longer knows it. */
async function followSource(sync: Sync): Promise<void> {
  try {
    const { organizationId, id, listing } = sync.connection;
    const checkpoint = await sync.context.store.connections.checkpoint(organizationId, id);
    await followPages(sync, { listing, checkpoint });
  } catch (error) {
    if (!(error instanceof CheckpointExpired)) throw error;
    const { context, connection, run } = sync;
    context.log.info("a source no longer knows where a connection stood; everything is listed again", {
      connection: connection.id,
    });
    const { connections } = context.store;
    const { organizationId, id } = connection;
    await connections.update(organizationId, id, { checkpoint: null });
    run.note(error.message);
    // What has been listed so far counts as another listing.
    const { listing } = (await connections.byId(organizationId, id)) ?? connection;
    await followPages(sync, { listing, checkpoint: null });
  }
}

/** Where a run continues. */
interface Progress {
  readonly listing: number;
  readonly checkpoint: unknown;
}

async function followPages(sync: Sync, from: Progress): Promise<void> {
  const { context, connector, source, run, signal } = sync;
  const { organizationId, id } = sync.connection;
  const { connections } = context.store;
  let { listing } = from;
  for await (const page of connector.changes(source, from.checkpoint)) {
    signal.throwIfAborted();
    await requireUnchanged(context.store, sync);
    await requireRoom(sync);
    if (page.isFirst) {
      listing += 1;
      await connections.update(organizationId, id, { listing });
    }
    await applyPage(sync, page, listing);
    await endListing(sync, page, listing);
    await context.store.transaction(async (repositories) => {
      await requireUnchanged(repositories, sync);
      await repositories.connections.update(organizationId, id, { checkpoint: page.checkpoint });
      await repositories.connections.updateRun(run.now);
    });
    sync.turn.kept += 1;
    if (page.isLast) return;
    giveWay(sync);
  }
}

/** Items that a complete listing did not name are gone. */
async function endListing(sync: Sync, page: ChangePage, listing: number): Promise<void> {
  if (page.cutShort !== undefined) sync.run.note(page.cutShort, "cut");
  for (const sentence of page.leftOut ?? []) sync.run.note(sentence, "cut");
  for (const name of page.missing ?? [])
    sync.run.note(
      `“${name}” was chosen, but is not at ${sync.connector.title}, or the account has no access to it.`,
      "cut",
    );
  if (page.kind === "listing" && page.isLast && page.cutShort === undefined) await noteAbsent(sync, listing);
}

/**
 * Reports documents that could not be read here, and items not imported because they failed before. Most are read within
 * moments; those that take longer are reported by the next run.
 */
async function tellUnread(sync: Sync): Promise<void> {
  const { context, connection, run } = sync;
  if (run.now.read > 0) await waitForImports(sync);
  for (const { item, documentId, reason } of await context.store.connections.unreadItems(connection.id, MOST_UNREAD))
    run.fail(item, documentId, reason ?? UNREAD);
  for (let after = ""; ;) {
    const failed = await context.store.connections.failedItems(connection.id, { after, limit: PAGE });
    for (const { item, documentId, reason } of failed) run.fail(item, documentId, reason ?? UNREAD);
    if (failed.length < PAGE) return;
    after = failed.at(-1)?.item.id ?? after;
  }
}

interface Ending {
  readonly connection: Connection;
  /** The sign-in with which the run began. */
  readonly signInId: string | null;
  readonly run: RunningSync;
  readonly job: JobContext;
  readonly turn: Sync["turn"];
}

/** Records why a run stopped, or schedules it to continue later. @throws RetryLater, or the error if it may be temporary */
async function end(context: CoreContext, ending: Ending, error: unknown): Promise<void> {
  const { connection, signInId, run, job, turn } = ending;
  if (error instanceof RetryLater) throw error;
  if (error instanceof RunOvertaken) {
    const now = await context.store.connections.byId(connection.organizationId, connection.id);
    // The run continues with what has been chosen meanwhile.
    if (now && isOpen(now)) throw new RetryLater(SOON, "The connection was changed.");
    return endLeftRun(context, now ?? connection);
  }
  if (error instanceof RemovalsHeld) {
    run.note(error.message, "cut");
    await run.finish(null);
    return settle(context, connection, { state: "held", problem: error.message });
  }
  if (error instanceof SignInRefused) {
    const { connections } = context.store;
    const sealed = await connections.sealedSecrets(connection.organizationId, connection.id);
    const secrets = await secretsOf(context, connection);
    if ((secrets?.signInId ?? null) !== signInId) throw signedInMeanwhile();
    await run.finish({ code: "auth_expired", message: error.publicMessage });
    // A key may be accepted again, for instance after maintenance; a user who was signed out has to come back.
    const retryAt = isByItself(context, connection, secrets)
      ? iso(new Date(context.clock.now().getTime() + AGAIN_MS))
      : null;
    await settle(context, connection, { state: "reconnect", problem: error.publicMessage, sealed, retryAt });
    context.log.warn("a connection has to be signed in again", { connection: connection.id });
    return;
  }
  if (error instanceof AppError && error.kind === "rate_limited") {
    await context.store.connections.update(connection.organizationId, connection.id, {
      problem: error.publicMessage,
    });
    const pause = Math.min(error.retryAfter ?? MINUTE_MS / 1_000, LONGEST_PAUSE);
    throw new RetryLater(pause, error.publicMessage);
  }
  const mayPass = error instanceof AppError && error.kind === "unavailable" && !(error instanceof UnreadableSecret);
  // This way even a first run over a bad connection gets finished, bit by bit.
  if (mayPass && turn.read > 0) throw new RetryLater(AFTER_BREAK, error.publicMessage);
  if (mayPass && job.job.attempt < job.job.maxAttempts) throw error;
  if (!(error instanceof AppError))
    context.log.error("a run of a connection failed", { connection: connection.id, error });
  const failure = failureOf(error);
  await run.finish(failure);
  await settle(context, connection, { state: null, problem: failure.message });
}

function signedInMeanwhile(): RetryLater {
  return new RetryLater(SOON, "The connection was signed in again in the meantime.");
}

function failureOf(error: unknown): SyncError {
  if (error instanceof UnreadableSecret) return { code: "internal", message: error.publicMessage };
  if (error instanceof AppError) return { code: "provider_unavailable", message: error.publicMessage };
  return { code: "internal", message: "Something unexpected went wrong; the log has the details." };
}

interface Outcome extends Pick<Connection, "problem"> {
  /** Null: unchanged, including the question for the owner. */
  readonly state: Connection["state"] | null;
  /** When it is automatically retried with the same sign-in; null: not before somebody has signed in again. */
  readonly retryAt?: string | null;
  /** The secrets that this refers to. */
  readonly sealed?: string | null;
}

/**
 * Records the state of the connection after a run, and when the next one is due.
 * @throws RetryLater if its secrets have been replaced
 */
async function settle(
  { store, clock }: CoreContext,
  { organizationId, id }: Connection,
  { state: wanted, problem: news, sealed, retryAt = null }: Outcome,
): Promise<void> {
  const now = clock.now();
  await store.transaction(async ({ connections, jobs }) => {
    const connection = await connections.byId(organizationId, id);
    // Paused, or removed, meanwhile.
    if (!connection || !isOpen(connection)) return;
    if (sealed !== undefined && (await connections.sealedSecrets(organizationId, id)) !== sealed)
      throw signedInMeanwhile();
    const state = wanted ?? connection.state;
    const problem = wanted === null && state === "held" ? connection.problem : news;
    const isTold = connection.state === state || (state === "reconnect" && connection.problem === problem);
    const mail = isTold ? null : newsJob(connection, state, iso(now));
    if (mail) await jobs.enqueue([mail]);
    await connections.update(organizationId, id, {
      state,
      problem,
      ...(problem === null && { lastSyncedAt: iso(now) }),
      nextSyncAt: state === "reconnect" ? retryAt : nextSyncOf(connection, now),
    });
  });
}
