import { type Selectable, sql } from "kysely";
import type { ConnectionStore, OriginOfDocument } from "../../core/ports.js";
import { readItem } from "./connection-items.js";
import { listParameter } from "./json.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

type OriginStore = Pick<ConnectionStore, "ofDocuments" | "leave" | "leftAt" | "takeOver">;

/** Which connection documents came over, or what is still known of it after its removal. */
export const ORIGIN_METHODS: RepositoryMethods<OriginStore, StoreContext> = {
  async ofDocuments({ db }, documentIds) {
    const named = sql<string>`(select value from json_each(${listParameter(documentIds)}))`;
    const rows = await db
      .selectFrom("connection_items")
      .select(["document_id", "connection_id", "item_id", "item", "version", "seen_at"])
      .where("document_id", "in", named)
      .execute();
    const left = await db.selectFrom("left_items").selectAll().where("document_id", "in", named).execute();
    const owned = rows.flatMap(({ document_id: documentId, ...row }) =>
      documentId === null ? [] : [{ documentId, connectionId: row.connection_id, place: null, ...knownOf(row) }],
    );
    return [...left.map(originOfLeft), ...owned];
  },

  async leave({ db }, connectionId, place) {
    await sql`insert into left_items (document_id, place, item_id, item, version, seen_at)
      select document_id, ${place}, item_id, item, version, seen_at from connection_items own
      where connection_id = ${connectionId} and exists (select 1 from documents where id = own.document_id)
        and not exists (select 1 from connection_items other
          where other.document_id = own.document_id and other.connection_id <> own.connection_id)
      on conflict (document_id) do update set place = excluded.place, item_id = excluded.item_id, item = excluded.item,
        version = excluded.version, seen_at = excluded.seen_at`.execute(db);
  },

  async leftAt({ db }, place, itemId) {
    const rows = await db
      .selectFrom("left_items")
      .selectAll()
      .where("place", "=", place)
      .where("item_id", "=", itemId)
      .execute();
    return rows.map(originOfLeft);
  },

  async takeOver({ db }, documentId) {
    await db.deleteFrom("left_items").where("document_id", "=", documentId).execute();
  },
};

type Row = Selectable<Database["left_items"]>;

function originOfLeft({ document_id: documentId, place, ...row }: Row): OriginOfDocument {
  return { documentId, connectionId: null, place, ...knownOf(row) };
}

function knownOf({ item_id: itemId, item, version, seen_at: seenAt }: Omit<Row, "document_id" | "place">) {
  return { itemId, address: readItem(item).address, version, seenAt };
}
