import { iso } from "../../lib/time.js";
import type { Connection } from "../types.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** When a connection is next synced automatically; null: never. */
export function nextSyncOf({ everyMinutes }: Pick<Connection, "everyMinutes">, now: Date): string | null {
  return everyMinutes === null ? null : iso(new Date(now.getTime() + everyMinutes * MINUTE_MS));
}

/** True from a moment on, and also for one further away than any delay: it was set by a wrong clock. */
export function hasCome(at: string, now: Date, latest: string): boolean {
  return at <= iso(now) || at > latest;
}

/** Whether a connection is due for an automatic sync. */
export function isDue(connection: Pick<Connection, "everyMinutes" | "nextSyncAt">, now: Date): boolean {
  const latest = nextSyncOf(connection, now);
  const { nextSyncAt } = connection;
  return latest !== null && nextSyncAt !== null && hasCome(nextSyncAt, now, latest);
}

/** Whether a refused sign-in is to be retried. */
export function isRetryDue({ nextSyncAt }: Pick<Connection, "nextSyncAt">, now: Date): boolean {
  return nextSyncAt !== null && hasCome(nextSyncAt, now, iso(new Date(now.getTime() + DAY_MS)));
}
