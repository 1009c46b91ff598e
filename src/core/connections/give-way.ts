import { sleep } from "../../lib/time.js";
import { RetryLater } from "../errors.js";
import type { Sync } from "./sync.js";

/** When more documents than this wait to be searchable, reading from sources pauses. Documents from callers go first. */
const MOST_WAITING = 100;
const LOOK_EVERY_MS = 250;
const LONGEST_READING_MS = 10_000;
/** Seconds until a run continues that waits for its turn, or whose connection was changed. */
export const SOON = 1;

/**
 * Waits until the service has processed most of its queue.
 * @returns false if the run's turn ended first
 */
export async function waitForRoom(sync: Sync): Promise<boolean> {
  const { context, connection, signal } = sync;
  while ((await context.store.documents.countUnsearchable(connection.organizationId, "all")) > MOST_WAITING) {
    if (isTurnOver(sync)) return false;
    await sleep(LOOK_EVERY_MS, { signal });
  }
  return true;
}

/** Called before a page, since a page is not interrupted once begun. @throws RetryLater as `giveWay`, unless there is room */
export async function requireRoom(sync: Sync): Promise<void> {
  if (!(await waitForRoom(sync))) giveWay(sync);
}

/** @throws RetryLater when the run's turn is over */
export function giveWay(sync: Sync): void {
  if (isTurnOver(sync)) throw new RetryLater(SOON, "Others have their turn.");
}

function isTurnOver({ context, deadline }: Sync): boolean {
  return context.clock.now().getTime() > deadline;
}

/** Waits a while for imported documents to be read. */
export async function waitForImports({ context, connection, signal }: Sync): Promise<void> {
  const until = context.clock.now().getTime() + LONGEST_READING_MS;
  while ((await context.store.documents.countUnsearchable(connection.organizationId, "all")) > 0) {
    if (context.clock.now().getTime() > until) return;
    await sleep(LOOK_EVERY_MS, { signal });
  }
}
