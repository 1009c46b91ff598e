import { AppError } from "../../core/errors.js";
import type {
  Log,
  VectorHit,
  VectorIndex,
  VectorQuery,
  VectorRecord,
  VectorStatus,
  VectorVerification,
} from "../../core/ports.js";
import type { ExactVectors } from "./exact.js";
import { offerUnits } from "./picked-units.js";
import { TopHits } from "./top-hits.js";
import { checkVectorQuery } from "./vector-query.js";

export interface TieredVectorsOptions {
  readonly record: VectorRecord;
  readonly exact: ExactVectors;
  /** Handles what is too large to be scored exactly. Null: everything is scored exactly. */
  readonly chroma: VectorIndex | null;
  /** The maximum number of vectors that one query scores exactly while Chroma is available, if they fit into memory. */
  readonly exactLimit: number;
  readonly log: Log;
}

/** The maximum number of units of a filter that are read one by one rather than left to Chroma; takes a tenth of a second. */
const MOST_PICKED = 20_000;

/**
 * Where not all vectors fit into memory, containers that take more than this share of it are left to Chroma: searched in turn,
 * they would push each other out, and every search would read one anew.
 */
const MOST_OF_MEMORY = 1 / 4;

/**
 * Scores small containers exactly and queries Chroma for large ones. When Chroma cannot answer, the large ones are scored exactly
 * too, which is slower but still correct. A search never fails because of Chroma.
 */
export function createTieredVectors(options: TieredVectorsOptions): VectorIndex {
  return new TieredSearch(options);
}

class TieredSearch implements VectorIndex {
  readonly #options: TieredVectorsOptions;

  constructor(options: TieredVectorsOptions) {
    this.#options = options;
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    if (!checkVectorQuery(query)) return [];
    const { exact, chroma, record } = this.#options;
    if (chroma === null) return exact.nearest(query);
    const { small, large } = await this.#bySize(query);
    if (large.length === 0) return exact.nearest(query);
    if (query.among !== undefined && query.among.size <= MOST_PICKED) {
      const top = new TopHits(query.limit);
      await offerUnits(record, query, query.among, top);
      return top.sorted();
    }
    const [near, far] = await Promise.all([
      exact.nearest({ ...query, containerIds: small }),
      this.#askChroma(chroma, { ...query, containerIds: large }),
    ]);
    const top = new TopHits(query.limit);
    for (const hit of [...near, ...far]) top.offer(hit.unit, hit.cosine);
    return top.sorted();
  }

  async status(): Promise<VectorStatus> {
    const { exact, chroma } = this.#options;
    if (chroma === null) return exact.status();
    const status = await chroma.status();
    return { ...status, name: `exact + ${status.name}` };
  }

  async verify(signal?: AbortSignal): Promise<VectorVerification> {
    const { exact, chroma } = this.#options;
    const inMemory = await exact.verify(signal);
    const inChroma = await chroma?.verify(signal);
    return { collections: [...inMemory.collections, ...(inChroma?.collections ?? [])] };
  }

  async scrub(signal?: AbortSignal): Promise<void> {
    await this.#options.exact.scrub(signal);
    await this.#options.chroma?.scrub(signal);
  }

  async dropSpace(spaceId: number): Promise<void> {
    await this.#options.exact.dropSpace(spaceId);
    await this.#options.chroma?.dropSpace(spaceId);
  }

  async close(): Promise<void> {
    await this.#options.chroma?.close();
    await this.#options.exact.close();
  }

  /** The smallest containers are scored exactly as long as their total stays within the limit and fits into memory; see above. */
  async #bySize(query: VectorQuery): Promise<{ small: number[]; large: number[] }> {
    const containerIds = [...new Set(query.containerIds)];
    const { exact, exactLimit } = this.#options;
    const sizes = await exact.sizes(query.space, containerIds);
    const mostOfMemory = (await exact.fitsWhole(query.space)) ? 1 : MOST_OF_MEMORY;
    const bySize = containerIds.map((id, at) => ({ id, size: sizes[at]! })).sort((a, b) => a.size - b.size);
    const small: number[] = [];
    const large: number[] = [];
    let sum = 0;
    let share = 0;
    for (const { id, size } of bySize) {
      const own = exact.shareOfMemory(query.space, size);
      sum += size;
      share += own;
      if (sum <= exactLimit && share <= 1 && own <= mostOfMemory) small.push(id);
      else large.push(id);
    }
    return { small, large };
  }

  async #askChroma(chroma: VectorIndex, query: VectorQuery): Promise<VectorHit[]> {
    try {
      return await chroma.nearest(query);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
      this.#options.log.debug("exact search stands in for Chroma", { reason: error.message });
      return this.#options.exact.nearest(query);
    }
  }
}
