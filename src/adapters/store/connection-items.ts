import { type Kysely, type Selectable, sql } from "kysely";
import type { ConnectionStore } from "../../core/ports.js";
import type { ConnectionItem } from "../../core/types.js";
import { listParameter } from "./json.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

type ItemStore = Pick<
  ConnectionStore,
  | "item"
  | "items"
  | "itemIds"
  | "failedItems"
  | "failedItemIds"
  | "keepItem"
  | "noteSeen"
  | "unseen"
  | "countItems"
  | "countDocuments"
  | "countGone"
  | "goneItems"
  | "unreadItems"
  | "dueItems"
  | "waitingItems"
  | "removeItem"
  | "itemsWithDocuments"
>;

/** What is known of each item at the sources. */
export const ITEM_METHODS: RepositoryMethods<ItemStore, StoreContext> = {
  async item({ db }, connectionId, itemId) {
    const row = await of(db, connectionId).where("item_id", "=", itemId).executeTakeFirst();
    return row ? itemOf(row) : null;
  },

  async items({ db }, connectionId, itemIds) {
    const rows = await of(db, connectionId)
      .where("item_id", "in", sql<string>`(select value from json_each(${listParameter(itemIds)}))`)
      .execute();
    return rows.map(itemOf);
  },

  async itemIds({ db }, connectionId, prefix) {
    const rows = await db
      .selectFrom("connection_items")
      .select("item_id")
      .where("connection_id", "=", connectionId)
      .where("item_id", ">=", prefix)
      // In byte order, nothing with this prefix sorts after it.
      .where("item_id", "<", `${prefix}\u{10ffff}`)
      .execute();
    return rows.map((row) => row.item_id);
  },

  async failedItems({ db }, connectionId, page) {
    const rows = await pageOf(db, connectionId, page).where("state", "=", "failed").execute();
    return rows.map(itemOf);
  },

  async failedItemIds({ db }, connectionId, since) {
    const rows = await db
      .selectFrom("connection_items")
      .select("item_id")
      .where("connection_id", "=", connectionId)
      .where("state", "=", "failed")
      .where("seen_at", ">=", since)
      .execute();
    return rows.map((row) => row.item_id);
  },

  async keepItem({ db }, item) {
    const row = rowOf(item);
    const { connection_id: _connection, item_id: _item, ...changed } = row;
    await db
      .insertInto("connection_items")
      .values(row)
      .onConflict((conflict) => conflict.columns(["connection_id", "item_id"]).doUpdateSet(changed))
      .execute();
  },

  async noteSeen({ db }, connectionId, itemIds, { listing, at }) {
    await db
      .updateTable("connection_items")
      .set({ listing, absences: 0, seen_at: at })
      .where("connection_id", "=", connectionId)
      .where("item_id", "in", sql<string>`(select value from json_each(${listParameter(itemIds)}))`)
      .execute();
  },

  async unseen({ db }, connectionId, listing, page) {
    const rows = await pageOf(db, connectionId, page).where("listing", "<", listing).execute();
    return rows.map(itemOf);
  },

  async countItems({ db }, connectionId) {
    const { count } = await db
      .selectFrom("connection_items")
      .leftJoin("documents", "documents.id", "connection_items.document_id")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("connection_id", "=", connectionId)
      .where((where) => where.or([where("documents.id", "is not", null), where("state", "=", "failed")]))
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async countDocuments({ db }, connectionId) {
    const { count } = await db
      .selectFrom("connection_items")
      .innerJoin("documents", "documents.id", "connection_items.document_id")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("connection_id", "=", connectionId)
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async countGone({ db }, connectionId) {
    const { count } = await db
      .selectFrom("connection_items")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("connection_id", "=", connectionId)
      .where("state", "=", "gone")
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async goneItems({ db }, connectionId, limit) {
    const rows = await pageOf(db, connectionId, { after: "", limit }).where("state", "=", "gone").execute();
    return rows.map(itemOf);
  },

  async unreadItems({ db }, connectionId, limit) {
    const rows = await db
      .selectFrom("connection_items")
      .innerJoin("documents", "documents.id", "connection_items.document_id")
      .select(["connection_items.item", "documents.id as documentId", "documents.error_reason as reason"])
      .where("connection_id", "=", connectionId)
      .where("documents.status", "=", "failed")
      .orderBy("item_id")
      .limit(limit)
      .execute();
    return rows.map(({ item, documentId, reason }) => ({ item: readItem(item), documentId, reason }));
  },

  async dueItems({ db }, connectionId, { now, latest }, page) {
    const rows = await pageOf(db, connectionId, page)
      .where((where) => where.or([where("retry_at", "<=", now), where("retry_at", ">", latest)]))
      .execute();
    return rows.map(itemOf);
  },

  async waitingItems({ db }, connectionId, page) {
    const rows = await pageOf(db, connectionId, page).where("state", "=", "waiting").execute();
    return rows.map(itemOf);
  },

  async removeItem({ db }, connectionId, itemId) {
    await db
      .deleteFrom("connection_items")
      .where("connection_id", "=", connectionId)
      .where("item_id", "=", itemId)
      .execute();
  },

  async itemsWithDocuments({ db }, connectionId, page) {
    const rows = await pageOf(db, connectionId, page).where("document_id", "is not", null).execute();
    return rows.map(itemOf);
  },
};

function of(db: Kysely<Database>, connectionId: string) {
  return db.selectFrom("connection_items").selectAll().where("connection_id", "=", connectionId);
}

function pageOf(
  db: Kysely<Database>,
  connectionId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
) {
  return of(db, connectionId).where("item_id", ">", after).orderBy("item_id").limit(limit);
}

export function readItem(text: string): ConnectionItem["item"] {
  return JSON.parse(text) as ConnectionItem["item"];
}

function rowOf({ connectionId, item, ...known }: ConnectionItem): Selectable<Database["connection_items"]> {
  return {
    connection_id: connectionId,
    item_id: item.id,
    document_id: known.documentId,
    version: known.version,
    item: JSON.stringify(item),
    state: known.state,
    reason: known.reason,
    attempts: known.attempts,
    retry_at: known.retryAt,
    listing: known.listing,
    absences: known.absences,
    seen_at: known.seenAt,
  };
}

function itemOf(row: Selectable<Database["connection_items"]>): ConnectionItem {
  return {
    connectionId: row.connection_id,
    item: readItem(row.item),
    documentId: row.document_id,
    version: row.version,
    state: row.state as ConnectionItem["state"],
    reason: row.reason,
    attempts: row.attempts,
    retryAt: row.retry_at,
    listing: row.listing,
    absences: row.absences,
    seenAt: row.seen_at,
  };
}
