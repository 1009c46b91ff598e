import { sleep } from "../../lib/time.js";
import { RetryLater } from "../errors.js";
import type { Sync } from "./sync.js";

/** Documents that wait to be searchable: with more, sources are not read on. Callers' own go first. */
const MOST_WAITING = 100;
const LOOK_EVERY_MS = 250;
const LONGEST_READING_MS = 10_000;
/** Seconds until a run goes on that waits for its turn, or whose connection was changed. */
export const SOON = 1;

/** Waits until the service has taken in most of what it has. @returns false when the run has had its turn before */
export async function waitForRoom(sync: Sync): Promise<boolean> {
  const { context, connection, signal } = sync;
  while ((await context.store.documents.countUnsearchable(connection.organizationId, "all")) > MOST_WAITING) {
    if (isOver(sync)) return false;
    await sleep(LOOK_EVERY_MS, { signal });
  }
  return true;
}

/** Before a page, which is not broken off once it is begun. @throws RetryLater as `giveWay`, unless there is room */
export async function requireRoom(sync: Sync): Promise<void> {
  if (!(await waitForRoom(sync))) giveWay(sync);
}

/** @throws RetryLater when a run has had its turn */
export function giveWay(sync: Sync): void {
  if (isOver(sync)) throw new RetryLater(SOON, "Others have their turn.");
}

function isOver({ context, deadline }: Sync): boolean {
  return context.clock.now().getTime() > deadline;
}

/** Waits a while until what came in is read. */
export async function waitUntilRead({ context, connection, signal }: Sync): Promise<void> {
  const until = context.clock.now().getTime() + LONGEST_READING_MS;
  while ((await context.store.documents.countUnsearchable(connection.organizationId, "all")) > 0) {
    if (context.clock.now().getTime() > until) return;
    await sleep(LOOK_EVERY_MS, { signal });
  }
}
