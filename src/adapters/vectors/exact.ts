import { setImmediate as nextTurn } from "node:timers/promises";

import type {
  Log,
  VectorHit,
  VectorIndex,
  VectorQuery,
  VectorRecord,
  VectorStatus,
  VectorVerification,
} from "../../core/ports.js";
import type { Unit, VectorSpace } from "../../core/types.js";
import { matrixBytes, mostRows, type ScanQuery } from "./container-matrix.js";
import { ContainerSizes } from "./container-sizes.js";
import { MatrixCache, pageRows } from "./matrix-cache.js";
import { dotProduct, offerUnits, passes } from "./picked-units.js";
import { scanMatrix, TimedTurn } from "./scan-matrix.js";
import { TopHits } from "./top-hits.js";
import { checkVectorQuery } from "./vector-query.js";

const DEFAULT_MEGABYTES = 448;
/** Reading units individually takes a little longer per unit than reading the whole container. */
const WORTH_PICKING = 1 / 2;

export interface ExactVectorsOptions {
  /** Memory for matrices, in MB. A container that does not fit by itself is read page by page for each query. Default 448. */
  readonly megabytes?: number;
  /** Told what fails in the background. */
  readonly log?: Log;
}

/** Exact search, with the size information that the tier above needs. */
export interface ExactVectors extends VectorIndex {
  /** Vectors per container, in the order given; approximate, for size decisions only. */
  sizes(space: VectorSpace, containerIds: readonly number[]): Promise<number[]>;
  /** The share of the memory that a container with this many vectors takes; above 1, it does not fit. */
  shareOfMemory(space: VectorSpace, vectors: number): number;
  /** Whether all vectors of a space fit into memory at the same time. */
  fitsWhole(space: VectorSpace): Promise<boolean>;
  /** The maximum number of vectors of a space that fits into memory. */
  capacity(space: VectorSpace): number;
}

/** Scores every vector of the requested containers: full recall under any filter. */
export function createExactVectors(record: VectorRecord, options: ExactVectorsOptions = {}): ExactVectors {
  const bytes = (options.megabytes ?? DEFAULT_MEGABYTES) * 1024 * 1024;
  return new ExactSearch(record, bytes, options.log);
}

class ExactSearch implements ExactVectors {
  readonly #record: VectorRecord;
  readonly #budgetBytes: number;
  readonly #cache: MatrixCache;
  readonly #sizes: ContainerSizes;

  constructor(record: VectorRecord, budgetBytes: number, log?: Log) {
    this.#record = record;
    this.#budgetBytes = budgetBytes;
    this.#cache = new MatrixCache(record, budgetBytes, log);
    this.#sizes = new ContainerSizes(record);
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    if (!checkVectorQuery(query)) return [];
    const { space } = query;
    const containerIds = [...new Set(query.containerIds)];
    const head = await this.#record.head(space.id);
    const sizes = await this.#sizesAt(space, containerIds, head);
    await this.#cache.catchUp(space, containerIds, head);
    const scan: ScanQuery = { ...query, vector: Float64Array.from(query.vector) };
    const top = new TopHits(query.limit);
    const turn = new TimedTurn();
    const unsettled: Unit[] = [];
    for (const [at, containerId] of containerIds.entries()) {
      const rows = sizes[at]!;
      if (this.shareOfMemory(space, rows) > 1) await this.#scanLarge(query, containerId, { scan, rows, top });
      else {
        const units = await this.#cache.use(space, containerId, { head, rows }, (matrix) =>
          scanMatrix(matrix, scan, { top, turn, limit: query.limit }),
        );
        unsettled.push(...units);
      }
      if (turn.isOver) await turn.next();
    }
    await offerUnits(this.#record, query, unsettled, top);
    return top.sorted();
  }

  async sizes(space: VectorSpace, containerIds: readonly number[]): Promise<number[]> {
    return this.#sizesAt(space, containerIds, await this.#record.head(space.id));
  }

  shareOfMemory(space: VectorSpace, vectors: number): number {
    return matrixBytes(vectors, space.dimensions) / this.#budgetBytes;
  }

  async fitsWhole(space: VectorSpace): Promise<boolean> {
    const total = await this.#sizes.total(space.id, await this.#record.head(space.id));
    return total <= this.capacity(space);
  }

  capacity({ dimensions }: VectorSpace): number {
    return mostRows(this.#budgetBytes, dimensions);
  }

  async status(): Promise<VectorStatus> {
    return { name: "exact", state: "ready", behind: 0 };
  }

  async verify(signal?: AbortSignal): Promise<VectorVerification> {
    return { collections: await this.#cache.verify(signal) };
  }

  /** Only memory needs clearing. */
  async scrub(): Promise<void> {
    this.#cache.clear();
  }

  async dropSpace(spaceId: number): Promise<void> {
    this.#cache.clear(spaceId);
    this.#sizes.forget(spaceId);
  }

  async close(): Promise<void> {
    this.#cache.clear();
  }

  async #sizesAt(space: VectorSpace, containerIds: readonly number[], head: number): Promise<number[]> {
    const known = containerIds.map((containerId) => this.#cache.sizeOf(space, containerId));
    if (known.every((size) => size !== undefined)) return known;
    const counted = await this.#sizes.of(space.id, containerIds, head);
    return known.map((size, at) => size ?? counted[at]!);
  }

  async #scanLarge(
    query: VectorQuery,
    containerId: number,
    { scan, rows, top }: { scan: ScanQuery; rows: number; top: TopHits },
  ): Promise<void> {
    if (query.among !== undefined && query.among.size <= rows * WORTH_PICKING) {
      await offerUnits(this.#record, { ...query, containerIds: [containerId] }, query.among, top);
    } else {
      await this.#scanPages(query.space, containerId, scan, top);
    }
  }

  async #scanPages(space: VectorSpace, containerId: number, scan: ScanQuery, top: TopHits): Promise<void> {
    const limit = pageRows(space.dimensions);
    let after = -1;
    for (;;) {
      const units = await this.#record.visit(space, { containerId, afterUnit: after, limit }, (unit, vector) => {
        if (!passes(scan, unit)) return;
        const cosine = dotProduct(vector, 0, scan.vector);
        if (cosine >= top.floor) top.offer(unit, cosine);
      });
      if (units.length < limit) return;
      after = units.at(-1)!;
      await nextTurn();
    }
  }
}
