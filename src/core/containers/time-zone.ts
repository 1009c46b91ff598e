import { inTimeZone, isTimeZone, type TimeZone } from "../../lib/time-zone.js";
import type { CoreContext } from "../context.js";
import type { ContainerRow, Repositories } from "../ports.js";
import type { Document } from "../types.js";

/** Where the days of what is found or told together are counted: the zone of the containers if they share one, else the server's. */
export function sharedTimeZone(
  { timeZone }: Pick<CoreContext, "timeZone">,
  containers: readonly ContainerRow[],
): TimeZone {
  const zones = new Set(containers.map((container) => container.timeZone ?? timeZone));
  const [only = timeZone] = zones;
  return zones.size === 1 ? only : timeZone;
}

/** The server's zone, with where those of containers are kept. */
interface Zoned extends Pick<CoreContext, "timeZone"> {
  readonly store: Pick<Repositories, "containers">;
}

/** Where the days of a document are counted: as its metadata says in `timezone`, else where those of its containers are. */
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

/** When a document says what it says, as somebody in its time zone writes it. */
export async function writtenWhen(
  context: Zoned,
  document: Pick<Document, "organizationId" | "id" | "metadata" | "documentDate" | "createdAt">,
): Promise<string> {
  return inTimeZone(document.documentDate ?? document.createdAt, await timeZoneOf(context, document));
}
