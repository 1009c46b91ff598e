import type { CompiledQuery, QueryResult } from "kysely";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "../../lib/sqlite.js";
import { AppError } from "../../core/errors.js";
import { sleep } from "../../lib/time.js";
import { BUSY_PAUSE_MS, describeSqliteError, isBusy } from "./sqlite-errors.js";

const STATEMENT_CACHE = 300;

/** Runs statements on one synchronous connection, preparing each of them once. Waits for other programs' locks. */
export class SqliteSession {
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #patience: Patience;
  readonly #noteFull: () => void;
  #versions: SqliteStatement | undefined;
  readonly #statements = new Map<string, { statement: SqliteStatement; returnsRows: boolean }>();

  /** @param noteFull called whenever there was no room for what was to be written */
  constructor(connection: SqliteConnection, file: string, patienceMs: number, noteFull: () => void = () => undefined) {
    this.#connection = connection;
    this.#noteFull = noteFull;
    this.#file = file;
    this.#patience = createPatience(patienceMs);
  }

  /**
   * Runs the statement before it returns, unless a lock is in the way. @throws AppError as `describeSqliteError` says,
   * `unavailable` once a lock outlasts the patience
   */
  run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return Promise.resolve(this.#runNow<R>(query));
    } catch (error) {
      return this.#runLater<R>(query, error);
    }
  }

  async #runLater<R>(query: CompiledQuery, reason: unknown): Promise<QueryResult<R>> {
    for (let error = reason; ;) {
      if (!isBusy(error) || this.#patience.isExhausted()) throw this.#describe(error);
      await sleep(BUSY_PAUSE_MS);
      try {
        return this.#runNow<R>(query);
      } catch (again) {
        error = again;
      }
    }
  }

  /** Runs a statement without rows or parameters that no other program can hold up. @throws as `run` */
  exec(statement: string): void {
    try {
      this.#connection.exec(statement);
    } catch (error) {
      throw this.#describe(error);
    }
  }

  /** Changes after each commit of another connection. @throws as `exec` */
  dataVersion(): number {
    try {
      this.#versions ??= this.#connection.prepare("pragma data_version");
      const [row] = this.#versions.all() as { data_version: number }[];
      return row?.data_version ?? 0;
    } catch (error) {
      throw this.#describe(error);
    }
  }

  close(): void {
    this.#versions = undefined;
    this.#statements.clear();
    this.#connection.close();
  }

  #describe(error: unknown): unknown {
    const described = describeSqliteError(error, this.#file);
    if (described instanceof AppError && described.kind === "storage_full") this.#noteFull();
    return described;
  }

  #runNow<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql);
    const parameters = query.parameters.map(toSqliteValue);
    if (returnsRows) {
      const rows = statement.all(...parameters) as R[];
      this.#patience.renew();
      return { rows };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    this.#patience.renew();
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

/** How long to wait for one lock of another program. */
interface Patience {
  /** Notes that the store is locked now. @returns whether that has lasted too long */
  isExhausted(): boolean;
  /** Notes that a statement succeeded: the next lock is a new one. */
  renew(): void;
}

/** All callers share the wait: otherwise each would wait its own full time, one after another. */
function createPatience(patienceMs: number): Patience {
  let since: number | undefined;
  return {
    isExhausted() {
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
