import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { createJobStore } from "../../src/adapters/store/jobs.js";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import type { Database } from "../../src/adapters/store/schema.js";
import { sqliteDatabases } from "../../src/adapters/store/sqlite.js";
import type { Clock, JobStore } from "../../src/core/ports.js";
import { noCare } from "./no-care.js";
import { type SeenStatement, watchedConnections } from "./watched-connections.js";

export interface JobDatabase {
  readonly jobs: JobStore;
  readonly db: Kysely<Database>;
  /** Every statement so far, in order. */
  readonly statements: readonly SeenStatement[];
  readonly close: () => Promise<void>;
}

/** A real job store in a temporary folder. */
export async function openJobDatabase(clock: Clock): Promise<JobDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-jobs-"));
  const file = join(folder, "recollect.db");
  const connections = await openSqliteStore({ file, maxMegabytes: 0 });
  const statements: SeenStatement[] = [];
  const watched = watchedConnections(connections, (statement) => void statements.push(statement));
  const { full: db } = sqliteDatabases(watched, { file, care: noCare });
  return {
    db,
    statements,
    jobs: createJobStore(db, clock),
    async close() {
      await db.destroy();
      await rm(folder, { recursive: true });
    },
  };
}
