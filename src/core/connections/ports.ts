import type { SourceItem } from "./connector-ports.js";
import type { Connection, ConnectionItem, SyncRun } from "./types.js";

export interface ConnectionChange extends Partial<
  Omit<Connection, "id" | "organizationId" | "provider" | "createdAt">
> {
  /** What `ConnectionStore.checkpoint` gives from now on. */
  readonly checkpoint?: unknown;
}
export type ConnectionDraft = Omit<Connection, "createdAt">;

/** ISO date-times. */
export interface DueTimes {
  readonly now: string;
  /** Nothing is put off for longer. */
  readonly latest: string;
}

export interface OriginOfDocument {
  readonly documentId: string;
  /** Null where the connection was removed, and left the document here. */
  readonly connectionId: string | null;
  /** Names the source of a document that was left; null for one whose connection is there. */
  readonly place: string | null;
  readonly itemId: string;
  readonly address: string | null;
  /** The one that the document has; null where the source tells none. */
  readonly version: string | null;
  readonly seenAt: string;
}

/** An item whose document was not read to its end, and why. */
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
  /** Where its runs stand, as JSON that its connector reads: up to some megabytes; null before the first page. */
  checkpoint(organizationId: string, id: string): Promise<unknown>;
  /** The credentials, as they were sealed; null for none. */
  sealedSecrets(organizationId: string, id: string): Promise<string | null>;
  /** Keeps credentials in place of `former`. @returns false, and keeps nothing, where others are kept by now */
  keepSecrets(organizationId: string, id: string, sealed: string, former: string | null): Promise<boolean>;
  /** The connection, its items and its runs; documents stay, and nothing tells where they came from unless `leave` was called. */
  remove(organizationId: string, id: string): Promise<void>;

  item(connectionId: string, itemId: string): Promise<ConnectionItem | null>;
  /** Those that are known, in no order. */
  items(connectionId: string, itemIds: readonly string[]): Promise<ConnectionItem[]>;
  /** Items that are not brought in since reading them failed, by their ids, the first behind `after`. */
  failedItems(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  /** Ids of those that failed when they were seen last, at this moment (ISO date-time) or later. */
  failedItemIds(connectionId: string, since: string): Promise<string[]>;
  /** Ids of all that begin with this. */
  itemIds(connectionId: string, prefix: string): Promise<string[]>;
  keepItem(item: ConnectionItem): Promise<void>;
  /** Notes that a listing named these, where they are known. */
  noteSeen(connectionId: string, itemIds: readonly string[], seen: { listing: number; at: string }): Promise<void>;
  /** Items that the listing did not name, by their ids, the first behind `after`. */
  unseen(connectionId: string, listing: number, page: ItemPage): Promise<ConnectionItem[]>;
  /** Items that have a document, or failed to have one. */
  countItems(connectionId: string): Promise<number>;
  /** Documents that came over the connection and are there. */
  countDocuments(connectionId: string): Promise<number>;
  /** Items that are gone at the source, and whose documents are still here. */
  countGone(connectionId: string): Promise<number>;
  /** Those that `countGone` counts, the first of them. */
  goneItems(connectionId: string, limit: number): Promise<ConnectionItem[]>;
  /** Items whose documents failed to be read here, the first of them. */
  unreadItems(connectionId: string, limit: number): Promise<UnreadItem[]>;
  /** Items that failed and are due again now, or only after `latest`, in the order of their ids behind `after`. */
  dueItems(connectionId: string, times: DueTimes, page: ItemPage): Promise<ConnectionItem[]>;
  /** Items that wait for room, by their ids, the first behind `after`. */
  waitingItems(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  removeItem(connectionId: string, itemId: string): Promise<void>;
  /** Items with a document, by the ids of the items, the first behind `after`. */
  itemsWithDocuments(connectionId: string, page: ItemPage): Promise<ConnectionItem[]>;
  /** Which of these documents came over a connection, or were left by one. */
  ofDocuments(documentIds: readonly string[]): Promise<OriginOfDocument[]>;
  /** Remembers where the documents of a connection come from that is to be removed; others take them over by the place. */
  leave(connectionId: string, place: string): Promise<void>;
  /** Documents that were left by connections to this place, and that came of this item. */
  leftAt(place: string, itemId: string): Promise<OriginOfDocument[]>;
  /** The document belongs to a connection again. */
  takeOver(documentId: string): Promise<void>;

  insertRun(run: SyncRun): Promise<void>;
  updateRun(run: SyncRun): Promise<void>;
  /** The newest first. */
  runs(connectionId: string, limit: number): Promise<SyncRun[]>;
  /** Removes all but the newest runs of each connection. @returns how many went */
  dropOldRuns(keep: number): Promise<number>;
}
