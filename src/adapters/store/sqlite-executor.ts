import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteSession } from "./sqlite-session.js";
import type { QueryCache } from "./query-cache.js";
import type { EventLoopScheduler } from "./event-loop-scheduler.js";
import type { Durability, SqliteWriter, WriteTransaction } from "./sqlite-writer.js";

/** The connections to the record. */
export interface Connections {
  readonly scheduler: EventLoopScheduler;
  readonly reader: SqliteSession;
  /** Remembers what the reader answered. */
  readonly queryCache: QueryCache;
  readonly writer: SqliteWriter;
}

const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

export const DIALECT: Dialect = {
  createDriver: () => new DummyDriver(),
  createQueryCompiler: () => compiler,
  createAdapter: () => adapter,
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
};

const noConnections: ConnectionProvider = {
  provideConnection: () =>
    Promise.reject(new Error("Transactions are begun by `atomically`, and nothing is streamed.")),
};

/**
 * Runs what Kysely puts together, in or outside of a transaction. Kysely's own way to a connection, with a dozen promises
 * for each statement, costs more than most statements.
 */
export class SqliteExecutor extends DefaultQueryExecutor {
  readonly #connections: Connections;
  readonly #durability: Durability;
  readonly #transaction: WriteTransaction | undefined;

  constructor(connections: Connections, durability: Durability, transaction?: WriteTransaction) {
    super(compiler, adapter, noConnections);
    this.#connections = connections;
    this.#durability = durability;
    this.#transaction = transaction;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    if (!onlyReads(query)) return this.#connections.writer.run<R>(query, this.#durability);
    const { scheduler, reader } = this.#connections;
    const waiting = this.#durability === "full" ? scheduler.forCaller() : scheduler.forBackground();
    return waiting ? waiting.then(() => reader.run<R>(query)) : reader.run<R>(query);
  }

  /** The same for what only reads and many ask for: it may be answered from memory while nothing is written. */
  async executeCached<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    const { scheduler, queryCache } = this.#connections;
    await (this.#durability === "full" ? scheduler.forCaller() : scheduler.forBackground());
    return queryCache.run<R>(query);
  }

  begin(): Promise<WriteTransaction> {
    return this.#connections.writer.begin(this.#durability);
  }

  within(transaction: WriteTransaction): SqliteExecutor {
    return new SqliteExecutor(this.#connections, this.#durability, transaction);
  }
}

/**
 * What begins with another word may read as well; it is only run where it could write. None of our statements that write
 * begins with `with`: the reader would refuse it.
 */
function onlyReads({ sql }: CompiledQuery): boolean {
  return /^\s*(select|with)\b/i.test(sql);
}
