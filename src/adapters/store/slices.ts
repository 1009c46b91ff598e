import type { Kysely } from "kysely";
import { databaseTraits, type SliceSize } from "./database-traits.js";
import { databaseOver, executorOf, type RecordExecutor, type SlicedRead } from "./record-executor.js";
import type { Database } from "./schema.js";

/**
 * Divides a long read into statements that take about as long as the database's traits say. How long a row takes depends on its
 * metadata and on the filter, so each statement looks at more or fewer rows than the one before.
 */
export class Slices {
  readonly #executor: RecordExecutor;
  readonly #read: SlicedRead;
  readonly #size: SliceSize;
  #rows: number;

  /** @param scope as `SlicedRead` has it */
  constructor(db: Kysely<Database>, scope: string) {
    this.#executor = executorOf(db);
    this.#read = { scope, began: performance.now() };
    this.#size = databaseTraits(db).slices;
    this.#rows = this.#size.firstRows;
  }

  /** Runs one statement. @param look reads so many rows at most @throws as `RecordExecutor.readSlice` */
  next<Result>(look: (db: Kysely<Database>, rows: number) => Promise<Result>): Promise<Result> {
    return this.#executor.readSlice(this.#read, async (executor) => {
      const began = performance.now();
      const result = await look(databaseOver(executor), this.#rows);
      this.#learn(performance.now() - began);
      return result;
    });
  }

  /** The first of these rows that `look` finds, in the same order. @param look reads some of the rows */
  async among(
    rows: readonly number[],
    look: (db: Kysely<Database>, rows: readonly number[]) => Promise<readonly number[]>,
    most = Infinity,
  ): Promise<number[]> {
    const found: number[] = [];
    for (let from = 0; from < rows.length && found.length < most;) {
      const some = await this.next(async (db, most) => {
        const seen = rows.slice(from, from + most);
        return { seen, matching: new Set(await look(db, seen)) };
      });
      for (const row of some.seen) if (some.matching.has(row)) found.push(row);
      from += some.seen.length;
    }
    return found.length > most ? found.slice(0, most) : found;
  }

  #learn(tookMs: number): void {
    const { milliseconds, mostRows } = this.#size;
    // At most twice as many: the next rows may be larger.
    const factor = Math.min(2, milliseconds / tookMs);
    this.#rows = Math.min(mostRows, Math.max(1, Math.floor(this.#rows * factor)));
  }
}
