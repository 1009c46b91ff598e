import { sleep } from "../../lib/time.js";
import { RetryLater } from "../errors.js";
import type { Sync } from "./sync.js";

/** Documents that wait to be searchable: with more, sources are not read on. Callers' own go first. */
const MOST_WAITING = 100;
const LOOK_EVERY_MS = 250;
/** Seconds until a run goes on that waits for its turn. */
const SOON = 1;

/** Waits until the service has taken in most of what it has. @throws RetryLater where that takes too long */
export async function waitForRoom(sync: Sync): Promise<void> {
  const { context, connection, signal } = sync;
  while ((await context.store.documents.countUnsearchable(connection.organizationId, "all")) > MOST_WAITING) {
    giveWay(sync);
    await sleep(LOOK_EVERY_MS, { signal });
  }
}

/** @throws RetryLater when a run has had its turn */
export function giveWay({ context, deadline }: Sync): void {
  if (context.clock.now().getTime() > deadline) throw new RetryLater(SOON, "Others have their turn.");
}
