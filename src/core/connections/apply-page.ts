import { iso } from "../../lib/time.js";
import { AppError } from "../errors.js";
import type { ChangePage, SourceAccess, SourceChange, SourceContent, SourceItem } from "../ports.js";
import type { ConnectionItem } from "../types.js";
import { followMove, keepContent } from "./import-item.js";
import { CheckpointExpired, ItemGone, ItemSkipped, SignInRefused } from "./connector-errors.js";
import { giveWay, waitForRoom } from "./give-way.js";
import { changesOf, idOf } from "./named-changes.js";
import { readsTogether } from "./reads-together.js";
import { isSkippedStill, skippedItem } from "./skipped-items.js";
import { requireUnchanged, RunOvertaken, type Sync } from "./sync.js";

const PAGE = 100;
/** This many outages in a row mean that the source is failing, not an item. */
const MOST_OUTAGES = 5;
const FIRST_RETRY_MS = 5 * 60_000;
const LONGEST_RETRY_MS = 24 * 3_600_000;

type Upsert = Extract<SourceChange, { kind: "upsert" }>;

/**
 * Imports what a page names. Work done before the process was killed is not repeated, since each item is recorded with its
 * version.
 */
export async function applyPage(sync: Sync, page: ChangePage, listing: number): Promise<void> {
  const { context, connection, run } = sync;
  const changes = changesOf(page, run);
  const found = await context.store.connections.items(connection.id, changes.map(idOf));
  const known = new Map(found.map((one) => [one.item.id, one]));
  const removed = changes.flatMap((change) => (change.kind === "remove" ? (known.get(change.id) ?? []) : []));
  await noteGone(sync, removed);
  const upserts = changes.filter((change) => change.kind === "upsert");
  const { fresh, beyond } = await sortOut(sync, upserts, known);
  await readAll(
    sync,
    fresh.map((change) => ({ ...change, before: known.get(change.item.id) ?? null, listing, absences: 0 })),
  );
  await keepWaiting(sync, beyond, listing);
  const seen = { listing, at: iso(context.clock.now()) };
  await context.store.connections.noteSeen(connection.id, upserts.map(idOf), seen);
  // An interrupted page is processed again.
  run.count("listed", changes.length);
}

/**
 * Applies moves of items that have only moved.
 * @returns what has to be read, and what there is no room for
 */
async function sortOut(
  sync: Sync,
  upserts: readonly Upsert[],
  known: ReadonlyMap<string, ConnectionItem>,
): Promise<{ readonly fresh: readonly Upsert[]; readonly beyond: readonly SourceItem[] }> {
  const { run } = sync;
  const fresh: Upsert[] = [];
  const beyond: SourceItem[] = [];
  let { room } = await roomOf(sync);
  for (const change of upserts) {
    const found = known.get(change.item.id);
    const before = found?.state === "waiting" ? undefined : found;
    if (before !== undefined && isSettled(before, change.item, sync.source)) {
      await followIfMoved(sync, before, change.item);
      // Failed items are read again when they are due, not now.
      if (before.state === "failed") run.fail(before.item, before.documentId, before.reason ?? "It could not be read.");
      else if (before.seenAt < run.now.startedAt) run.count("unchanged");
    } else if (before === undefined && room <= 0) {
      beyond.push(change.item);
    } else {
      if (before === undefined) room -= 1;
      fresh.push(change);
    }
  }
  return { fresh, beyond };
}

/** Whether reading an item would give nothing new. */
function isSettled(before: ConnectionItem, item: SourceItem, source: SourceAccess): boolean {
  if (before.state === "skipped") return isSkippedStill(before.item, item, source);
  return (before.state === "gone" ? before : before.item).version === item.version;
}

/** How many more documents there is room for; the limit may have been raised since the run began. */
async function roomOf({
  context,
  connection,
}: Pick<Sync, "context" | "connection">): Promise<{ readonly room: number; readonly limit: number }> {
  const { connections } = context.store;
  const { organizationId, id } = connection;
  const { documentLimit: limit } = (await connections.byId(organizationId, id)) ?? connection;
  return { room: limit - (await connections.countItems(id)), limit };
}

/** Records items that there is no room for, so that they are imported once there is. */
async function keepWaiting(sync: Sync, items: readonly SourceItem[], listing: number): Promise<void> {
  const { context, connection } = sync;
  const none = { documentId: null, version: null, attempts: 0, retryAt: null, absences: 0 } as const;
  const reason = "The document limit of the connection is reached.";
  const own = { connectionId: connection.id, listing, seenAt: iso(context.clock.now()) };
  const waiting = items.map((item) => ({ ...own, ...none, item, state: "waiting" as const, reason }));
  await noteItems(sync, waiting);
  sync.run.count("skipped", items.length);
}

/** Applies renames, moves and reappearances. Errors of one item are recorded with it. */
async function followIfMoved(sync: Sync, before: ConnectionItem, item: SourceItem): Promise<void> {
  const isBack = before.state === "gone";
  // A skipped item is unchanged in everything the source says about it.
  if (before.state === "skipped") return;
  if (!isBack && JSON.stringify(before.item) === JSON.stringify(item)) return;
  const { context, connection, run } = sync;
  try {
    await followMove(context, connection, before, item);
  } catch (error) {
    sync.signal.throwIfAborted();
    if (!(error instanceof AppError) || error.kind !== "invalid") throw error;
    run.fail(item, before.documentId, error.message);
    if (isBack) await noteItems(sync, [{ ...before, state: "present", reason: null }]);
    return;
  }
  await noteItems(sync, [{ ...before, item, ...(isBack && { state: "present", reason: null }) }]);
}

/** Stores them, all or none. @throws RunOvertaken */
async function noteItems({ context, connection }: Sync, items: readonly ConnectionItem[]): Promise<void> {
  if (items.length === 0) return;
  await context.store.transaction(async (repositories) => {
    await requireUnchanged(repositories, { connection });
    for (const item of items) await repositories.connections.keepItem(item);
  });
}

interface Reading {
  readonly item: SourceItem;
  readonly content?: SourceContent;
  readonly before: ConnectionItem | null;
  /** The last listing that named it. */
  readonly listing: number;
  /** How many listings in a row have not named it. */
  readonly absences: number;
}

/** Reads items in groups, limited by what the source allows at once and by what fits into memory. */
async function readAll(sync: Sync, readings: readonly Reading[]): Promise<void> {
  for (const together of readsTogether(readings, sync.connector.sync.readsAtOnce)) {
    sync.signal.throwIfAborted();
    await waitForRoom(sync);
    const outcomes = await Promise.allSettled(together.map((reading) => readOne(sync, reading)));
    await sync.run.save();
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
}

/** Imports one item; its own errors are recorded with it. @throws errors of the whole source */
async function readOne(sync: Sync, { item, content, before, listing, absences }: Reading): Promise<void> {
  const { context, connection, connector, source, run } = sync;
  const now = context.clock.now();
  const fields = { connectionId: connection.id, item, listing, absences, seenAt: iso(now) };
  let isRead = content !== undefined;
  try {
    const read = content ?? (await connector.read(source, item));
    isRead = true;
    if (isEmpty(read)) throw new ItemSkipped("It contains no text.");
    const { version = item.version, detail = item.detail } = read;
    if (before) await followMove(context, connection, before, item);
    const settled = { state: "present", reason: null, attempts: 0, retryAt: null, absences: 0 } as const;
    await keepContent(context, connection, {
      item,
      content: read,
      before,
      note: async (repositories, documentId) => {
        await requireUnchanged(repositories, { connection });
        // The next listing is compared with what reading returned.
        const kept = { ...fields, ...settled, item: { ...item, version, detail }, documentId, version };
        await repositories.connections.keepItem(kept);
      },
    });
    run.count("read");
    run.recover(item);
    sync.turn.outages = 0;
    sync.turn.kept += 1;
    sync.turn.read += 1;
  } catch (error) {
    sync.signal.throwIfAborted();
    if (error instanceof RunOvertaken) throw error;
    // Its container may meanwhile have been replaced by another.
    if (error instanceof AppError && error.kind === "conflict") await requireUnchanged(context.store, sync);
    if (error instanceof ItemGone) {
      if (before) await noteGone(sync, [before]);
      return;
    }
    const kept = { documentId: before?.documentId ?? null, version: before?.version ?? null };
    if (error instanceof ItemSkipped || isUnreadable(error)) {
      const reason = error instanceof AppError ? error.publicMessage : error.message;
      const skipped = { state: "skipped", reason, attempts: 0, retryAt: null } as const;
      if (before?.documentId != null) await noteGone(sync, [before]);
      else await noteItems(sync, [{ ...fields, ...kept, ...skipped, item: skippedItem(item, error, source) }]);
      run.skip(item, reason);
      return;
    }
    // An outage of the record is no failure of the item: the run continues later.
    if (isRead && error instanceof AppError && error.kind === "unavailable") throw error;
    throwForAll(sync, error);
    const attempts = (before?.item.version === item.version ? before.attempts : 0) + 1;
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
    const reason = reasonOf(sync, item, error);
    const retryAt = iso(new Date(now.getTime() + waitMs));
    await noteItems(sync, [{ ...fields, ...kept, state: "failed", reason, attempts, retryAt }]);
    run.fail(item, kept.documentId, reason);
  }
}

/** A retry would fail the same way, unless the item changes. */
function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && (error.kind === "unsupported_type" || error.kind === "too_large");
}

function isEmpty({ content }: SourceContent): boolean {
  return typeof content === "string" ? content.trim() === "" : content.byteLength === 0;
}

function throwForAll({ turn, connector }: Sync, error: unknown): void {
  if (error instanceof SignInRefused || error instanceof CheckpointExpired) throw error;
  if (!(error instanceof AppError)) return;
  if (error.kind === "rate_limited" || error.kind === "storage_full") throw error;
  if (error.kind !== "unavailable" || connector.sync.failsAlone) return;
  turn.outages += 1;
  if (turn.outages >= MOST_OUTAGES) throw error;
}

function reasonOf({ context, connection }: Sync, { id }: SourceItem, error: unknown): string {
  if (error instanceof AppError) return error.message;
  context.log.error("an item of a source was not imported", { connection: connection.id, item: id, error });
  return "Something unexpected went wrong; the log has the details.";
}

/** Reads items again that failed in earlier runs and are due. */
export async function retryFailed(sync: Sync): Promise<void> {
  const { context, connection } = sync;
  const now = context.clock.now();
  // A longer delay was set by a wrong clock.
  const times = { now: iso(now), latest: iso(new Date(now.getTime() + LONGEST_RETRY_MS)) };
  for (let after = ""; ;) {
    const due = await context.store.connections.dueItems(connection.id, times, { after, limit: PAGE });
    await readAll(sync, due.map(readingAgain));
    if (due.length < PAGE) return;
    after = due.at(-1)?.item.id ?? after;
  }
}

/** Imports items that waited for room, as far as there is some now; the run reports when there is not. */
export async function importWaiting(sync: Sync): Promise<void> {
  const { context, connection, run } = sync;
  const { connections } = context.store;
  for (let after = ""; ;) {
    const { room, limit } = await roomOf(sync);
    const some = await connections.waitingItems(connection.id, { after, limit: Math.max(1, Math.min(room, PAGE)) });
    if (some.length === 0) return;
    if (room <= 0)
      return run.note(`The limit of ${limit} documents is reached; further documents are not imported.`, "cut");
    await readAll(sync, some.map(readingAgain));
    giveWay(sync);
    after = some.at(-1)?.item.id ?? after;
  }
}

function readingAgain(before: ConnectionItem): Reading {
  const { item, listing, absences } = before;
  return { item, before, listing, absences };
}

/** Treats items that a complete listing did not name as gone, once they have been missing as often as the source requires. */
export async function noteAbsent(sync: Sync, listing: number): Promise<void> {
  const { context, connection, connector } = sync;
  const { connections } = context.store;
  for (;;) {
    const unseen = await connections.unseen(connection.id, listing, { after: "", limit: PAGE });
    sync.signal.throwIfAborted();
    // Stored with the number of the listing, so that it is counted once.
    const counted = unseen.map((one) => ({ ...one, listing, absences: one.absences + 1 }));
    const isGone = ({ absences }: ConnectionItem) => absences >= connector.sync.absences;
    await noteItems(
      sync,
      counted.filter((one) => !isGone(one)),
    );
    await noteGone(sync, counted.filter(isGone));
    if (unseen.length < PAGE) return;
  }
}

/** Records that items no longer exist. Their documents stay until `removeGone`, since the owner may be asked first. */
async function noteGone(sync: Sync, known: readonly ConnectionItem[]): Promise<void> {
  if (known.length === 0) return;
  const { context, connection } = sync;
  const gone = { state: "gone", reason: null, attempts: 0, retryAt: null } as const;
  await context.store.transaction(async (repositories) => {
    await requireUnchanged(repositories, sync);
    for (const one of known)
      if (one.documentId === null) await repositories.connections.removeItem(connection.id, one.item.id);
      else await repositories.connections.keepItem({ ...one, ...gone });
  });
}
