import type { Kysely } from "kysely";
import type { FilterExpression } from "../../core/types.js";
import { databaseTraits, type SliceSize } from "./database-traits.js";
import { isCostly } from "./filters.js";
import { databaseOver, executorOf, type RecordExecutor, type SlicedRead } from "./record-executor.js";
import type { Database } from "./schema.js";

interface FilteredRead {
  /** As `SlicedRead` has them. */
  readonly containers: readonly (string | number)[];
  readonly filters: FilterExpression | undefined;
}

/**
 * Divides a long read into statements that take about as long as the database's traits say. How long a row takes depends on its
 * metadata and on the filter, so each statement looks at more or fewer rows than the one before.
 */
export class Slices {
  readonly #executor: RecordExecutor;
  readonly #containers: SlicedRead["containers"];
  readonly #length: SliceLength;
  #spentMs = 0;

  constructor(db: Kysely<Database>, { containers, filters }: FilteredRead) {
    this.#executor = executorOf(db);
    this.#containers = containers;
    const { plain, costly } = databaseTraits(db).slices;
    this.#length = new SliceLength(filters && isCostly(this.#executor.database, filters) ? costly : plain);
  }

  /** Runs one statement. @param look reads so many rows at most @throws as `RecordExecutor.readSlice` */
  async next<Result>(look: (db: Kysely<Database>, rows: number) => Promise<Result>): Promise<Result> {
    const read = { containers: this.#containers, spentMs: this.#spentMs };
    const { result, milliseconds } = await this.#executor.readSlice(read, (executor) =>
      look(databaseOver(executor), this.#length.rows),
    );
    this.#spentMs += milliseconds;
    this.#length.learn(milliseconds);
    return result;
  }

  /** What `look` finds of these rows. @param look reads some of the rows */
  async collect<Found>(rows: readonly number[], look: Look<Found>): Promise<Found[]> {
    const all: Found[] = [];
    for await (const { found } of this.#inTurn(rows, look)) for (const one of found) all.push(one);
    return all;
  }

  /** The first of these rows that `look` finds, in the same order. */
  async among(rows: readonly number[], look: Look<number>, most = Infinity): Promise<number[]> {
    const first: number[] = [];
    for await (const { seen, found } of this.#inTurn(rows, look)) {
      const matching = new Set(found);
      for (const row of seen) if (matching.has(row)) first.push(row);
      if (first.length >= most) break;
    }
    return first.length > most ? first.slice(0, most) : first;
  }

  async *#inTurn<Found>(
    rows: readonly number[],
    look: Look<Found>,
  ): AsyncGenerator<{ readonly seen: readonly number[]; readonly found: readonly Found[] }> {
    for (let from = 0; from < rows.length;) {
      const slice = await this.next(async (db, count) => {
        const seen = rows.slice(from, from + count);
        return { seen, found: await look(db, seen) };
      });
      yield slice;
      from += slice.seen.length;
    }
  }
}

/** Reads something of some rows. */
type Look<Found> = (db: Kysely<Database>, rows: readonly number[]) => Promise<readonly Found[]>;

/** How many rows the next statement looks at. */
export class SliceLength {
  readonly #size: SliceSize;
  /** What a statement takes at least, such as the way to the database and back. */
  #fixedMs = Infinity;
  #rows: number;

  constructor(size: SliceSize) {
    this.#size = size;
    this.#rows = size.leastRows;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Notes how long a statement took that looked at so many. */
  learn(tookMs: number): void {
    const { leastRows, mostRows, milliseconds } = this.#size;
    this.#fixedMs = Math.min(this.#fixedMs, tookMs);
    // At most twice as many: the next rows may be larger.
    const factor = Math.min(2, milliseconds / Math.max(tookMs - this.#fixedMs, Number.MIN_VALUE));
    this.#rows = Math.min(mostRows, Math.max(leastRows, Math.floor(this.#rows * factor)));
  }
}
