import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteConnection } from "../../lib/sqlite.js";
import { BUSY_PATIENCE_MS } from "./sqlite-errors.js";
import { SqliteSession } from "./sqlite-session.js";
import { Turns } from "./sqlite-turns.js";
import { type CommitCare, type Durability, SqliteWriter, type WriteTransaction } from "./sqlite-writer.js";

/** Two connections to one file. */
export interface SqliteConnections {
  readonly writer: SqliteConnection;
  /** Sees what is committed, whatever the other one is at. */
  readonly reader: SqliteConnection;
}

export interface DialectOptions {
  /** For messages. */
  readonly file: string;
  /** How long a lock of another program is waited for, in milliseconds. Default 5,000. */
  readonly patienceMs?: number | undefined;
  readonly care: CommitCare;
}

/**
 * Kysely over synchronous connections. What only reads never waits for a transaction; transactions do not interleave.
 * @returns a dialect for each durability; both take turns, callers (`full`) before the background (`normal`), and the end
 *   of `full` closes the connections
 */
export function sqliteDialects(
  { writer, reader }: SqliteConnections,
  { file, patienceMs = BUSY_PATIENCE_MS, care }: DialectOptions,
): Readonly<Record<Durability, Dialect>> {
  const turns = new Turns();
  const doors: Doors = {
    turns,
    reader: new SqliteSession(reader, file, patienceMs),
    writer: new SqliteWriter(new SqliteSession(writer, file, patienceMs), turns, care),
  };
  return { full: dialectOver(doors, "full"), normal: dialectOver(doors, "normal") };
}

interface Doors {
  readonly turns: Turns;
  readonly reader: SqliteSession;
  readonly writer: SqliteWriter;
}

function dialectOver(doors: Doors, durability: Durability): Dialect {
  return {
    createDriver: () => new SqliteDriver(doors, durability),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

class SqliteDriver implements Driver {
  readonly #doors: Doors;
  readonly #durability: Durability;

  constructor(doors: Doors, durability: Durability) {
    this.#doors = doors;
    this.#durability = durability;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteAccess> {
    return new SqliteAccess(this.#doors, this.#durability);
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(access: SqliteAccess): Promise<void> {
    return access.begin();
  }

  commitTransaction(access: SqliteAccess): Promise<void> {
    return access.commit();
  }

  rollbackTransaction(access: SqliteAccess): Promise<void> {
    return access.rollback();
  }

  async destroy(): Promise<void> {
    if (this.#durability !== "full") return;
    this.#doors.reader.close();
    this.#doors.writer.close();
  }
}

/** The statements of one caller of Kysely, in or outside of a transaction. */
class SqliteAccess implements DatabaseConnection {
  readonly #doors: Doors;
  readonly #durability: Durability;
  #transaction: WriteTransaction | undefined;

  constructor(doors: Doors, durability: Durability) {
    this.#doors = doors;
    this.#durability = durability;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    if (!onlyReads(query)) return this.#doors.writer.run<R>(query, this.#durability);
    const { turns, reader } = this.#doors;
    await (this.#durability === "full" ? turns.forCaller() : turns.forBackground());
    return reader.run<R>(query);
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Streaming is not used with SQLite");
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#doors.writer.begin(this.#durability);
  }

  async commit(): Promise<void> {
    await this.#transaction?.commit();
    this.#transaction = undefined;
  }

  async rollback(): Promise<void> {
    this.#transaction?.rollback();
    this.#transaction = undefined;
  }
}

/** What begins with another word may read as well; it is only run where it could write. */
function onlyReads({ sql }: CompiledQuery): boolean {
  return /^\s*select\b/i.test(sql);
}
