import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError, RetryLater, UnreadableSecret } from "../errors.js";
import type { ChangePage, JobContext } from "../ports.js";
import type { Connection, SyncTrigger } from "../types.js";
import { CheckpointExpired, SignInRefused } from "./connector-errors.js";
import { applyPage, bringInWaiting, noteAbsent, retryFailed } from "./apply-page.js";
import { giveWay, requireRoom, SOON, waitUntilRead } from "./give-way.js";
import { requireConnector } from "./find-connections.js";
import { removeGone } from "./remove-gone.js";
import { nextSyncOf } from "./schedule.js";
import { type ConnectionSecrets, readableSecrets } from "./secrets.js";
import { openSource } from "./source-access.js";
import { isOpen, type RemovalAgreement, RemovalsHeld, requireUnchanged, RunOvertaken, type Sync } from "./sync.js";
import { openRun, type RunningSync, type SyncError } from "./sync-run.js";
import { newsJob } from "./tell-owner.js";

/** A run gives way to others after so long, and goes on with its next turn. */
const STRETCH_MS = 2 * 60_000;
const MINUTE_MS = 60_000;
const PAGE = 100;
/** Until a key that was refused is tried once more. */
const AGAIN_MS = 6 * 60 * MINUTE_MS;
const UNREAD = "It could not be read.";
const MOST_UNREAD = 1_000;
/** Seconds until a run goes on whose source broke off after something had come of it. */
const AFTER_BREAK = 30;
/** Seconds; a source that wants to be left alone for longer is asked again all the same. */
const LONGEST_PAUSE = 60 * 60;

export interface SyncOrder {
  readonly connectionId: string;
  readonly trigger: SyncTrigger;
  readonly agreement: RemovalAgreement | null;
}

/**
 * Brings in what has changed at a source. A run that a process left behind goes on after the last page that was kept; how it
 * ends is in the record of runs.
 * @throws RetryLater where the source wants to be left alone, or others have their turn; what may pass, to be tried again
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
    // What is not removed without asking keeps nothing else from coming in.
    const held = await removeGone(sync).catch(heldOnly);
    await bringInWaiting(sync);
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

/** Ends a run that had to wait while its connection was paused, or lost its sign-in. */
async function endLeftRun(context: CoreContext, connection: Connection): Promise<void> {
  const [last] = await context.store.connections.runs(connection.id, 1);
  if (last?.status !== "running") return;
  const run = await openRun(context, connection, last.trigger);
  run.note(`The connection was ${connection.state === "paused" ? "paused" : "stopped"} while the run went on.`, "cut");
  await run.finish(null);
}

/** Says on a connection that its run was given up by whoever works on jobs, and why. It is due again by itself. */
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

/** True for a sign-in that is made anew from what was given once, such as a key, without anybody in a browser. */
function isByItself({ connectors }: CoreContext, { provider }: Connection, secrets: ConnectionSecrets | null): boolean {
  return connectors.get(provider)?.signIn.kind !== "oauth" || Object.keys(secrets?.fields ?? {}).length > 0;
}

/** Null for secrets that cannot be opened, which are told by whoever needs them. */
function secretsOf(context: CoreContext, connection: Connection): Promise<ConnectionSecrets | null> {
  return readableSecrets(context, connection).catch(() => null);
}

/** Goes on from the checkpoint; from the beginning where the source no longer knows it. */
async function followSource(sync: Sync): Promise<void> {
  try {
    const { organizationId, id, listing } = sync.connection;
    const checkpoint = await sync.context.store.connections.checkpoint(organizationId, id);
    await followPages(sync, { listing, checkpoint });
  } catch (error) {
    if (!(error instanceof CheckpointExpired)) throw error;
    const { context, connection, run } = sync;
    context.log.info("a source no longer knows where a connection stood; all is listed again", {
      connection: connection.id,
    });
    const { connections } = context.store;
    const { organizationId, id } = connection;
    await connections.update(organizationId, id, { checkpoint: null });
    run.note(error.message);
    // What was listed until then counts as another listing.
    const { listing } = (await connections.byId(organizationId, id)) ?? connection;
    await followPages(sync, { listing, checkpoint: null });
  }
}

/** Where a run goes on. */
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

/** What a complete listing did not name is gone. */
async function endListing(sync: Sync, page: ChangePage, listing: number): Promise<void> {
  if (page.cutShort !== undefined) sync.run.note(page.cutShort, "cut");
  for (const sentence of page.leftOut ?? []) sync.run.note(sentence, "cut");
  for (const name of page.missing ?? [])
    sync.run.note(`“${name}” was chosen, and is not at ${sync.connector.title}, or not open to the account.`, "cut");
  if (page.kind === "listing" && page.isLast && page.cutShort === undefined) await noteAbsent(sync, listing);
}

/**
 * Says which documents could not be read here, and what is not brought in since it failed before. Most are read within moments;
 * those that take longer are told by the next run.
 */
async function tellUnread(sync: Sync): Promise<void> {
  const { context, connection, run } = sync;
  if (run.now.read > 0) await waitUntilRead(sync);
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
  /** The sign-in that the run began with. */
  readonly signInId: string | null;
  readonly run: RunningSync;
  readonly job: JobContext;
  readonly turn: Sync["turn"];
}

/** Notes why a run stopped, or has it go on later. @throws RetryLater, or the error where it may pass */
async function end(context: CoreContext, ending: Ending, error: unknown): Promise<void> {
  const { connection, signInId, run, job, turn } = ending;
  if (error instanceof RetryLater) throw error;
  if (error instanceof RunOvertaken) {
    const now = await context.store.connections.byId(connection.organizationId, connection.id);
    // What was chosen meanwhile is what the run goes on with.
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
    // A key may be taken again, such as after maintenance; whoever was signed out has to come back.
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
  // Line by line a first run over a bad line ends, too.
  if (mayPass && turn.read > 0) throw new RetryLater(AFTER_BREAK, error.publicMessage);
  if (mayPass && job.job.attempt < job.job.maxAttempts) throw error;
  if (!(error instanceof AppError))
    context.log.error("a run of a connection failed", { connection: connection.id, error });
  const failure = failureOf(error);
  await run.finish(failure);
  await settle(context, connection, { state: null, problem: failure.message });
}

function signedInMeanwhile(): RetryLater {
  return new RetryLater(SOON, "Somebody signed in again meanwhile.");
}

function failureOf(error: unknown): SyncError {
  if (error instanceof UnreadableSecret) return { code: "internal", message: error.publicMessage };
  if (error instanceof AppError) return { code: "provider_unavailable", message: error.publicMessage };
  return { code: "internal", message: "Something went wrong that should not; the log has the details." };
}

interface Outcome extends Pick<Connection, "problem"> {
  /** Null: as it is, and with the question that its owner is asked. */
  readonly state: Connection["state"] | null;
  /** When it is tried again by itself with the same sign-in; null: not before somebody has signed in again. */
  readonly retryAt?: string | null;
  /** The secrets that this is said of. */
  readonly sealed?: string | null;
}

/** Notes how the connection stands after a run, and when the next one is due. @throws RetryLater where its secrets are others now */
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
