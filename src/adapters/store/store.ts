import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Kysely, sql } from "kysely";
import type { Clock, Store, StoreHealth } from "../../core/ports.js";
import { sqliteCodeOf, type SqliteConnection } from "../../lib/sqlite.js";
import { iso } from "../../lib/time.js";
import { createChangeFeed } from "./change-feed.js";
import { createCheckpointer } from "./checkpointer.js";
import { type FileGuard, guardFiles } from "./file-guard.js";
import { createKeyProofStore } from "./key-proof.js";
import { openLogFile } from "./log-file.js";
import { openSqliteStore, type OpenOptions } from "./open.js";
import { settleOrganization } from "./organization.js";
import { countRecord, findLostRows } from "./record-health.js";
import { requireRecordPlace } from "./record-place.js";
import { repositoriesOver } from "./repositories.js";
import type { Database } from "./schema.js";
import { scrubFile } from "./scrub.js";
import { sqliteDatabases } from "./sqlite.js";
import { BUSY_PATIENCE_MS } from "./sqlite-errors.js";
import type { Durability } from "./sqlite-writer.js";
import { atomically } from "./transact.js";
import { createTextIndexStore } from "./text-index-rewriting.js";
import { createUnitCaches, type UnitCaches } from "./unit-caches.js";
import { createVectorRecord } from "./vector-record.js";
import { createVectorSpaces } from "./vector-spaces.js";
import { STORE_FILE } from "../../lib/store-file.js";

export interface SqliteStoreOptions {
  readonly dataDirectory: string;
  /** 0 for no quota. */
  readonly maxMegabytes: number;
  readonly clock: Clock;
  /** Becomes the organisation's id when the store is new. */
  readonly organizationId?: string | undefined;
  /** How long to wait for another program's lock, in milliseconds. Default 5,000. */
  readonly patienceMs?: number | undefined;
  /** Memory that rewriting the file may take, in MB; a larger file goes through the disk. Default 256. */
  readonly vacuumMegabytes?: number | undefined;
  /** Called once the schema of an existing store is changed. */
  readonly onUpgrade?: OpenOptions["onUpgrade"];
}

const VACUUM_MEGABYTES = 256;

/**
 * The record in one SQLite file, durable before any call returns; what `background` writes becomes durable with the next commit
 * that is.
 * @throws AppError as `openSqliteStore` says
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  requireRecordPlace(options.dataDirectory, undefined);
  const file = join(options.dataDirectory, STORE_FILE);
  const { clock, maxMegabytes, patienceMs = BUSY_PATIENCE_MS, vacuumMegabytes = VACUUM_MEGABYTES } = options;
  const connections = await openSqliteStore({ file, maxMegabytes, patienceMs, onUpgrade: options.onUpgrade });
  const feed = createChangeFeed(connections.writer);
  const caches = createUnitCaches(feed);
  const guard = guardFiles(file);
  const log = openLogFile(file);
  const checkpointer = createCheckpointer(file, log);
  const committed = (): void => {
    feed.publish();
    checkpointer.look();
  };
  const sync = (): Promise<void> => log.sync().finally(() => guard.require());
  const care = { permit: () => guard.require(), committed, sync };
  let fullAt: Date | null = null;
  const noteFull = (): void => {
    fullAt = clock.now();
  };
  void guard.lost.then(() => saveRemovedLog(connections.reader));
  const { full: db, normal, alone } = sqliteDatabases(connections, { file, patienceMs, care, noteFull });
  const letGo = async (): Promise<void> => {
    guard.close();
    await db.destroy();
    feed.close();
    await log.close();
  };
  const organizationId = await settleOrganization(db, options.organizationId).catch(async (error: unknown) => {
    await letGo();
    throw error;
  });

  const close = async (): Promise<void> => {
    // SQLite would remove the log of whatever has taken the place of the files.
    if (!guard.isInPlace()) return;
    await checkpointer.close();
    tidyUp(connections.writer);
    await letGo();
  };
  const over = (database: Kysely<Database>, durability: Durability): Store =>
    storeOver(database, {
      file,
      clock,
      caches,
      organizationId,
      guard,
      fullAt: () => fullAt,
      scrub: (signal) =>
        scrubFile(database, {
          file,
          largestInMemory: vacuumMegabytes * 1024 * 1024,
          patienceMs,
          alone: (work) => alone(work, durability),
          signal,
        }),
      close,
    });
  return { ...over(db, "full"), background: over(normal, "normal") };
}

interface Surroundings {
  readonly file: string;
  readonly clock: Clock;
  readonly caches: UnitCaches;
  readonly organizationId: string;
  readonly guard: FileGuard;
  readonly fullAt: Store["fullAt"];
  readonly scrub: Store["scrub"];
  readonly close: () => Promise<void>;
}

function storeOver(db: Kysely<Database>, surroundings: Surroundings): Store {
  const { file, clock, caches, organizationId, guard, fullAt, scrub, close } = surroundings;
  return {
    ...repositoriesOver(db, clock, caches),
    vectors: createVectorRecord(db),
    textIndex: createTextIndexStore(db),
    keyProof: createKeyProofStore(db),
    attempts: null,
    workSignal: null,
    vectorFeeder: null,
    organizationId,

    get background() {
      return this;
    },

    transaction: (work) => atomically(db, (transaction) => work(repositoriesOver(transaction, clock))),

    ...createVectorSpaces(db, clock),

    async health({ deep }) {
      const at = fullAt();
      return { ...(await inspectHealth(db, file, deep)), fullAt: at && iso(at) };
    },

    scrub,
    lost: guard.lost,
    isInPlace: () => guard.isInPlace(),
    fullAt,
    close,
  };
}

/** The removed log is still open: moves all it holds into the file, if that still exists. */
function saveRemovedLog(connection: SqliteConnection): void {
  tolerate(() => connection.exec("pragma wal_checkpoint(passive)"));
}

/**
 * Leaves a single file without a log. Only a convenience for the next start: nothing is lost when the store is locked or the
 * disk is full, so this must neither prevent closing nor delay it.
 */
function tidyUp(connection: SqliteConnection): void {
  tolerate(() => {
    connection.exec("pragma wal_checkpoint(truncate)");
  });
}

function tolerate(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (sqliteCodeOf(error) === undefined) throw error;
  }
}

async function inspectHealth(db: Kysely<Database>, file: string, deep: boolean): Promise<Omit<StoreHealth, "fullAt">> {
  const disk = await statfs(dirname(file));
  return {
    ...(await countRecord(db)),
    problems: deep ? await findProblems(db) : [],
    bytes: statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0),
    freeBytes: disk.bavail * disk.bsize,
    folderOpenTo: opennessOf(statSync(dirname(file)).mode),
  };
}

/** Windows has no such modes; Node invents some there. */
function opennessOf(mode: number): StoreHealth["folderOpenTo"] {
  if (process.platform === "win32" || (mode & 0o077) === 0) return null;
  return (mode & 0o022) === 0 ? "reading" : "writing";
}

/** One damaged page causes hundreds of findings. */
const SHOWN_PROBLEMS = 5;

async function findProblems(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db);
  const lines = rows.flatMap((row) => row.integrity_check.split("\n"));
  const problems = lines.filter((line) => line !== "ok" && !line.startsWith("***")).slice(0, SHOWN_PROBLEMS);
  return [...problems, ...(await findLostRows(db))];
}
