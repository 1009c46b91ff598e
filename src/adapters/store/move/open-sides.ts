import { existsSync, rmSync, statSync } from "node:fs";
import pg from "pg";
import { AppError } from "../../../core/errors.js";
import { loadSqlite } from "../../../lib/sqlite.js";
import { MIGRATIONS } from "../migrations/index.js";
import { openSqliteStore } from "../open.js";
import { describePostgresError } from "../postgres/errors.js";
import { SCHEMA_VERSION } from "../postgres/migrate.js";
import { readValue } from "../read-value.js";
import { BUSY_PATIENCE_MS, describeSqliteError } from "../sqlite-errors.js";
import { createPostgresSide } from "./postgres-side.js";
import type { RecordSide, SourceSide, TargetSide } from "./record-side.js";
import { createSqliteSide } from "./sqlite-side.js";

const CONNECT_PATIENCE_MS = 5_000;

/** Nothing that affects what is written: a pooler may lend the connection to a service next. */
const SESSION = "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/**
 * Opens a store for reading, even while a service writes to it.
 * @throws AppError `conflict` where this version would first have to change its schema, `corrupt`, `unavailable`
 */
export async function openSqliteSource(file: string): Promise<SourceSide> {
  const { DatabaseSync } = await loadSqlite();
  try {
    const connection = new DatabaseSync(file, { timeout: BUSY_PATIENCE_MS });
    connection.exec("pragma query_only = on");
    const version = Number(readValue(connection, "user_version", "pragma_user_version"));
    if (version === MIGRATIONS.length) return createSqliteSide(connection, file);
    connection.close();
    throw otherSchema(`the store ${file}`);
  } catch (error) {
    throw describeSqliteError(error, file);
  }
}

/** Opens a file that a record is moved to, and creates it if needed. @throws AppError as `openSqliteStore` says */
export async function openSqliteTarget(file: string, maxMegabytes: number): Promise<TargetSide> {
  // Left by a run that ended at the very start, before it held anything.
  if (existsSync(file) && statSync(file).size === 0) rmSync(file);
  const { reader, writer } = await openSqliteStore({ file, maxMegabytes });
  reader.close();
  return createSqliteSide(writer, file);
}

/** @throws AppError `conflict` for a database of another version, `unavailable` when it cannot be reached */
export async function openPostgresSource(url: string, place: string): Promise<SourceSide> {
  const client = await connect(url, place);
  try {
    const { rows } = await client.query<{ version: number }>("select max(version) as version from schema_versions");
    if (rows[0]?.version !== SCHEMA_VERSION) throw otherSchema(`the database ${place}`);
    return createPostgresSide(client, place);
  } catch (error) {
    await client.end();
    if (lacksTable(error)) throw noRecord(place);
    throw describePostgresError(error, place);
  }
}

/** Opens a connection of its own. @throws AppError `unavailable` when the database cannot be reached */
export async function connect(url: string, place: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "recollect move",
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    keepAlive: true,
  });
  // The next query on it reports the error.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(SESSION);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw describePostgresError(error, place);
  }
}

/** The id of the record's organisation; null for a record that was never served. */
export async function organizationIn(side: RecordSide): Promise<string | null> {
  const [row] = await side.query<{ value: string }>("select value from meta where key = 'organization_id'");
  return row?.value ?? null;
}

/** True for a query of a table that does not exist. */
export function lacksTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "42P01";
}

export function noRecord(place: string): AppError {
  return new AppError("not_found", `There is no record to move in ${place}. Nothing was changed.`);
}

function otherSchema(what: string): AppError {
  return new AppError(
    "conflict",
    `The schema of ${what} is that of another version of Recollect. Nothing was changed. Start the service once with this version, then move.`,
  );
}
