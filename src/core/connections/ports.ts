import type { SourceItem } from "./connector-ports.js";
import type { Connection, ConnectionItem, SyncRun } from "./types.js";

export interface ConnectionChange extends Partial<
  Omit<Connection, "id" | "organizationId" | "provider" | "createdAt">
> {
  /** The new value for `ConnectionStore.checkpoint`. */
  readonly checkpoint?: unknown;
}
export type ConnectionDraft = Omit<Connection, "createdAt">;

/** ISO date-times. */
export interface DueTimes {
  readonly now: string;
  /** No delay goes beyond this. */
  readonly latest: string;
}

export interface OriginOfDocument {
  readonly documentId: string;
  /** Null if the connection was removed and left the document here. */
  readonly connectionId: string | null;
  /** Identifies the source of a document that was left; null while its connection exists. */
  readonly place: string | null;
  readonly itemId: string;
  readonly address: string | null;
  /** The version that the document has; null if the source tells none. */
  readonly version: string | null;
  readonly seenAt: string;
}

/** An item whose document could not be read completely, and why. */
export interface UnreadItem {
  readonly item: SourceItem;
  readonly documentId: string;
  readonly reason: string | null;
}

interface ItemPage {
  readonly after: string;
  readonly limit: number;
}

export interface ConnectionStore {
  insert(draft: ConnectionDraft, sealedSecrets: string | null): Promise<Connection>;
  byId(organizationId: string, id: string): Promise<Connection | null>;
  /** All of them, the newest first. */
  list(organizationId: string): Promise<Connection[]>;
  update(organizationId: string, id: string, change: ConnectionChange): Promise<void>;
  /** The position of its runs, as JSON that its connector reads: up to some megabytes; null before the first page. */
  checkpoint(organizationId: string, id: string): Promise<unknown>;
  /** The sealed credentials; null for none. */
  sealedSecrets(organizationId: string, id: string): Promise<string | null>;
  /**
   * Replaces `former` credentials.
   * @returns false, storing nothing, if others are stored by now
   */
  keepSecrets(organizationId: string, id: string, sealed: string, former: string | null): Promise<boolean>;
  /**
   * Removes the connection, its items and its runs; documents stay, and nothing records their origin unless `leave` was called.
   */
  remove(organizationId: string, id: string): Promise<void>;

  item(connectionId: string, itemId: string): Promise<ConnectionItem | null>;
  /** The known ones, in no order. */
  items(connectionId: string, itemIds: readonly string[]): Promise<ConnectionItem[]>;
  /** Items not imported because reading them failed, by id, starting after `after`. */
  failedItems(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  /** Ids of items that failed when last seen, at this moment (ISO date-time) or later. */
  failedItemIds(connectionId: string, since: string): Promise<string[]>;
  /** All ids that begin with this prefix. */
  itemIds(connectionId: string, prefix: string): Promise<string[]>;
  keepItem(item: ConnectionItem): Promise<void>;
  /** Records that a listing named these, if they are known. */
  noteSeen(connectionId: string, itemIds: readonly string[], seen: { listing: number; at: string }): Promise<void>;
  /** Items that the listing did not name, by id, starting after `after`. */
  unseen(connectionId: string, listing: number, page: ItemPage): Promise<ConnectionItem[]>;
  /** Number of items that have a document, or failed to get one. */
  countItems(connectionId: string): Promise<number>;
  /** Number of existing documents that came through the connection. */
  countDocuments(connectionId: string): Promise<number>;
  /** Number of items gone at the source whose documents are still here. */
  countGone(connectionId: string): Promise<number>;
  /** The first of those that `countGone` counts. */
  goneItems(connectionId: string, limit: number): Promise<ConnectionItem[]>;
  /** The first items whose documents could not be read here. */
  unreadItems(connectionId: string, limit: number): Promise<UnreadItem[]>;
  /** Failed items that are due again now, or only after `latest`, by id, starting after `after`. */
  dueItems(connectionId: string, times: DueTimes, page: ItemPage): Promise<ConnectionItem[]>;
  /** Items waiting for room, by id, starting after `after`. */
  waitingItems(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  removeItem(connectionId: string, itemId: string): Promise<void>;
  /** Items with a document, by item id, starting after `after`. */
  itemsWithDocuments(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  /** Which of these documents came through a connection, or were left by one. */
  ofDocuments(documentIds: readonly string[]): Promise<OriginOfDocument[]>;
  /**
   * Records the origin of the documents of a connection that is to be removed; later connections to the same place take them
   * over.
   */
  leave(connectionId: string, place: string): Promise<void>;
  /** Documents of this item left by connections to this place. */
  leftAt(place: string, itemId: string): Promise<OriginOfDocument[]>;
  /** Marks the document as belonging to a connection again. */
  takeOver(documentId: string): Promise<void>;

  insertRun(run: SyncRun): Promise<void>;
  updateRun(run: SyncRun): Promise<void>;
  /** The newest first. */
  runs(connectionId: string, limit: number): Promise<SyncRun[]>;
  /**
   * Removes all but the newest runs of each connection.
   * @returns how many were removed
   */
  dropOldRuns(keep: number): Promise<number>;
}
