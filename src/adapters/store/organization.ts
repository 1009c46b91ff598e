import type { Kysely } from "kysely";
import { createId } from "../../lib/ids.js";
import type { Database } from "./schema.js";

/** One organisation per store: named by the first key, otherwise random. */
export async function settleOrganization(db: Kysely<Database>, wanted: string | undefined): Promise<string> {
  await db
    .insertInto("meta")
    .values({ key: "organization_id", value: wanted ?? createId() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", "organization_id")
    .executeTakeFirstOrThrow();
  return row.value;
}
