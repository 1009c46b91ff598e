import type { Kysely } from "kysely";
import type { Clock, SettingsStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { fixedQuery } from "./fixed-query.js";
import { fromJson } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

const selectSettings = fixedQuery((db, slot) =>
  db
    .selectFrom("settings")
    .select("value")
    .where("organization_id", "=", slot<string>(0))
    .where("client", "=", slot<string>(1)),
);

const settingsStore = repositoryOf<SettingsStore, StoreContext>({
  async read({ db }, organizationId, client) {
    const [row] = await selectSettings(db, organizationId, client);
    return row ? fromJson<Record<string, unknown>>(row.value) : null;
  },

  async write({ db, clock }, organizationId, client, value) {
    const written = { value: JSON.stringify(value), updated_at: iso(clock.now()) };
    await db
      .insertInto("settings")
      .values({ organization_id: organizationId, client, ...written })
      .onConflict((conflict) => conflict.columns(["organization_id", "client"]).doUpdateSet(written))
      .execute();
  },

  async clear({ db }, organizationId) {
    const removed = await db
      .deleteFrom("settings")
      .where("organization_id", "=", organizationId)
      .returning("client")
      .execute();
    return removed.length;
  },
});

export function createSettingsStore(db: Kysely<Database>, clock: Clock): SettingsStore {
  return settingsStore({ db, clock });
}
