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
import type { SteadyReads } from "./steady-reads.js";
import type { Turns } from "./sqlite-turns.js";
import type { Durability, SqliteWriter, WriteTransaction } from "./sqlite-writer.js";

/** The ways to the record. */
export interface Doors {
  readonly turns: Turns;
  readonly reader: SqliteSession;
  /** Remembers what the reader answered. */
  readonly steady: SteadyReads;
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
  readonly #doors: Doors;
  readonly #durability: Durability;
  readonly #transaction: WriteTransaction | undefined;

  constructor(doors: Doors, durability: Durability, transaction?: WriteTransaction) {
    super(compiler, adapter, noConnections);
    this.#doors = doors;
    this.#durability = durability;
    this.#transaction = transaction;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    if (!onlyReads(query)) return this.#doors.writer.run<R>(query, this.#durability);
    const { turns, reader } = this.#doors;
    const waiting = this.#durability === "full" ? turns.forCaller() : turns.forBackground();
    return waiting ? waiting.then(() => reader.run<R>(query)) : reader.run<R>(query);
  }

  /** The same for what only reads and many ask for: it may be answered from memory while nothing is written. */
  async executeSteady<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    const { turns, steady } = this.#doors;
    await (this.#durability === "full" ? turns.forCaller() : turns.forBackground());
    return steady.run<R>(query);
  }

  begin(): Promise<WriteTransaction> {
    return this.#doors.writer.begin(this.#durability);
  }

  within(transaction: WriteTransaction): SqliteExecutor {
    return new SqliteExecutor(this.#doors, this.#durability, transaction);
  }
}

/**
 * What begins with another word may read as well; it is only run where it could write. None of our statements that write
 * begins with `with`: the reader would refuse it.
 */
function onlyReads({ sql }: CompiledQuery): boolean {
  return /^\s*(select|with)\b/i.test(sql);
}
