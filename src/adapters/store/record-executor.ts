import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "./schema.js";

/** The databases that keep the record. */
export type RecordDatabase = "sqlite" | "postgres";

/** A transaction, which holds its connection until it is committed or rolled back. */
export interface RecordTransaction {
  /** Throws once the transaction has ended. */
  run<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** As `RecordExecutor.executeWrite`. */
  send(query: CompiledQuery): Promise<unknown>;
  /** Resolves when others can see what was written. */
  commit(): Promise<void>;
  /** Does nothing once the transaction has ended, even by a commit that failed. */
  rollback(): void | Promise<void>;
}

/** A long read that is divided into slices. */
export interface SlicedRead {
  /** The containers that it names: however many reads of some wait, one of others soon gets its turn. */
  readonly containers: readonly (string | number)[];
  /** How long its slices have taken so far. */
  readonly spentMs: number;
}

export interface Slice<R> {
  readonly result: R;
  /** How long its statements took, without waiting for anything else. */
  readonly milliseconds: number;
}

/** For statements that need no end of their own. */
export function readOnly(run: RecordTransaction["run"]): RecordTransaction {
  return { run, send: run, commit: () => Promise.resolve(), rollback: () => undefined };
}

const compiler = new SqliteQueryCompiler();
const adapter = new SqliteAdapter();

/** Statements are built for SQLite; another database translates them. */
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
 * Runs what Kysely builds, in a transaction or outside. Kysely's own path to a connection, with a dozen promises per statement,
 * costs more than most statements.
 */
export abstract class RecordExecutor extends DefaultQueryExecutor {
  abstract readonly database: RecordDatabase;

  constructor() {
    super(compiler, adapter, noConnections);
  }

  abstract override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;

  /** The same for common read-only statements: the answer may be cached while nothing is written. */
  abstract executeCached<R>(query: CompiledQuery): Promise<QueryResult<R>>;

  /**
   * For statements that write and return nothing. Within a transaction one may still be running when this resolves: later
   * statements see what it wrote, and its error is thrown by one of them or by the commit.
   */
  executeWrite(query: CompiledQuery): Promise<unknown> {
    return this.executeQuery(query);
  }

  /**
   * Runs one slice of a long read when it is its turn.
   * @param read gets the executor for its statements
   * @throws AppError `unavailable` if the whole read takes too long
   */
  abstract readSlice<R>(of: SlicedRead, read: (executor: RecordExecutor) => Promise<R>): Promise<Slice<R>>;

  abstract begin(): Promise<RecordTransaction>;

  /** An executor whose statements are part of the given transaction. */
  abstract within(transaction: RecordTransaction): RecordExecutor;
}

/** Kysely over an executor of the record. @param driver is told when the database is destroyed */
export function databaseOver(executor: RecordExecutor, driver: Driver = new DummyDriver()): Kysely<Database> {
  return new Kysely<Database>({ config: { dialect: DIALECT }, dialect: DIALECT, driver, executor });
}

/** @throws when the database is not one of the record's */
export function executorOf<Tables>(db: Kysely<Tables>): RecordExecutor {
  const executor = db.getExecutor();
  if (executor instanceof RecordExecutor) return executor;
  throw new Error("Only the databases of the record have transactions.");
}

/** Statements that begin with another word may read as well; none of our writing statements begins with `with`. */
export function onlyReads({ sql }: CompiledQuery): boolean {
  return /^\s*(select|with)\b/i.test(sql);
}
