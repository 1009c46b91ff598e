import { CompiledQuery, type QueryResult } from "kysely";
import { AppError } from "../../core/errors.js";
import type { RecordTransaction } from "./record-executor.js";
import type { SqliteSession } from "./sqlite-session.js";
import type { EventLoopScheduler } from "./event-loop-scheduler.js";
import { TURN_SHARES } from "./turn-shares.js";

/**
 * What a commit waits for: `full` until it is on disk, `normal` for nothing. A power failure may lose commits of the second
 * kind, always the last ones: once a `full` commit returns, all before it are on disk too.
 */
export type Durability = "full" | "normal";

/** What must happen around a commit. */
export interface CommitCare {
  /** Called before anything is committed. @throws when it would not be kept */
  readonly permit: () => void;
  /** Called after anything that may have changed the store. Must not throw: what is committed has succeeded. */
  readonly committed: () => void;
  /** Resolves when everything committed is on disk and will be found there. */
  readonly sync: () => Promise<void>;
}

/** Background transactions that are committed as one, each of them whole or not at all. */
interface Group {
  readonly committed: Promise<void>;
  settle(error?: unknown): void;
  /** True once the turn in which it began is over. */
  isDue: boolean;
}

const BEGIN = CompiledQuery.raw("begin immediate");
const SAVEPOINT = "savepoint member";
const KEEP = "release member";
const TAKE_BACK = "rollback to member; release member";

/**
 * The one connection that writes. Transactions run one after another, those of callers first. What the background writes in one
 * turn of the event loop is committed together, since a commit costs more than most of what it commits.
 */
export class SqliteWriter {
  readonly #session: SqliteSession;
  readonly #scheduler: EventLoopScheduler;
  readonly #care: CommitCare;
  readonly #callers: (() => void)[] = [];
  readonly #others: { readonly since: number; resume(isGiven: boolean): void }[] = [];
  #isTaken = false;
  #group: Group | undefined;

  constructor(session: SqliteSession, scheduler: EventLoopScheduler, care: CommitCare) {
    this.#session = session;
    this.#scheduler = scheduler;
    this.#care = care;
  }

  /** One statement outside of any transaction. */
  async run<R>(query: CompiledQuery, durability: Durability): Promise<QueryResult<R>> {
    await this.#acquire(durability);
    const result = await this.#runAlone<R>(query).finally(() => this.#release());
    if (durability === "full") await this.#care.sync();
    return result;
  }

  async #runAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#commitGroup();
    this.#care.permit();
    const result = await this.#session.run<R>(query);
    this.#care.committed();
    return result;
  }

  async begin(durability: Durability): Promise<RecordTransaction> {
    await this.#acquire(durability);
    try {
      return durability === "normal" ? await this.#beginGrouped() : await this.#beginAlone();
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Runs work of another connection on the same file while nothing runs on this one; everybody else waits. */
  async alone(work: () => Promise<unknown>, durability: Durability): Promise<void> {
    await this.#acquire(durability);
    try {
      this.#commitGroup();
      this.#care.permit();
      await work();
      this.#care.committed();
    } finally {
      this.#release();
    }
  }

  close(): void {
    try {
      this.#commitGroup();
    } finally {
      this.#session.close();
    }
  }

  async #beginAlone(): Promise<RecordTransaction> {
    this.#commitGroup();
    await this.#session.run(BEGIN);
    return this.#open({
      commit: () => {
        this.#care.permit();
        this.#session.exec("commit");
        this.#care.committed();
        return this.#care.sync();
      },
      rollback: () => this.#takeBack("rollback"),
    });
  }

  async #beginGrouped(): Promise<RecordTransaction> {
    const group = (this.#group ??= await this.#beginGroup());
    this.#session.exec(SAVEPOINT);
    return this.#open({
      commit: () => {
        this.#session.exec(KEEP);
        return group.committed;
      },
      rollback: () => {
        // Without its savepoint the whole group is lost: a full disk rolls back more than the statement that met it.
        if (!this.#takeBack(TAKE_BACK)) this.#giveUp(group);
      },
    });
  }

  async #beginGroup(): Promise<Group> {
    await this.#session.run(BEGIN);
    const group = createGroup();
    setImmediate(() => {
      group.isDue = true;
      if (!this.#isTaken && this.#group === group) this.#commitGroup();
    });
    return group;
  }

  /** Both ends release the connection; what `commit` returns is awaited afterwards. */
  #open(ends: { commit(): Promise<void>; rollback(): void }): RecordTransaction {
    this.#scheduler.beginTransaction();
    let hasEnded = false;
    const run = <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      if (hasEnded) return Promise.reject(new Error("The transaction of this statement is over."));
      const waiting = this.#scheduler.forWorkInHand();
      return waiting ? waiting.then(() => run<R>(query)) : this.#session.run<R>(query);
    };
    return {
      run,
      send: run,
      commit: async () => {
        const committed = ends.commit();
        hasEnded = true;
        this.#release();
        await committed;
      },
      rollback: () => {
        if (hasEnded) return;
        hasEnded = true;
        try {
          ends.rollback();
        } finally {
          this.#release();
        }
      },
    };
  }

  /** Never throws: a failure is for the members of the group, and whoever waits for the connection still gets it. */
  #commitGroup(): void {
    const group = this.#group;
    if (!group) return;
    this.#group = undefined;
    try {
      this.#care.permit();
      this.#session.exec("commit");
    } catch (error) {
      group.settle(error);
      this.#takeBackIfPossible();
      return;
    }
    group.settle();
    this.#care.committed();
  }

  /** If the connection is broken, the next transaction is told: nobody waits for it here. */
  #takeBackIfPossible(): void {
    try {
      this.#takeBack("rollback");
    } catch {
      // The next transaction reports it.
    }
  }

  #giveUp(group: Group): void {
    if (this.#group === group) this.#group = undefined;
    group.settle(
      new AppError("unavailable", "A write that was combined with another one could not be completed.", {
        retryAfter: 1,
      }),
    );
  }

  /** @returns false when there was nothing to roll back: a full disk may have ended the transaction already */
  #takeBack(statement: string): boolean {
    try {
      this.#session.exec(statement);
      return true;
    } catch (error) {
      if (!/no transaction is active|no such savepoint/.test(String(error))) throw error;
      return false;
    }
  }

  async #acquire(durability: Durability): Promise<void> {
    if (durability === "full") {
      await this.#scheduler.forWriter();
      if (this.#isTaken) await new Promise<void>((resolve) => this.#callers.push(resolve));
      this.#isTaken = true;
      return;
    }
    for (let isGiven = false; !isGiven;) {
      await this.#scheduler.forBackground();
      if (!this.#isTaken) break;
      isGiven = await new Promise<boolean>((resume) => this.#others.push({ since: this.#scheduler.now(), resume }));
    }
    this.#isTaken = true;
  }

  /** Hands the connection to the next caller, or tells one of the others that it is free. */
  #release(): void {
    this.#scheduler.endTransaction();
    if (this.#group?.isDue) this.#commitGroup();
    const other = this.#others[0];
    const mustGive = other !== undefined && this.#scheduler.now() - other.since > TURN_SHARES.patienceForConnection;
    const caller = mustGive ? undefined : this.#callers.shift();
    if (caller) return caller();
    this.#others.shift();
    if (mustGive) return other.resume(true);
    this.#isTaken = false;
    other?.resume(false);
  }
}

function createGroup(): Group {
  let settle: (error?: unknown) => void = () => undefined;
  const committed = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // A group may have lost all its members.
  committed.catch(() => undefined);
  return { committed, settle, isDue: false };
}
