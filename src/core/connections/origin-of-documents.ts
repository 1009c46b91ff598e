import type { CoreContext } from "../context.js";

/** What is known about a document that came through a connection. */
export interface FromConnection {
  /** Null for a document that was sent, and if the connection was removed. */
  readonly connectionId: string | null;
  /** What is known about it at its source; null for a document that was sent. */
  readonly atSource: { readonly version: string | null; readonly seenAt: string } | null;
}

/** Documents with the connections they came through; their address is the one at the source. */
export async function withConnections<T extends { readonly id: string; readonly url: string | null }>(
  { store }: Pick<CoreContext, "store">,
  documents: readonly T[],
): Promise<readonly (T & FromConnection)[]> {
  const found = await store.connections.ofDocuments(documents.map(({ id }) => id));
  const origins = new Map(found.map((origin) => [origin.documentId, origin]));
  return documents.map((document) => {
    const origin = origins.get(document.id);
    if (!origin) return { ...document, connectionId: null, atSource: null };
    const { connectionId, version, seenAt, address } = origin;
    return { ...document, connectionId, url: address ?? document.url, atSource: { version, seenAt } };
  });
}
