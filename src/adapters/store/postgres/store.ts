import { statfs } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import type { Clock, Repositories, Store, StoreHealth } from "../../../core/ports.js";
import type { AppError } from "../../../core/errors.js";
import { count } from "../../../lib/count.js";
import { iso, sleep } from "../../../lib/time.js";
import { createKeyProofStore } from "../key-proof.js";
import { settleOrganization } from "../organization.js";
import { databaseOver } from "../record-executor.js";
import { countRecord, findLostRows } from "../record-health.js";
import { requireServable } from "../move/move-note.js";
import { noteDatabase, requireRecordPlace } from "../record-place.js";
import { repositoriesOver } from "../repositories.js";
import type { Database } from "../schema.js";
import { createTimedCounts } from "../timed-counts.js";
import { createTextIndexStore } from "../text-index-rewriting.js";
import { atomically } from "../transact.js";
import { createVectorRecord } from "../vector-record.js";
import { createVectorSpaces } from "../vector-spaces.js";
import { describePostgresError } from "./errors.js";
import { type PostgresConnections, PostgresExecutor } from "./executor.js";
import { migrate } from "./migrate.js";
import { type DatabasePossession, possessDatabase } from "./possession.js";
import { placeOf } from "./place.js";
import { beginSession } from "./prepared.js";
import { createSharedAttempts } from "./shared-attempts.js";
import { createVectorFeeder } from "./vector-feeder.js";
import { createWorkSignal } from "./work-signal.js";
import { createSliceTurns } from "./slice-turns.js";
import { BEGUN_AT_ONCE, PostgresWriter } from "./writer.js";

export interface PostgresStoreOptions {
  /** As `postgres://user:password@host:5432/name`, with the library's options behind `?`. */
  readonly url: string;
  /** Holds uploaded files and keys; its free space is checked. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Called when the schema of an existing record is changed. */
  readonly onUpgrade?: ((upgrade: { readonly from: number; readonly to: number }) => void) | undefined;
  /** Receives a sentence when somebody else has to finish before the tables can be brought up to date. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Becomes the organisation's id when the record is new. */
  readonly organizationId?: string | undefined;
  /** True where other services use the database at the same time. Default false. */
  readonly isShared?: boolean | undefined;
  /** Most connections of this process at a time. Default 10. */
  readonly maxConnections?: number | undefined;
  /** How long a statement with a filter may take, in milliseconds. Default 30,000. */
  readonly longestFilterMs?: number | undefined;
}

const MAX_CONNECTIONS = 10;
const CONNECT_PATIENCE_MS = 5_000;
const CLOSE_PATIENCE_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * The record in a PostgreSQL database, version 15 or later, for one service or several; durable before any call returns, except
 * for what `background` writes.
 * @throws AppError `unavailable` when it cannot be reached or refuses, `conflict` when a later version wrote it, another service
 *   uses it, or the data folder has a record of its own
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, isShared = false, maxConnections = MAX_CONNECTIONS } = options;
  const place = placeOf(url);
  requireRecordPlace(options.dataDirectory, place);
  const pool = openPool(url, { max: maxConnections, settings: `${SESSION}; ${PLANNED_EACH_TIME}` });
  // A pool of its own, so that readers, however many, never keep it waiting.
  const writing = openPool(url, {
    max: BEGUN_AT_ONCE,
    pipeline: true,
    maxLifetimeSeconds: PLANS_LAST_S,
    settings: SESSION,
  });
  let possession: DatabasePossession | undefined;
  try {
    const onSilent = (): void => [pool, writing].forEach(cutConnections);
    possession = await possessDatabase(url, { place, isShared, onSilent });
    const upgrade = await migrate(pool, place, undefined, options.onWait);
    await requireServable(pool, place);
    if (upgrade.from > 0 && upgrade.from < upgrade.to) options.onUpgrade?.(upgrade);
    const store = await storeOver({ pool, writing, place, possession }, options);
    noteDatabase(options.dataDirectory, place);
    return store;
  } catch (error) {
    await Promise.all([pool.end(), writing.end()]);
    await possession?.close();
    throw describePostgresError(error, place);
  }
}

/**
 * Makes the server release a connection's locks when the client is gone. Through a pooler it applies to the pooler's own
 * connection.
 */
const SESSION = "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/** What a search finds depends on its parameters, and so does the best plan. */
const PLANNED_EACH_TIME = "set plan_cache_mode = force_custom_plan";
/**
 * Statements of transactions find rows by key, so one plan serves all. A plan made while a table was small is dropped when the
 * server has counted its rows anew, or with its connection.
 */
const PLANS_LAST_S = 300;

interface PoolOptions extends Pick<pg.PoolConfig, "max" | "maxLifetimeSeconds" | "pipeline"> {
  /** Statements that every connection begins with. */
  readonly settings: string;
}

function openPool(url: string, { settings, ...options }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...options,
    connectionString: url,
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "recollect",
    onConnect: (client) => beginSession(client, settings),
  });
  // A connection may end while nothing runs on it, idle or within a transaction: the next query on it reports the error.
  pool.on("error", () => undefined);
  const clients = new Set<pg.PoolClient>();
  pool.on("connect", (client) => {
    clients.add(client);
    client.on("error", () => undefined);
  });
  pool.on("remove", (client) => clients.delete(client));
  clientsOf.set(pool, clients);
  return pool;
}

const clientsOf = new WeakMap<pg.Pool, ReadonlySet<pg.PoolClient>>();

/** What waits for an answer on a line that has gone dead would wait for a quarter of an hour. */
function cutConnections(pool: pg.Pool): void {
  for (const client of clientsOf.get(pool) ?? []) client.connection.stream.destroy();
}

interface OpenedDatabase {
  readonly pool: pg.Pool;
  readonly writing: pg.Pool;
  readonly place: string;
  readonly possession: DatabasePossession;
}

async function storeOver(
  { pool, writing, place, possession }: OpenedDatabase,
  { url, clock, dataDirectory, organizationId: wanted, isShared = false, longestFilterMs }: PostgresStoreOptions,
): Promise<Store> {
  const state: WritingState = { fullAt: null, problem: null };
  const committed = (): void => {
    state.problem = null;
  };
  const failed = (reason: AppError): void => {
    state.problem = reason.message;
    if (reason.kind === "storage_full") state.fullAt = clock.now();
  };
  const writer = new PostgresWriter(writing, { place, permit: () => possession.require(), committed, failed });
  const sliceTurns = createSliceTurns({ pool, place }, longestFilterMs);
  const connections: PostgresConnections = { pool, place, writer, sliceTurns };
  const full = databaseOver(new PostgresExecutor(connections, "full"));
  const organizationId = await settleOrganization(full, wanted);
  const caches = { counts: createTimedCounts() };
  const attempts = isShared ? createSharedAttempts(url) : null;
  const workSignal = isShared ? createWorkSignal(url, pool) : null;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  const end = async (): Promise<void> => {
    // Work in progress ends before another service may have the database; work that never ends is not waited for.
    const ends = Promise.all([pool.end(), writing.end(), attempts?.close(), workSignal?.close()]);
    await Promise.race([ends, sleep(CLOSE_PATIENCE_MS, { unref: true })]);
    await possession.close();
  };
  const repositories = (db: Kysely<Database>): Repositories => repositoriesOver(db, clock, caches);
  const over = (db: Kysely<Database>): Store => ({
    ...repositories(db),
    ...createVectorSpaces(db, clock),
    vectors: createVectorRecord(db),
    textIndex: createTextIndexStore(db),
    keyProof: createKeyProofStore(db),
    attempts,
    workSignal,
    vectorFeeder: isShared ? createVectorFeeder(url) : null,
    organizationId,
    get background() {
      return this;
    },
    transaction: (work) => atomically(db, (transaction) => work(repositories(transaction))),
    health: ({ deep }) => inspectHealth(db, { dataDirectory, deep, isShared, state }),
    scrub: () => scrub(pool, place),
    lost: possession.lost,
    isInPlace: () => possession.isHeld(),
    fullAt: () => state.fullAt,
    close,
  });
  return { ...over(full), background: over(databaseOver(new PostgresExecutor(connections, "normal"))) };
}

/** Lets the server overwrite what was deleted; its log and its backups are its own business. */
async function scrub(pool: pg.Pool, place: string): Promise<void> {
  try {
    await pool.query("vacuum");
  } catch (error) {
    throw describePostgresError(error, place);
  }
}

/** What is known of writing without trying it. */
interface WritingState {
  /** When the server last had no room. */
  fullAt: Date | null;
  /** Why nothing can be written, until something was. */
  problem: string | null;
}

interface Inspected {
  readonly dataDirectory: string;
  readonly deep: boolean;
  readonly isShared: boolean;
  readonly state: WritingState;
}

/** What nodes write and compare, apart from leases, are times of their own clocks. */
const MOST_SKEW_MS = 5_000;

function describeSkew(aheadMs: number): string[] {
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return [];
  const seconds = count(Math.round(Math.abs(aheadMs) / 1_000), "second");
  return [
    `The clock of this machine is ${seconds} ${aheadMs > 0 ? "ahead of" : "behind"} the database's. Keep the clocks of all nodes in sync: otherwise what one of them plans or lets expire is early or late by as much.`,
  ];
}

async function inspectHealth(
  db: Kysely<Database>,
  { dataDirectory, deep, isShared, state }: Inspected,
): Promise<StoreHealth> {
  const asked = Date.now();
  const { rows } = await sql<{ bytes: number; now: number }>`select pg_database_size(current_database()) as bytes,
    extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
  const aheadMs = (asked + Date.now()) / 2 - (rows[0]?.now ?? asked);
  const disk = await statfs(dataDirectory);
  return {
    ...(await countRecord(db)),
    problems: [
      ...(state.problem === null ? [] : [state.problem]),
      ...(isShared ? describeSkew(aheadMs) : []),
      ...(deep ? await findLostRows(db) : []),
    ],
    bytes: rows[0]?.bytes ?? 0,
    // The server's disk cannot be seen from here; uploaded files are on this one.
    freeBytes: disk.bavail * disk.bsize,
    fullAt: state.fullAt && iso(state.fullAt),
    folderOpenTo: null,
  };
}
