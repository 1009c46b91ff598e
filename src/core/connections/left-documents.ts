import { homeOf } from "../documents/custom-ids.js";
import type { CoreContext } from "../context.js";
import type { OriginOfDocument, Repositories, SourceItem } from "../ports.js";
import type { Connection } from "../types.js";

type Sources = Pick<CoreContext, "connectors">;

/** Removes a connection, inside a transaction; the origin of the documents it leaves here stays recorded. */
export async function removeLeaving(
  context: Sources,
  { connections }: Pick<Repositories, "connections">,
  connection: Connection,
): Promise<void> {
  const { organizationId, id } = connection;
  await connections.leave(id, placeOf(context, connection));
  await connections.remove(organizationId, id);
}

/** Whether a document came from this item, through this connection or an earlier one to the same place. */
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

/**
 * The customId in this container of the document that an earlier connection to the same place left for an item; null for none.
 */
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
 * Identifies what a connection has access to: two with the same name have the same thing under the same id, unless its address
 * differs (`isKnownByAddress`).
 */
function placeOf({ connectors }: Sources, { provider, account, settings }: Connection): string {
  const { placeFields = [] } = connectors.get(provider) ?? {};
  return JSON.stringify([provider, account, ...placeFields.map((name) => settings[name] ?? null)]);
}
