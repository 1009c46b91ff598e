import type { VectorRecord } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";

/** Counting takes milliseconds, so it is repeated only after writes amounting to this share of the limit. */
const WORTH_COUNTING = 1 / 50;
/** Chroma is started early enough to be filled by the time it is needed. */
const EARLY = 4 / 5;

/** Tells when a space is close to the number of vectors that exact search can handle. */
export class ExactCapacity {
  readonly #record: VectorRecord;
  readonly #mostExact: (space: VectorSpace) => number;
  readonly #countedAt = new Map<number, number>();
  #wasExceeded = false;

  /** @param mostExact the number of vectors of a space that one query scores exactly */
  constructor(record: VectorRecord, mostExact: (space: VectorSpace) => number) {
    this.#record = record;
    this.#mostExact = mostExact;
  }

  /** Whether any space is, or ever was, close to the capacity of exact search. Cheap to call repeatedly. */
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
