import type { SqliteConnection, SqliteStatement } from "../../lib/sqlite.js";
import type { Unit } from "../../core/types.js";

/** What a caller watches: for each change, such as `update on memories`, a query for the units it touches. */
export type Watched = Readonly<Record<string, string>>;

/** Queries for the units of a document or a memory that a trigger refers to, such as `new.document_id`. */
export const CHUNKS_OF = (documentId: string): string =>
  `select seq * 2 as unit from main.chunks where document_id = ${documentId}`;
export const MEMORY_OF = (memoryId: string): string =>
  `select seq * 2 + 1 as unit from main.memories where id = ${memoryId}`;

/** What a commit changed in the text index. */
export interface IndexChange {
  readonly units: readonly Unit[];
  /** Containers whose searches may now give other results; 0 for any. */
  readonly containerIds: readonly number[];
}

/** Tells caches what each commit changed. */
export interface ChangeFeed {
  /**
   * Calls `notice` after a commit with each unit it touched, once; with `all` when the units are unknown, so that nothing cached
   * may be trusted.
   */
  watch(watched: Watched, notice: (units: readonly Unit[] | "all") => void): void;
  /** Calls `notice` after a commit with what changed in the text index. */
  watchIndex(notice: (change: IndexChange) => void): void;
  /**
   * Call after anything that may have changed the store. Never throws: what was committed stays committed, and its writer must
   * not be told otherwise.
   */
  publish(): void;
  /** Releases the connection, which cannot close before this. */
  close(): void;
}

/** Watcher number for the units of the text index, which cannot have triggers; the next number is for their containers. */
const INDEXED_UNITS = 0;
const INDEXED_CONTAINERS = -1;

/** Where changes are noted until they are published, on the connection that writes. */
export const CHANGED_TABLE =
  "create temp table if not exists changed (watcher integer not null, unit integer not null, primary key (watcher, unit)) without rowid";

/** Notes that a unit's words change in a container; 0 for any. */
export const NOTE_INDEX_CHANGE = `insert or ignore into temp.changed values
  (${INDEXED_UNITS}, ?), (${INDEXED_CONTAINERS}, ?)`;

/** Notes changes with temporary triggers on the one connection that writes, so that a rollback also undoes the notes. */
export function createChangeFeed(connection: SqliteConnection): ChangeFeed {
  return new TriggeredFeed(connection);
}

/** Statements that read and empty the table of changes. */
interface Statements {
  readonly read: SqliteStatement;
  readonly forget: SqliteStatement;
}

class TriggeredFeed implements ChangeFeed {
  readonly #connection: SqliteConnection;
  readonly #notices = new Map<number, (units: readonly Unit[] | "all") => void>();
  readonly #triggers: string[] = [];
  #isWhole = true;
  #noticeIndex: (change: IndexChange) => void = () => undefined;
  #statements: Statements | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#statements = {
      read: connection.prepare("select watcher, unit from temp.changed"),
      forget: connection.prepare("delete from temp.changed"),
    };
  }

  watch(watched: Watched, notice: (units: readonly Unit[] | "all") => void): void {
    const watcher = this.#notices.size + 1;
    this.#notices.set(watcher, notice);
    for (const [place, [change, units]] of Object.entries(watched).entries()) {
      const trigger = `create temp trigger if not exists changed_${watcher}_${place}
          after ${change.replace(" on ", " on main.")}
          begin insert or ignore into changed select ${watcher}, unit from (${units}); end`;
      this.#connection.exec(trigger);
      this.#triggers.push(trigger);
    }
  }

  watchIndex(notice: (change: IndexChange) => void): void {
    this.#noticeIndex = notice;
  }

  publish(): void {
    try {
      this.#publishRows();
      if (this.#isWhole) return;
    } catch {
      // The notes cannot be read.
    }
    this.#restore();
    for (const notice of this.#notices.values()) notice("all");
  }

  close(): void {
    this.#statements = undefined;
  }

  #publishRows(): void {
    const rows = (this.#statements?.read.all() ?? []) as { watcher: number; unit: number }[];
    if (rows.length === 0) return;
    this.#statements?.forget.run();
    const unitsOf = (watcher: number) => rows.filter((row) => row.watcher === watcher).map(({ unit }) => unit);
    for (const [watcher, notice] of this.#notices) {
      const units = unitsOf(watcher);
      if (units.length > 0) notice(units);
    }
    const change = { units: unitsOf(INDEXED_UNITS), containerIds: unitsOf(INDEXED_CONTAINERS) };
    if (change.units.length > 0) this.#noticeIndex(change);
  }

  /** Recreates missing tables and triggers. If that fails, the next commit tries again. */
  #restore(): void {
    try {
      this.#connection.exec(CHANGED_TABLE);
      for (const trigger of this.#triggers) this.#connection.exec(trigger);
      this.#isWhole = true;
    } catch {
      this.#isWhole = false;
    }
  }
}
