import type { CompiledQuery, QueryResult } from "kysely";
import type { EventLoopScheduler } from "./event-loop-scheduler.js";
import type { QueryCache } from "./query-cache.js";
import {
  onlyReads,
  readOnly,
  RecordExecutor,
  type RecordTransaction,
  type Slice,
  type SlicedRead,
} from "./record-executor.js";
import type { SqliteSession } from "./sqlite-session.js";
import type { Durability, SqliteWriter } from "./sqlite-writer.js";

export interface Connections {
  readonly scheduler: EventLoopScheduler;
  readonly reader: SqliteSession;
  /** Caches what the reader answered. */
  readonly queryCache: QueryCache;
  readonly writer: SqliteWriter;
}

/** Runs statements on the two connections to a file, or on the connection of a transaction. */
export class SqliteExecutor extends RecordExecutor {
  readonly database = "sqlite";
  readonly #connections: Connections;
  readonly #durability: Durability;
  readonly #transaction: RecordTransaction | undefined;

  constructor(connections: Connections, durability: Durability, transaction?: RecordTransaction) {
    super();
    this.#connections = connections;
    this.#durability = durability;
    this.#transaction = transaction;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    // Statements that begin with another word may read as well; they run only where they could write.
    if (!onlyReads(query)) return this.#connections.writer.run<R>(query, this.#durability);
    const { reader } = this.#connections;
    const waiting = this.#turn();
    return waiting ? waiting.then(() => reader.run<R>(query)) : reader.run<R>(query);
  }

  override async executeCached<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    await this.#turn();
    return this.#connections.queryCache.run<R>(query);
  }

  override async readSlice<R>(_of: SlicedRead, read: (executor: RecordExecutor) => Promise<R>): Promise<Slice<R>> {
    if (!this.#transaction) await this.#turn();
    const source = this.#transaction ?? this.#connections.reader;
    let milliseconds = 0;
    const timed = readOnly((query) => {
      const began = performance.now();
      const running = source.run<never>(query);
      // Before other work that waits runs.
      milliseconds += performance.now() - began;
      return running;
    });
    return { result: await read(this.within(timed)), milliseconds };
  }

  override begin(): Promise<RecordTransaction> {
    return this.#connections.writer.begin(this.#durability);
  }

  override within(transaction: RecordTransaction): SqliteExecutor {
    return new SqliteExecutor(this.#connections, this.#durability, transaction);
  }

  #turn(): Promise<void> | undefined {
    const { scheduler } = this.#connections;
    return this.#durability === "full" ? scheduler.forCaller() : scheduler.forBackground();
  }
}
