import type { Kysely } from "kysely";
import type { KeyProofStore } from "../../core/ports.js";
import type { Database } from "./schema.js";

const PROOF_KEY = "secret_key_proof";

/** Kept in `meta`, so that it moves with the record. */
export function createKeyProofStore(db: Kysely<Database>): KeyProofStore {
  return {
    async read() {
      const row = await db.selectFrom("meta").select("value").where("key", "=", PROOF_KEY).executeTakeFirst();
      return row?.value ?? null;
    },

    async replace(former, proof) {
      if (former === null) {
        const inserted = await db
          .insertInto("meta")
          .values({ key: PROOF_KEY, value: proof })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
      }
      const { numUpdatedRows } = await db
        .updateTable("meta")
        .set({ value: proof })
        .where("key", "=", PROOF_KEY)
        .where("value", "=", former)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
