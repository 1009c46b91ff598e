import { DummyDriver, type Kysely } from "kysely";
import type { SqliteConnection } from "../../lib/sqlite.js";
import type { Database } from "./schema.js";
import { BUSY_PATIENCE_MS } from "./sqlite-errors.js";
import { databaseOver } from "./record-executor.js";
import { type Connections, SqliteExecutor } from "./sqlite-executor.js";
import { SqliteSession } from "./sqlite-session.js";
import { QueryCache } from "./query-cache.js";
import { EventLoopScheduler } from "./event-loop-scheduler.js";
import { type CommitCare, type Durability, SqliteWriter } from "./sqlite-writer.js";

/** Two connections to one file. */
export interface SqliteConnections {
  readonly writer: SqliteConnection;
  /** Sees what is committed, whatever the other one is doing. */
  readonly reader: SqliteConnection;
}

export interface SqliteOptions {
  /** For messages. */
  readonly file: string;
  /** How long to wait for another program's lock, in milliseconds. Default 5,000. */
  readonly patienceMs?: number | undefined;
  readonly care: CommitCare;
  /** As for `SqliteSession`. */
  readonly noteFull?: () => void;
}

/** Both durabilities of the record, and exclusive access to its file. */
export interface SqliteDatabases extends Readonly<Record<Durability, Kysely<Database>>> {
  /** As `SqliteWriter.alone`. */
  readonly alone: SqliteWriter["alone"];
}

/**
 * Kysely over synchronous connections. Reads never wait for a transaction; transactions (`atomically`) do not interleave.
 * @returns a database for each durability; both take turns, callers (`full`) before the background (`normal`), and destroying
 *   `full` closes the connections
 */
export function sqliteDatabases(
  { writer, reader }: SqliteConnections,
  { file, patienceMs = BUSY_PATIENCE_MS, care, noteFull }: SqliteOptions,
): SqliteDatabases {
  const scheduler = new EventLoopScheduler();
  const readerSession = new SqliteSession(reader, file, patienceMs);
  const queryCache = new QueryCache(readerSession);
  const committed = (): void => {
    queryCache.doubt();
    care.committed();
  };
  const connections: Connections = {
    scheduler,
    reader: readerSession,
    queryCache,
    writer: new SqliteWriter(new SqliteSession(writer, file, patienceMs, noteFull), scheduler, { ...care, committed }),
  };
  return {
    full: databaseOver(new SqliteExecutor(connections, "full"), new ClosingDriver(connections)),
    normal: databaseOver(new SqliteExecutor(connections, "normal")),
    alone: (work, durability) => connections.writer.alone(work, durability),
  };
}

/** All that Kysely asks of a driver whose connections it never sees. */
class ClosingDriver extends DummyDriver {
  readonly #connections: Connections;
  #isClosed = false;

  constructor(connections: Connections) {
    super();
    this.#connections = connections;
  }

  override async destroy(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connections.reader.close();
    this.#connections.writer.close();
  }
}
