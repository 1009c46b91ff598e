import type { Kysely } from "kysely";
import type { Clock, OperationStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const operationStore = repositoryOf<OperationStore, StoreContext>({
  async find({ db }, operationId) {
    const row = await db.selectFrom("operations").select("result").where("id", "=", operationId).executeTakeFirst();
    return row ? { result: JSON.parse(row.result) as unknown } : null;
  },
  async save({ db, clock }, operationId, result) {
    await db
      .insertInto("operations")
      .values({ id: operationId, result: JSON.stringify(result), created_at: iso(clock.now()) })
      .execute();
  },
  async dropBefore({ db }, moment) {
    const rows = await db.deleteFrom("operations").where("created_at", "<", iso(moment)).returning("id").execute();
    return rows.length;
  },
});

export function createOperationStore(db: Kysely<Database>, clock: Clock): OperationStore {
  return operationStore({ db, clock });
}
