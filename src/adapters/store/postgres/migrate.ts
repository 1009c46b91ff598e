import type pg from "pg";
import { AppError } from "../../../core/errors.js";
import { MIGRATION_LOCK } from "./advisory-lock.js";
import { reportWaiting } from "./lock-wait.js";
import { MIGRATIONS } from "./migrations/index.js";
import { ATTEMPTS_TABLE } from "./shared-attempts.js";

/** The version of the schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The server ends a migration whose node freezes: others wait for it. */
const SPEAKS_WITHIN = "set local idle_in_transaction_session_timeout = '60s'";

/**
 * Brings the schema up to date, in one transaction.
 * @param migrations all by default; fewer give the schema of an earlier version
 * @param onWait receives a sentence when somebody else has to finish first
 * @returns the version before and after
 * @throws AppError `conflict` when a later version of this program wrote it, or another program
 */
export async function migrate(
  pool: pg.Pool,
  place: string,
  migrations = MIGRATIONS,
  onWait: (reason: string) => void = () => undefined,
): Promise<{ from: number; to: number }> {
  const client = await pool.connect();
  let stopReporting = (): void => undefined;
  try {
    await client.query(`begin; ${SPEAKS_WITHIN}`);
    const { rows: connections } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    stopReporting = reportWaiting(pool, connections[0]?.pid ?? 0, onWait);
    await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await refuseForeign(client, place);
    await requireUnicode(client, place);
    await client.query(
      "create table if not exists schema_versions (version int primary key, reached_at timestamptz not null)",
    );
    const { rows } = await client.query<{ version: number | null }>(
      "select max(version) as version from schema_versions",
    );
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length)
      throw new AppError(
        "conflict",
        `The database ${place} was written by a newer version of Recollect. Nothing was changed. Start that version, or restore a backup from before it.`,
      );
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      await client.query(migration);
      await client.query("insert into schema_versions values ($1, now())", [index + 1]);
    }
    await client.query(ATTEMPTS_TABLE);
    await client.query("commit");
    client.release();
    return { from: version, to: migrations.length };
  } catch (error) {
    client.release(true);
    throw error;
  } finally {
    stopReporting();
  }
}

/** DATABASE_URL is a name that other programs also use for their own database. */
async function refuseForeign(client: pg.PoolClient, place: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  );
  const [first] = rows;
  if (first === undefined || rows.some(({ name }) => name === "schema_versions")) return;
  throw new AppError(
    "conflict",
    `The database ${place} contains tables of another program, such as ${first.name}. Nothing was changed. Name an empty database.`,
  );
}

async function requireUnicode(client: pg.PoolClient, place: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("show server_encoding");
  if (rows[0]?.server_encoding === "UTF8") return;
  throw new AppError(
    "conflict",
    `The database ${place} is encoded in ${rows[0]?.server_encoding}, which cannot store every text. Nothing was changed. Name a database that was created with encoding UTF8.`,
  );
}
