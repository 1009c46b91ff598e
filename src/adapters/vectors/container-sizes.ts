import type { VectorRecord } from "../../core/ports.js";

/** Counting all containers takes milliseconds, so it is repeated only after this many changes. */
const LEAST_DRIFT = 1_000;
/** Or after changes amounting to this share of the last count, whichever is more. */
const RELATIVE_DRIFT = 1 / 8;

interface Counted {
  readonly head: number;
  readonly counts: Promise<{ readonly byContainer: ReadonlyMap<number, number>; readonly total: number }>;
}

/**
 * Approximate numbers of vectors in containers: accurate enough to choose a search method, any of which is correct at any size.
 */
export class ContainerSizes {
  readonly #record: VectorRecord;
  readonly #spaces = new Map<number, Counted>();

  constructor(record: VectorRecord) {
    this.#record = record;
  }

  /** @param head the newest change of the space */
  async of(spaceId: number, containerIds: readonly number[], head: number): Promise<number[]> {
    const counted = this.#spaces.get(spaceId) ?? this.#count(spaceId, head);
    const { byContainer, total } = await counted.counts;
    const drift = Math.abs(head - counted.head);
    if (drift > Math.max(LEAST_DRIFT, total * RELATIVE_DRIFT)) {
      if (this.#spaces.get(spaceId) === counted) this.#spaces.delete(spaceId);
      return this.of(spaceId, containerIds, head);
    }
    return containerIds.map((containerId) => byContainer.get(containerId) ?? 0);
  }

  /** Number of vectors in all containers of a space; as approximate as `of`. */
  async total(spaceId: number, head: number): Promise<number> {
    await this.of(spaceId, [], head);
    return (await this.#spaces.get(spaceId)?.counts)?.total ?? 0;
  }

  forget(spaceId: number): void {
    this.#spaces.delete(spaceId);
  }

  #count(spaceId: number, head: number): Counted {
    const counts = this.#record.counts(spaceId).then((byContainer) => {
      let total = 0;
      for (const count of byContainer.values()) total += count;
      return { byContainer, total };
    });
    const counted = { head, counts };
    this.#spaces.set(spaceId, counted);
    counts.catch(() => this.#spaces.delete(spaceId));
    return counted;
  }
}
