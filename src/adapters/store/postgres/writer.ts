import type { CompiledQuery, QueryResult } from "kysely";
import type pg from "pg";
import type { RecordTransaction } from "../record-executor.js";
import type { Durability } from "../sqlite-writer.js";
import { describePostgresError } from "./errors.js";
import { runOn } from "./session.js";

/** What all nodes of a record lock while they write, of PostgreSQL's advisory locks. */
export const WRITE_LOCK = 7_267_310_001;

/**
 * Transactions of this process that are begun: while one writes, the next one waits for the lock at the server, and has it
 * without another way there and back.
 */
export const BEGUN_AT_ONCE = 2;

/** Who says nothing within a transaction for so long loses it: all nodes write one after another. */
const SPEAKS_WITHIN = "set local idle_in_transaction_session_timeout = '10s'";
const BEGIN: Readonly<Record<Durability, string>> = {
  full: `begin; ${SPEAKS_WITHIN}; select pg_advisory_xact_lock(${WRITE_LOCK})`,
  normal: `begin; ${SPEAKS_WITHIN}; set local synchronous_commit = off; select pg_advisory_xact_lock(${WRITE_LOCK})`,
};

/**
 * Writes one transaction after the other, over all nodes: what a transaction reads stays so until its end, as on SQLite, and
 * none has to be tried again. The lock ends with its transaction, so that a pooler between may share connections by
 * transaction. Those of this process wait here, but for the next one.
 */
export class PostgresWriter {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #permit: () => void;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** @param options.permit is called before anything is committed, and throws when it must not be */
  constructor(pool: pg.Pool, { place, permit }: { readonly place: string; readonly permit: () => void }) {
    this.#pool = pool;
    this.#place = place;
    this.#permit = permit;
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
      throw describePostgresError(error, this.#place);
    }
  }

  #open(client: pg.PoolClient): RecordTransaction {
    let isOpen = true;
    const end = (isBroken: boolean): void => {
      isOpen = false;
      client.release(isBroken);
      this.#release();
    };
    // The server answers in order, so the first failure is the one that the others follow from.
    let underWay: Promise<unknown>[] = [];
    return {
      run: async <R>(query: CompiledQuery) => {
        if (!isOpen) throw new Error("This transaction is over.");
        const before = underWay;
        underWay = [];
        const [result] = await Promise.all([runOn<R>(client, query, this.#place), ...before]);
        return result;
      },
      send: async (query) => {
        if (!isOpen) throw new Error("This transaction is over.");
        const sent = runOn(client, query, this.#place);
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
          throw describePostgresError(error, this.#place);
        }
        end(false);
      },
      rollback: async () => {
        if (!isOpen) return;
        const isBroken = await client.query("rollback").then(
          () => false,
          () => true,
        );
        end(isBroken);
      },
    };
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
