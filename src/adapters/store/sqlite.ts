import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "../../lib/sqlite.js";
import { sleep } from "../../lib/time.js";
import { BUSY_PATIENCE_MS, BUSY_PAUSE_MS, describeSqliteError, isBusy } from "./sqlite-errors.js";

const STATEMENT_CACHE = 300;

/**
 * What a commit waits for: `full` until it is on the disk, `normal` for nothing. After a power failure commits of the
 * second kind may be missing, always the last ones: one that was waited for has all before it on the disk too.
 */
export type Durability = "full" | "normal";

/**
 * Kysely over one synchronous connection. Queries of different callers interleave, transactions do not.
 * @returns a dialect for each durability; both take turns on the connection, and the end of `full` closes it
 */
export function sqliteDialects(
  connection: SqliteConnection,
  file: string,
  patienceMs = BUSY_PATIENCE_MS,
): Readonly<Record<Durability, Dialect>> {
  const line = new SqliteLine(connection, file, patienceMs);
  return { full: dialectOver(line, "full"), normal: dialectOver(line, "normal") };
}

function dialectOver(line: SqliteLine, durability: Durability): Dialect {
  return {
    createDriver: () => new SqliteDriver(line, durability),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/** How long queries may follow each other before others get their turn. */
const TURN_MS = 3;

/** Those who wait for the connection, one after another. */
class SqliteLine {
  readonly session: SqliteSession;
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #waiting: (() => void)[] = [];
  #taken = false;
  #durability: Durability | undefined;
  #turnBegan = performance.now();

  constructor(connection: SqliteConnection, file: string, patienceMs: number) {
    this.#connection = connection;
    this.#file = file;
    this.session = new SqliteSession(connection, file, patienceMs);
  }

  async acquire(durability: Durability): Promise<SqliteSession> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    if (performance.now() - this.#turnBegan > TURN_MS) await this.#beginTurn();
    this.#settle(durability);
    return this.session;
  }

  #settle(durability: Durability): void {
    if (durability === this.#durability) return;
    try {
      this.#connection.exec(`pragma synchronous = ${durability}`);
      this.#durability = durability;
    } catch (error) {
      this.release();
      throw describeSqliteError(error, this.#file);
    }
  }

  /**
   * Awaiting a synchronous database never leaves the current turn of the event loop, so background work would keep
   * everything else from its turn: requests, timers, the end of standard input.
   */
  async #beginTurn(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#turnBegan = performance.now();
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }

  close(): void {
    this.session.forgetStatements();
    this.#connection.close();
  }
}

class SqliteDriver implements Driver {
  readonly #line: SqliteLine;
  readonly #durability: Durability;

  constructor(line: SqliteLine, durability: Durability) {
    this.#line = line;
    this.#durability = durability;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return this.#line.acquire(this.#durability);
  }

  async releaseConnection(): Promise<void> {
    this.#line.release();
  }

  async beginTransaction(): Promise<void> {
    await this.#line.session.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(): Promise<void> {
    await this.#line.session.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(): Promise<void> {
    this.#line.session.rollback();
  }

  async destroy(): Promise<void> {
    if (this.#durability === "full") this.#line.close();
  }
}

class SqliteSession implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #patience: Patience;
  readonly #statements = new Map<string, { statement: SqliteStatement; returnsRows: boolean }>();

  constructor(connection: SqliteConnection, file: string, patienceMs: number) {
    this.#connection = connection;
    this.#file = file;
    this.#patience = createPatience(patienceMs);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (;;) {
      try {
        const result = this.#run<R>(query);
        if (result.numAffectedRows !== undefined) this.#patience.renew();
        return result;
      } catch (error) {
        if (!isBusy(error) || this.#patience.isOver()) throw describeSqliteError(error, this.#file);
        await sleep(BUSY_PAUSE_MS);
      }
    }
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Streaming is not used with SQLite");
  }

  /** A full disk may have ended the transaction already; then there is nothing to roll back. */
  rollback(): void {
    try {
      this.#connection.exec("rollback");
    } catch (error) {
      if (!String(error).includes("no transaction is active")) throw describeSqliteError(error, this.#file);
    }
  }

  forgetStatements(): void {
    this.#statements.clear();
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters.map(toSqliteValue);
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): { statement: SqliteStatement; returnsRows: boolean } {
    const known = this.#statements.get(sql);
    if (known) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = this.#connection.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, entry);
    if (this.#statements.size > STATEMENT_CACHE) {
      const oldest = this.#statements.keys().next();
      if (!oldest.done) this.#statements.delete(oldest.value);
    }
    return entry;
  }
}

/** How long one lock of another program is waited for. */
interface Patience {
  /** Notes that the store is locked now. @returns whether that has gone on for too long */
  isOver(): boolean;
  /** Notes that a write went through: the next lock is another one. */
  renew(): void;
}

/** All callers share the wait: those behind the first one would otherwise wait their own time each, one after another. */
function createPatience(patienceMs: number): Patience {
  let since: number | undefined;
  return {
    isOver() {
      since ??= performance.now();
      return performance.now() - since > patienceMs;
    },
    renew() {
      since = undefined;
    },
  };
}

function toSqliteValue(value: unknown): SqliteValue {
  if (value === null || typeof value === "string" || typeof value === "number" || value instanceof Uint8Array)
    return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  throw new TypeError(`A value of type ${typeof value} cannot be stored in SQLite`);
}
