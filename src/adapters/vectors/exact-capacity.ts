import type { VectorRecord } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";

/** Counting takes milliseconds, so it waits for this share of the bound to be written. */
const WORTH_COUNTING = 1 / 50;
/** Chroma is begun early enough to be filled when it is needed. */
const EARLY = 4 / 5;

/** Tells when a space holds nearly as many vectors as exact search answers at once. */
export class ExactCapacity {
  readonly #record: VectorRecord;
  readonly #mostExact: (space: VectorSpace) => number;
  readonly #countedAt = new Map<number, number>();
  #wasExceeded = false;

  /** @param mostExact how many vectors of a space one query scores exactly */
  constructor(record: VectorRecord, mostExact: (space: VectorSpace) => number) {
    this.#record = record;
    this.#mostExact = mostExact;
  }

  /** Whether any space is nearly at the capacity of exact search, or was once. Cheap to ask again and again. */
  async isNearlyExceeded(): Promise<boolean> {
    if (this.#wasExceeded) return true;
    for (const space of await this.#record.spaces()) this.#wasExceeded ||= await this.#isNearlyExceededBy(space);
    return this.#wasExceeded;
  }

  async #isNearlyExceededBy(space: VectorSpace): Promise<boolean> {
    const bound = this.#mostExact(space) * EARLY;
    const head = await this.#record.head(space.id);
    const countedAt = this.#countedAt.get(space.id);
    if (countedAt !== undefined && head - countedAt < bound * WORTH_COUNTING) return false;
    this.#countedAt.set(space.id, head);
    let total = 0;
    for (const count of (await this.#record.counts(space.id)).values()) total += count;
    return total > bound;
  }
}
