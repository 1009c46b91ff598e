import type { Kysely } from "kysely";
import type { Database } from "./schema.js";

/** Runs several statements as one change: in the transaction that is open, else in one of its own. */
export async function atomically<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
