import { setImmediate as nextTurn } from "node:timers/promises";

import type {
  VectorHit,
  VectorIndex,
  VectorQuery,
  VectorRecord,
  VectorStatus,
  VectorVerification,
} from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { dotProduct, matrixBytes, type ScanQuery } from "./container-matrix.js";
import { MatrixCache } from "./matrix-cache.js";
import { offerUnits, passes } from "./picked-units.js";
import { TopHits } from "./top-hits.js";
import { checkVectorQuery } from "./vector-query.js";

const PAGE_BYTES = 4 * 1024 * 1024;
/** Up to so many units are read one by one, more by reading the whole container. */
const WORTH_PICKING = 16_000;
/** How old the counts may be that decide how to answer; every way to answer is right at any size. */
const COUNTS_AGE_MS = 5_000;
/** Rows scanned without letting anything else run. */
const ROWS_PER_TURN = 40_000;

export interface ExactVectorsOptions {
  /** Memory for matrices, in MB. A container that does not fit alone is read in pages for each query. Default 256. */
  readonly megabytes?: number;
}

/** Exact search, and the question that a tier above it asks. */
export interface ExactVectors extends VectorIndex {
  /** Vectors per container, in the order asked; for decisions of size only, as it may be some seconds old. */
  sizes(space: VectorSpace, containerIds: readonly number[]): Promise<number[]>;
}

/** Searches by scoring every vector of the containers asked: full recall under any filter. */
export function createExactVectors(record: VectorRecord, options: ExactVectorsOptions = {}): ExactVectors {
  return new ExactSearch(record, (options.megabytes ?? 256) * 1024 * 1024);
}

class ExactSearch implements ExactVectors {
  readonly #record: VectorRecord;
  readonly #budgetBytes: number;
  readonly #cache: MatrixCache;
  readonly #counts = new Map<number, { at: number; counts: Promise<ReadonlyMap<number, number>> }>();

  constructor(record: VectorRecord, budgetBytes: number) {
    this.#record = record;
    this.#budgetBytes = budgetBytes;
    this.#cache = new MatrixCache(record, budgetBytes);
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    if (!checkVectorQuery(query)) return [];
    const containerIds = [...new Set(query.containerIds)];
    const sizes = await this.sizes(query.space, containerIds);
    const head = await this.#record.head(query.space.id);
    await this.#cache.catchUp(query.space, containerIds, head);
    const scan: ScanQuery = { ...query, vector: Float64Array.from(query.vector) };
    const top = new TopHits(query.limit);
    let rows = 0;
    for (const [at, containerId] of containerIds.entries()) {
      if (matrixBytes(sizes[at]!, query.space.dimensions) > this.#budgetBytes) {
        await this.#scanLarge(query, containerId, scan, top);
        continue;
      }
      const matrix = await this.#cache.current(query.space, containerId, head);
      matrix.scan(scan, top);
      rows += matrix.size;
      if (rows > ROWS_PER_TURN) {
        rows = 0;
        await nextTurn();
      }
    }
    return top.sorted();
  }

  async sizes(space: VectorSpace, containerIds: readonly number[]): Promise<number[]> {
    const known = containerIds.map((containerId) => this.#cache.sizeOf(space, containerId));
    if (known.every((size) => size !== undefined)) return known;
    const counts = await this.#recentCounts(space.id);
    return containerIds.map((containerId, at) => known[at] ?? counts.get(containerId) ?? 0);
  }

  async status(): Promise<VectorStatus> {
    return { name: "exact", state: "ready", behind: 0 };
  }

  async verify(signal?: AbortSignal): Promise<VectorVerification> {
    return { collections: await this.#cache.verify(signal) };
  }

  /** Keeps nothing but in memory. */
  async scrub(): Promise<void> {
    this.#cache.clear();
  }

  async close(): Promise<void> {
    this.#cache.clear();
  }

  async #scanLarge(query: VectorQuery, containerId: number, scan: ScanQuery, top: TopHits): Promise<void> {
    if (query.among !== undefined && query.among.size <= WORTH_PICKING) {
      await offerUnits(this.#record, { ...query, containerIds: [containerId] }, query.among, top);
    } else {
      await this.#scanPages(query.space, containerId, scan, top);
    }
  }

  async #scanPages(space: VectorSpace, containerId: number, scan: ScanQuery, top: TopHits): Promise<void> {
    const limit = Math.max(64, Math.floor(PAGE_BYTES / matrixBytes(1, space.dimensions)));
    let after = -1;
    for (;;) {
      const page = await this.#record.page(space, containerId, after, limit);
      for (const { unit, vector } of page) {
        if (vector !== null && passes(scan, unit)) top.offer(unit, dotProduct(vector, 0, scan.vector));
      }
      if (page.length < limit) return;
      after = page.at(-1)!.unit;
      await nextTurn();
    }
  }

  #recentCounts(spaceId: number): Promise<ReadonlyMap<number, number>> {
    const cached = this.#counts.get(spaceId);
    if (cached !== undefined && performance.now() - cached.at < COUNTS_AGE_MS) return cached.counts;
    const counts = this.#record.counts(spaceId);
    this.#counts.set(spaceId, { at: performance.now(), counts });
    counts.catch(() => this.#counts.delete(spaceId));
    return counts;
  }
}
