import type { CompiledQuery, QueryResult } from "kysely";
import type pg from "pg";
import { AppError } from "../../../core/errors.js";
import type { RecordTransaction } from "../record-executor.js";
import type { Durability } from "../sqlite-writer.js";
import { WRITE_LOCK } from "./advisory-lock.js";
import { describePostgresError } from "./errors.js";
import { runOn } from "./session.js";

/**
 * Transactions that this process has open at once. While one writes, the next already waits on the server for the lock, which
 * saves it a round trip.
 */
export const BEGUN_AT_ONCE = 2;

/** The server ends a transaction that is idle for this long: meanwhile no other node can write. */
const SPEAKS_WITHIN = "set local idle_in_transaction_session_timeout = '10s'";
const BEGIN: Readonly<Record<Durability, string>> = {
  full: `begin; ${SPEAKS_WITHIN}; select pg_advisory_xact_lock(${WRITE_LOCK})`,
  normal: `begin; ${SPEAKS_WITHIN}; set local synchronous_commit = off; select pg_advisory_xact_lock(${WRITE_LOCK})`,
};

interface WriterOptions {
  /** Names the database in messages. */
  readonly place: string;
  /** Called before anything is committed; throws to prevent it. */
  readonly permit: () => void;
  /** Called when something was written. */
  readonly committed: () => void;
  /** Called when the server refuses or does not answer. */
  readonly failed: (reason: AppError) => void;
}

/**
 * Runs one write transaction at a time across all nodes. As on SQLite, what a transaction has read cannot change before it ends,
 * and none has to be retried. The lock is released with its transaction, so a pooler in transaction mode works as well. Apart
 * from the next one, this process's transactions wait here rather than on the server.
 */
export class PostgresWriter {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #permit: () => void;
  readonly #committed: () => void;
  readonly #failed: (reason: AppError) => void;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  constructor(pool: pg.Pool, { place, permit, committed, failed }: WriterOptions) {
    this.#pool = pool;
    this.#place = place;
    this.#permit = permit;
    this.#committed = committed;
    this.#failed = failed;
  }

  /** One statement outside of any transaction. */
  async run<R>(query: CompiledQuery, durability: Durability): Promise<QueryResult<R>> {
    const transaction = await this.begin(durability);
    try {
      const result = await transaction.run<R>(query);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async begin(durability: Durability): Promise<RecordTransaction> {
    await this.#acquire();
    try {
      const client = await this.#pool.connect();
      await client.query(BEGIN[durability]).catch((error: unknown) => {
        client.release(true);
        throw error;
      });
      return this.#open(client);
    } catch (error) {
      this.#release();
      throw this.#describe(error);
    }
  }

  #open(client: pg.PoolClient): RecordTransaction {
    let isOpen = true;
    let hasFailed = false;
    const runHere = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      try {
        return await runOn<R>(client, query, this.#place);
      } catch (error) {
        // As on the other connections: a statement prepared on it may be what failed, and would fail again.
        hasFailed = true;
        throw this.#describe(error);
      }
    };
    const end = (isBroken: boolean): void => {
      isOpen = false;
      client.release(isBroken);
      this.#release();
    };
    // The server answers in order, so the first failure is the cause of the others.
    let underWay: Promise<unknown>[] = [];
    return {
      run: async <R>(query: CompiledQuery) => {
        if (!isOpen) throw new Error("This transaction is over.");
        const before = underWay;
        underWay = [];
        const [result] = await Promise.all([runHere<R>(query), ...before]);
        return result;
      },
      send: async (query) => {
        if (!isOpen) throw new Error("This transaction is over.");
        const sent = runHere(query);
        sent.catch(() => undefined);
        underWay.push(sent);
      },
      commit: async () => {
        if (!isOpen) throw new Error("This transaction is over.");
        this.#permit();
        await Promise.all(underWay);
        try {
          const { command } = await client.query("commit");
          if (command !== "COMMIT")
            throw new Error("A statement of this transaction failed, so nothing of it was written.");
        } catch (error) {
          end(true);
          throw this.#describe(error);
        }
        this.#committed();
        end(false);
      },
      rollback: async () => {
        if (!isOpen) return;
        const isBroken = await client.query("rollback").then(
          () => false,
          () => true,
        );
        end(isBroken || hasFailed);
      },
    };
  }

  #describe(error: unknown): unknown {
    const described = describePostgresError(error, this.#place);
    if (described instanceof AppError) this.#failed(described);
    return described;
  }

  async #acquire(): Promise<void> {
    if (this.#begun >= BEGUN_AT_ONCE) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#begun += 1;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#begun -= 1;
  }
}
