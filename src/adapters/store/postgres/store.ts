import { statfs } from "node:fs/promises";
import { type Driver, DummyDriver, Kysely, sql } from "kysely";
import pg from "pg";
import type { Clock, Store, StoreHealth } from "../../../core/ports.js";
import { settleOrganization } from "../organization.js";
import { DIALECT } from "../record-executor.js";
import { noteDatabase, requireRecordPlace } from "../record-place.js";
import { repositoriesOver } from "../repositories.js";
import type { Database } from "../schema.js";
import type { Durability } from "../sqlite-writer.js";
import { createTextIndexStore } from "../text-index-rewriting.js";
import { atomically } from "../transact.js";
import { createVectorRecord } from "../vector-record.js";
import { createVectorSpaces } from "../vector-spaces.js";
import { describePostgresError } from "./errors.js";
import { type PostgresConnections, PostgresExecutor } from "./executor.js";
import { migrate } from "./migrate.js";
import { type DatabasePossession, possessDatabase } from "./possession.js";
import { placeOf } from "./place.js";
import { PostgresWriter } from "./writer.js";

export interface PostgresStoreOptions {
  /** As `postgres://user:password@host:5432/name`, with the library's options behind `?`. */
  readonly url: string;
  /** Of uploaded files and keys, whose disk is looked at. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Called when the schema of a record that was there before is changed. */
  readonly onUpgrade?: ((upgrade: { readonly from: number; readonly to: number }) => void) | undefined;
  /** Becomes the organisation's id when the record is new. */
  readonly organizationId?: string | undefined;
  /** Most connections of this process at a time. Default 10. */
  readonly maxConnections?: number | undefined;
}

const MAX_CONNECTIONS = 10;
const CONNECT_PATIENCE_MS = 5_000;

/**
 * The record in a PostgreSQL database, 15 or later, that any number of processes share; durable before any call returns, except
 * for what `background` writes.
 * @throws AppError `unavailable` when it cannot be reached or refuses, `conflict` when a later version wrote it, another service
 *   uses it, or the data folder has a record of its own
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, maxConnections = MAX_CONNECTIONS } = options;
  const place = placeOf(url);
  requireRecordPlace(options.dataDirectory, place);
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    application_name: "recollect",
  });
  // A connection may end while nothing is asked of it, idle or within a transaction: whoever uses it next is told.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  let possession: DatabasePossession | undefined;
  try {
    possession = await possessDatabase(url, place);
    const upgrade = await migrate(pool, place);
    if (upgrade.from > 0 && upgrade.from < upgrade.to) options.onUpgrade?.(upgrade);
    const store = await storeOver({ pool, place, possession }, options);
    noteDatabase(options.dataDirectory, place);
    return store;
  } catch (error) {
    await possession?.close();
    await pool.end();
    throw describePostgresError(error, place);
  }
}

interface OpenedDatabase {
  readonly pool: pg.Pool;
  readonly place: string;
  readonly possession: DatabasePossession;
}

async function storeOver(
  { pool, place, possession }: OpenedDatabase,
  { clock, dataDirectory, organizationId: wanted }: PostgresStoreOptions,
): Promise<Store> {
  const writer = new PostgresWriter(pool, { place, permit: () => possession.require() });
  const connections: PostgresConnections = { pool, place, writer };
  const full = databaseOver(connections, "full");
  const organizationId = await settleOrganization(full, wanted);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= possession.close().then(() => pool.end()));
  const over = (db: Kysely<Database>): Store => ({
    ...repositoriesOver(db, clock),
    ...createVectorSpaces(db, clock),
    vectors: createVectorRecord(db),
    textIndex: createTextIndexStore(db),
    organizationId,
    get background() {
      return this;
    },
    transaction: (work) => atomically(db, (transaction) => work(repositoriesOver(transaction, clock))),
    health: () => inspectHealth(db, dataDirectory),
    scrub: () => scrub(pool, place),
    lost: possession.lost,
    isInPlace: () => possession.isHeld(),
    fullAt: () => null,
    close,
  });
  return { ...over(full), background: over(databaseOver(connections, "normal")) };
}

function databaseOver(connections: PostgresConnections, durability: Durability): Kysely<Database> {
  const driver: Driver = new DummyDriver();
  const executor = new PostgresExecutor(connections, durability);
  return new Kysely<Database>({ config: { dialect: DIALECT }, dialect: DIALECT, driver, executor });
}

/** Lets the server write over what was deleted; its log and its backups are its own. */
async function scrub(pool: pg.Pool, place: string): Promise<void> {
  try {
    await pool.query("vacuum");
  } catch (error) {
    throw describePostgresError(error, place);
  }
}

async function inspectHealth(db: Kysely<Database>, dataDirectory: string): Promise<StoreHealth> {
  const { rows } = await sql<{ documents: number; chunks: number; memories: number; lost: number; bytes: number }>`
    select (select count(*) from documents) as documents, (select count(*) from chunks) as chunks,
      (select count(*) from memories) as memories,
      (select count(*) from chunks where document_id not in (select id from documents)) as lost,
      pg_database_size(current_database()) as bytes`.execute(db);
  const [counts] = rows;
  const disk = await statfs(dataDirectory);
  return {
    problems: counts && counts.lost > 0 ? [`${counts.lost} chunks have no document`] : [],
    documents: counts?.documents ?? 0,
    chunks: counts?.chunks ?? 0,
    memories: counts?.memories ?? 0,
    bytes: counts?.bytes ?? 0,
    // The server's disk is not seen from here; uploaded files lie on this one.
    freeBytes: disk.bavail * disk.bsize,
    fullAt: null,
    folderOpenTo: null,
  };
}
