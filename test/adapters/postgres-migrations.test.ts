import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { MIGRATION_LOCK } from "../../src/adapters/store/postgres/advisory-lock.js";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";
import { MIGRATIONS } from "../../src/adapters/store/postgres/migrations/index.js";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import type { Store } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";
import type { PostgresServer } from "../support/postgres.js";

const EARLIER = MIGRATIONS.slice(1).map((_, index) => index + 1);

/** Columns sorted by name, since a later migration adds them at the end, and indexes with their options. */
const SHAPE = `
  select table_name as of, column_name as name, data_type || coalesce(column_default, '') || is_nullable as shape
    from information_schema.columns where table_schema = 'public'
  union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
  union all select event_object_table, trigger_name, action_statement
    from information_schema.triggers where trigger_schema = 'public'
  union all select proname, pg_get_function_identity_arguments(oid), pg_get_functiondef(oid)
    from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
  order by 1, 2, 3`;

describeOnPostgres("migrations of PostgreSQL", (server) => {
  test.each(EARLIER)("a record of version %i gets the same schema as a new one", async (version) => {
    const [upgraded, made] = [await openDatabase(server), await openDatabase(server)];
    try {
      await migrate(upgraded, "of an earlier version", MIGRATIONS.slice(0, version));
      await expect(migrate(upgraded, "of an earlier version")).resolves.toEqual({
        from: version,
        to: MIGRATIONS.length,
      });
      await migrate(made, "of this version");
      const shapes = await Promise.all([upgraded, made].map(async (pool) => (await pool.query(SHAPE)).rows));
      expect(shapes[0]?.length).toBeGreaterThan(100);
      expect(shapes[0]).toEqual(shapes[1]);
    } finally {
      await Promise.all([upgraded.end(), made.end()]);
    }
  });

  test("a service that waits for another one's migration says for whom, and what to do", async () => {
    const [url, dataDirectory] = [await server.createDatabase(), await mkdtemp(join(tmpdir(), "recollect-waiting-"))];
    const frozen = new pg.Client({ connectionString: url, application_name: "frozen node" });
    try {
      await frozen.connect();
      await frozen.query(`begin; select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const { rows } = await frozen.query<{ pid: number }>("select pg_backend_pid() as pid");
      const pid = rows[0]?.pid;
      let store: Promise<Store> | undefined;
      const reason = await new Promise<string>((onWait, reject) => {
        store = createPostgresStore({ url, dataDirectory, clock: new ManualClock(), onWait });
        store.catch(reject);
      });
      expect(reason).toMatch(new RegExp(`process ${pid} of the server \\(frozen node from .*, since \\d{4}-.*Z\\)`));
      expect(reason).toContain(`select pg_terminate_backend(${pid})`);
      await frozen.query("rollback");
      await (await store)?.close();
    } finally {
      await frozen.end();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  });

  test("functions that replace SQLite's are inlined in query plans, and the steps of a path are computed once", async () => {
    const pool = await openDatabase(server);
    try {
      await migrate(pool, "of this version");
      const { rows } = await pool.query<{ "QUERY PLAN": string }>(
        `explain (verbose) select seq from memories where sqlite_json_type(metadata, '$."a.b"') = metadata ->> '$.c'`,
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("'{a.b}'::text[]");
      expect(plan).not.toMatch(/sqlite_json_(?:steps|at|type\(|member_value)/);
    } finally {
      await pool.end();
    }
  });

  test("each search rereads little of what was written last, however much it was", async () => {
    const pool = await openDatabase(server);
    try {
      await migrate(pool, "of this version");
      await pool.query(`insert into text_index (rowid, words)
          select number, cast('''t:word' || number || ''' ''t:other' || number || '''' as tsvector) from generate_series(1, 5000) number`);
      const { rows } = await pool.query<{ "QUERY PLAN": string }>(
        "explain select rowid from text_index where words @@ cast('''t:word17''' as tsquery)",
      );
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("text_index_words");
    } finally {
      await pool.end();
    }
  });
});

async function openDatabase(server: PostgresServer): Promise<pg.Pool> {
  return new pg.Pool({ connectionString: await server.createDatabase() });
}
