import { homeOf } from "../documents/custom-ids.js";
import type { CoreContext } from "../context.js";
import type { OriginOfDocument, Repositories, SourceItem } from "../ports.js";
import type { Connection } from "../types.js";

type Sources = Pick<CoreContext, "connectors">;

/** Removes a connection, inside a transaction; where the documents came from that it leaves here stays known. */
export async function removeLeaving(
  context: Sources,
  { connections }: Pick<Repositories, "connections">,
  connection: Connection,
): Promise<void> {
  const { organizationId, id } = connection;
  await connections.leave(id, placeOf(context, connection));
  await connections.remove(organizationId, id);
}

/** Whether a document came of this item, over this connection or over a former one to the same place. */
export function isOf(
  context: Sources,
  connection: Connection,
  item: SourceItem,
  { connectionId, itemId, place, address }: OriginOfDocument,
): boolean {
  if (itemId !== item.id) return false;
  if (connectionId !== null) return connectionId === connection.id;
  const { isKnownByAddress = false } = context.connectors.get(connection.provider) ?? {};
  return place === placeOf(context, connection) && (!isKnownByAddress || address === item.address);
}

/** The customId in this container of what a former connection to the same place has left of an item; null for nothing. */
export async function customIdOfLeft(
  context: Pick<CoreContext, "connectors" | "store">,
  connection: Connection,
  item: SourceItem,
  tags: readonly string[],
): Promise<string | null> {
  const { connections, documents } = context.store;
  const { organizationId } = connection;
  const left = await connections.leftAt(placeOf(context, connection), item.id);
  const own = left.filter((origin) => isOf(context, connection, item, origin)).map(({ documentId }) => documentId);
  for (const { id, customId, origin } of await documents.headsByIds(organizationId, own)) {
    if (customId === null || origin !== "connector") continue;
    const named = await documents.byCustomId(organizationId, customId, homeOf(tags));
    if (named?.id === id) return customId;
  }
  return null;
}

/**
 * Names what a connection is open to: two with the same name have the same thing under the same id, or else under another
 * address (`isKnownByAddress`).
 */
function placeOf({ connectors }: Sources, { provider, account, settings }: Connection): string {
  const { placeFields = [] } = connectors.get(provider) ?? {};
  return JSON.stringify([provider, account, ...placeFields.map((name) => settings[name] ?? null)]);
}
