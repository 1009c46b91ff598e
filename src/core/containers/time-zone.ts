import { inTimeZone, isTimeZone, type TimeZone } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import type { ContainerRow, Repositories } from "../ports.js";
import type { Document } from "../types.js";

/**
 * The time zone for the days of things found or shown together: that of the containers if they share one, otherwise the
 * server's.
 */
export function sharedTimeZone(
  { timeZone }: Pick<CoreContext, "timeZone">,
  containers: readonly ContainerRow[],
): TimeZone {
  const zones = new Set(containers.map((container) => container.timeZone ?? timeZone));
  const [only = timeZone] = zones;
  return zones.size === 1 ? only : timeZone;
}

/** The server's zone, and where those of containers are stored. */
interface Zoned extends Pick<CoreContext, "timeZone"> {
  readonly store: Pick<Repositories, "containers">;
}

/** The time zone for the days of a document: `timezone` in its metadata, otherwise that of its containers. */
export async function timeZoneOf(
  { store, timeZone }: Zoned,
  { organizationId, id, metadata }: Pick<Document, "organizationId" | "id" | "metadata">,
): Promise<TimeZone> {
  return ownTimeZone(metadata) ?? sharedTimeZone({ timeZone }, await store.containers.ofDocument(organizationId, id));
}

/** The zone that a document names for itself, if it is one. */
export function ownTimeZone(metadata: Document["metadata"] | undefined): TimeZone | undefined {
  const named = metadata?.["timezone"];
  return typeof named === "string" && isTimeZone(named) ? named : undefined;
}

/** The date of a document, in local time of its zone. */
export async function writtenWhen(
  context: Zoned,
  document: Pick<Document, "organizationId" | "id" | "metadata" | "documentDate" | "createdAt">,
): Promise<string> {
  return inTimeZone(document.documentDate ?? document.createdAt, await timeZoneOf(context, document));
}
