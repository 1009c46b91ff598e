import type { CompiledQuery, QueryResult } from "kysely";
import type pg from "pg";
import { onlyReads, RecordExecutor, type RecordTransaction, type Slice, type SlicedRead } from "../record-executor.js";
import type { Durability } from "../sqlite-writer.js";
import { runOnAny } from "./session.js";
import type { SliceTurns } from "./slice-turns.js";
import type { PostgresWriter } from "./writer.js";

export interface PostgresConnections {
  readonly pool: pg.Pool;
  readonly writer: PostgresWriter;
  readonly sliceTurns: SliceTurns;
  /** Names the database in messages, without a password. */
  readonly place: string;
}

/** Runs statements on a pool of connections, or on the connection of a transaction. */
export class PostgresExecutor extends RecordExecutor {
  readonly database = "postgres";
  readonly #connections: PostgresConnections;
  readonly #durability: Durability;
  readonly #transaction: RecordTransaction | undefined;

  constructor(connections: PostgresConnections, durability: Durability, transaction?: RecordTransaction) {
    super();
    this.#connections = connections;
    this.#durability = durability;
    this.#transaction = transaction;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.run<R>(query);
    const { pool, writer, place } = this.#connections;
    return onlyReads(query) ? runOnAny<R>(pool, query, place) : writer.run<R>(query, this.#durability);
  }

  /** Another node may have written meanwhile, and caching where there is none gained less than a tenth. */
  override executeCached<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.executeQuery<R>(query);
  }

  override executeWrite(query: CompiledQuery): Promise<unknown> {
    return this.#transaction ? this.#transaction.send(query) : this.executeQuery(query);
  }

  override readSlice<R>(of: SlicedRead, read: (executor: RecordExecutor) => Promise<R>): Promise<Slice<R>> {
    return this.#connections.sliceTurns(of, (transaction) => read(this.within(transaction)));
  }

  override begin(): Promise<RecordTransaction> {
    return this.#connections.writer.begin(this.#durability);
  }

  override within(transaction: RecordTransaction): PostgresExecutor {
    return new PostgresExecutor(this.#connections, this.#durability, transaction);
  }
}
