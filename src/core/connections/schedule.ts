import { iso } from "../../lib/time.js";
import type { Connection } from "../types.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** When a connection is synced by itself after now; null: never. */
export function nextSyncOf({ everyMinutes }: Pick<Connection, "everyMinutes">, now: Date): string | null {
  return everyMinutes === null ? null : iso(new Date(now.getTime() + everyMinutes * MINUTE_MS));
}

/** A time further away than an interval was set by a clock that was wrong. */
export function isDue(connection: Pick<Connection, "everyMinutes" | "nextSyncAt">, now: Date): boolean {
  const latest = nextSyncOf(connection, now);
  const { nextSyncAt } = connection;
  return latest !== null && nextSyncAt !== null && (nextSyncAt <= iso(now) || nextSyncAt > latest);
}

/** When a sign-in that was refused is to be tried again; a time further away than a day was set by a clock that was wrong. */
export function isRetryDue({ nextSyncAt }: Pick<Connection, "nextSyncAt">, now: Date): boolean {
  const latest = iso(new Date(now.getTime() + DAY_MS));
  return nextSyncAt !== null && (nextSyncAt <= iso(now) || nextSyncAt > latest);
}
