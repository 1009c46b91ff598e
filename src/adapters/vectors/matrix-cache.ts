import type { VectorChange, VectorRecord, VectorVerification } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { ContainerMatrix } from "./container-matrix.js";

const CHANGES_PER_READ = 1_000;
/** So many containers that are behind are brought up to date by one read of the log. */
const WORTH_ONE_READ = 4;
const SAMPLED_VECTORS = 8;
/** A comparison only counts when nothing was written meanwhile. */
const COMPARE_ATTEMPTS = 3;

interface Entry {
  readonly space: VectorSpace;
  readonly containerId: number;
  loaded: { matrix: ContainerMatrix; seq: number } | null;
  /** The newest change of the space up to which this container is known to be current. */
  checkedHead: number;
  /** The refresh that is under way, and how far it will come. */
  running: { head: number; matrix: Promise<ContainerMatrix> } | null;
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

  /** The vectors of a container with every change up to `head`, and perhaps newer ones. */
  async current(space: VectorSpace, containerId: number, head: number): Promise<ContainerMatrix> {
    const entry = this.#use(space, containerId);
    if (entry.loaded !== null && entry.checkedHead >= head) return entry.loaded.matrix;
    const matrix = await this.#refresh(entry, head);
    this.#evict(entry);
    return matrix;
  }

  /** Reads the log once for many containers, instead of once for each; what remains is left to `current`. */
  async catchUp(space: VectorSpace, containerIds: readonly number[], head: number): Promise<void> {
    const isStale = (entry: Entry | undefined): entry is Entry =>
      entry !== undefined && entry.loaded !== null && entry.running === null && entry.checkedHead < head;
    const stale = containerIds.map((id) => this.#entries.get(keyOf(space, id))).filter(isStale);
    if (stale.length < WORTH_ONE_READ) return;
    const from = Math.min(...stale.map((entry) => entry.checkedHead));
    const { changes, truncated } = await this.#record.changesSince(space, from, { limit: CHANGES_PER_READ });
    if (truncated || changes.length === CHANGES_PER_READ) return;
    const byContainer = new Map(stale.filter(isStale).map((entry) => [entry.containerId, entry]));
    for (const change of changes) {
      const entry = byContainer.get(change.containerId);
      if (entry !== undefined) applyChanges(entry, [change]);
    }
    for (const entry of byContainer.values()) entry.checkedHead = head;
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

  /** A refresh that began earlier may stop short of what the caller has to see. */
  async #refresh(entry: Entry, head: number): Promise<ContainerMatrix> {
    while (entry.running !== null) {
      if (entry.running.head >= head) return entry.running.matrix;
      await entry.running.matrix.catch(() => undefined);
    }
    const matrix = this.#bringUpToDate(entry, head).finally(() => {
      entry.running = null;
    });
    entry.running = { head, matrix };
    return matrix;
  }

  async #bringUpToDate(entry: Entry, head: number): Promise<ContainerMatrix> {
    if (entry.loaded === null) return this.#load(entry, head);
    while (entry.checkedHead < head) {
      const { changes, truncated } = await this.#record.changesSince(entry.space, entry.loaded.seq, {
        containerId: entry.containerId,
        limit: CHANGES_PER_READ,
      });
      if (truncated) return this.#load(entry, head);
      applyChanges(entry, changes);
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
      const head = await this.#record.head(entry.space.id);
      const matrix = await this.#refresh(entry, head);
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
  return { space, containerId, loaded: null, checkedHead: 0, running: null };
}

function applyChanges(entry: Entry, changes: readonly VectorChange[]): void {
  if (entry.loaded === null) return;
  for (const change of changes) {
    if (change.seq <= entry.loaded.seq) continue;
    entry.loaded.matrix.apply(change);
    entry.loaded.seq = change.seq;
  }
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
