import type { JobStore } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import type { RepositoryMethods, StoreContext } from "./repository.js";

type RecurringRuns = Pick<JobStore, "lastRun" | "setLastRun" | "takeRun">;

/** When recurring work last ran. */
export const RECURRING_METHODS: RepositoryMethods<RecurringRuns, StoreContext> = {
  async lastRun({ db }, name) {
    const row = await db.selectFrom("schedules").select("last_run_at").where("name", "=", name).executeTakeFirst();
    return row ? new Date(row.last_run_at) : null;
  },

  async setLastRun({ db }, name, at) {
    const last_run_at = iso(at);
    await db
      .insertInto("schedules")
      .values({ name, last_run_at })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_run_at }))
      .execute();
  },

  async takeRun({ db }, name, { known, at }) {
    const { numUpdatedRows } = await db
      .updateTable("schedules")
      .set({ last_run_at: iso(at) })
      .where("name", "=", name)
      .where("last_run_at", "=", iso(known))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
};
