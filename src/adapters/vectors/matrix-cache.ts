import type { VectorRecord, VectorVerification } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { ContainerMatrix } from "./container-matrix.js";

const CHANGES_PER_READ = 1_000;
const SAMPLED_VECTORS = 8;
/** A comparison only counts when nothing was written meanwhile. */
const COMPARE_ATTEMPTS = 3;

interface Entry {
  readonly space: VectorSpace;
  readonly containerId: number;
  loaded: { matrix: ContainerMatrix; seq: number } | null;
  /** The newest change of the space up to which this container is known to be current. */
  checkedHead: number;
  running: Promise<ContainerMatrix> | null;
  waiting: Promise<ContainerMatrix> | null;
}

/** Matrices of containers, each brought up to date with the record before it is handed out. */
export class MatrixCache {
  readonly #record: VectorRecord;
  readonly #budgetBytes: number;
  /** In order of last use, oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(record: VectorRecord, budgetBytes: number) {
    this.#record = record;
    this.#budgetBytes = budgetBytes;
  }

  /** The vectors of a container with every change that was committed before the call. */
  async current(space: VectorSpace, containerId: number): Promise<ContainerMatrix> {
    const entry = this.#use(space, containerId);
    const matrix = await this.#refresh(entry);
    this.#evict(entry);
    return matrix;
  }

  /** Vectors of a container when it is in memory, as of its last use. */
  sizeOf(space: VectorSpace, containerId: number): number | undefined {
    return this.#entries.get(keyOf(space, containerId))?.loaded?.matrix.size;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Compares every matrix in memory with the record; one that differs is dropped and loads afresh when next used. */
  async verify(signal?: AbortSignal): Promise<VectorVerification["collections"]> {
    const results: VectorVerification["collections"][number][] = [];
    for (const [key, entry] of this.#entries) {
      signal?.throwIfAborted();
      const result = await this.#compare(entry);
      if (result.repaired) this.#entries.delete(key);
      results.push(result);
    }
    return results;
  }

  #use(space: VectorSpace, containerId: number): Entry {
    const key = keyOf(space, containerId);
    const entry = this.#entries.get(key) ?? newEntry(space, containerId);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * A refresh that is running may have read the log before the caller's write, so a caller never joins it;
   * all who come meanwhile share the next one.
   */
  #refresh(entry: Entry): Promise<ContainerMatrix> {
    if (entry.running === null) return this.#startRefresh(entry);
    entry.waiting ??= entry.running
      .catch(() => undefined)
      .then(() => {
        entry.waiting = null;
        return this.#startRefresh(entry);
      });
    return entry.waiting;
  }

  #startRefresh(entry: Entry): Promise<ContainerMatrix> {
    entry.running = this.#bringUpToDate(entry).finally(() => {
      entry.running = null;
    });
    return entry.running;
  }

  async #bringUpToDate(entry: Entry): Promise<ContainerMatrix> {
    const head = await this.#record.head(entry.space.id);
    if (entry.loaded === null) return this.#load(entry, head);
    while (entry.checkedHead < head) {
      const { changes, truncated } = await this.#record.changesSince(entry.space, entry.loaded.seq, {
        containerId: entry.containerId,
        limit: CHANGES_PER_READ,
      });
      if (truncated) return this.#load(entry, head);
      for (const change of changes) entry.loaded.matrix.apply(change);
      entry.loaded.seq = changes.at(-1)?.seq ?? entry.loaded.seq;
      if (changes.length < CHANGES_PER_READ) entry.checkedHead = head;
    }
    return entry.loaded.matrix;
  }

  async #load(entry: Entry, head: number): Promise<ContainerMatrix> {
    const vectors = await this.#record.load(entry.space, entry.containerId);
    const matrix = new ContainerMatrix(entry.space.dimensions, vectors);
    entry.loaded = { matrix, seq: vectors.seq };
    entry.checkedHead = head;
    return matrix;
  }

  #evict(justUsed: Entry): void {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.loaded?.matrix.bytes ?? 0;
    for (const [key, entry] of this.#entries) {
      if (bytes <= this.#budgetBytes) return;
      if (entry === justUsed || entry.loaded === null) continue;
      bytes -= entry.loaded.matrix.bytes;
      this.#entries.delete(key);
    }
  }

  async #compare(entry: Entry): Promise<VectorVerification["collections"][number]> {
    const name = `exact ${keyOf(entry.space, entry.containerId)}`;
    for (let attempt = 0; attempt < COMPARE_ATTEMPTS; attempt++) {
      const matrix = await this.#refresh(entry);
      const head = entry.checkedHead;
      const truth = await this.#record.load(entry.space, entry.containerId);
      if ((await this.#record.head(entry.space.id)) !== head) continue;
      return { name, ...compareMatrices(matrix, new ContainerMatrix(entry.space.dimensions, truth)) };
    }
    const size = entry.loaded?.matrix.size ?? 0;
    return { name, expected: size, found: size, selfQueries: { asked: 0, found: 0 }, repaired: false };
  }
}

function keyOf(space: VectorSpace, containerId: number): string {
  return `${space.id}/${containerId}`;
}

function newEntry(space: VectorSpace, containerId: number): Entry {
  return { space, containerId, loaded: null, checkedHead: 0, running: null, waiting: null };
}

function compareMatrices(matrix: ContainerMatrix, truth: ContainerMatrix) {
  const sample = truth.sampleUnits(SAMPLED_VECTORS);
  const found = sample.filter((unit) => sameVector(matrix.vectorOf(unit), truth.vectorOf(unit))).length;
  return {
    expected: truth.size,
    found: matrix.size,
    selfQueries: { asked: sample.length, found },
    repaired: matrix.size !== truth.size || found < sample.length,
  };
}

function sameVector(left: Float32Array | null, right: Float32Array | null): boolean {
  return left !== null && right !== null && left.every((value, at) => value === right[at]);
}
