import type { VectorChange, VectorRecord, VectorVerification } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { ContainerMatrix, matrixBytes } from "./container-matrix.js";
import { TimedTurn } from "./scan-matrix.js";

const PAGE_BYTES = 192 * 1024;
/** Reading this many takes about a millisecond at 384 dimensions. */
const CHANGES_PER_READ = 128;
/** From this many outdated containers on, one read of the log updates all of them. */
const WORTH_ONE_READ = 4;
/** More changes than this are not read for several containers at once. */
const MOST_FOR_MANY = 4_000;
const SAMPLED_VECTORS = 8;
/** A comparison counts only if nothing was written meanwhile. */
const COMPARE_ATTEMPTS = 3;

interface Entry {
  readonly space: VectorSpace;
  readonly containerId: number;
  /** Approximate number of vectors to load. */
  expectedRows: number;
  loaded: { matrix: ContainerMatrix; seq: number } | null;
  /** The newest change of the space up to which this container is known to be current. */
  checkedHead: number;
  /** The refresh in progress, and how far it will reach. */
  running: { head: number; done: Promise<void> } | null;
  isDiscarded: boolean;
  /** Bytes that the cache has counted for this entry. */
  bytes: number;
}

/** Matrices of containers, each brought up to date with the record before use. */
export class MatrixCache {
  readonly #record: VectorRecord;
  readonly #budgetBytes: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(record: VectorRecord, budgetBytes: number) {
    this.#record = record;
    this.#budgetBytes = budgetBytes;
  }

  /**
   * Works with the vectors of a container, including every change up to `head`, and perhaps newer ones.
   * @param expected.rows approximate number of vectors to load if it is not in memory
   * @param work receives a function that returns the current matrix, which may be a different one after a wait
   */
  async use<T>(
    space: VectorSpace,
    containerId: number,
    expected: { head: number; rows: number },
    work: (current: () => ContainerMatrix) => T | Promise<T>,
  ): Promise<T> {
    const entry = this.#touch(space, containerId);
    if (entry.loaded === null || entry.checkedHead < expected.head) {
      if (entry.loaded === null) {
        this.#evict(matrixBytes(expected.rows, space.dimensions));
        entry.expectedRows = expected.rows;
      }
      await this.#refresh(entry, expected.head);
      this.#count(entry);
      this.#evict(0);
    }
    return work(() => entry.loaded!.matrix);
  }

  /** Reads the log once for many containers, instead of once for each; the rest is left to `use`. */
  async catchUp(space: VectorSpace, containerIds: readonly number[], head: number): Promise<void> {
    const isStale = (entry: Entry | undefined): entry is Entry =>
      entry !== undefined &&
      entry.loaded !== null &&
      entry.running === null &&
      !entry.isDiscarded &&
      entry.checkedHead < head;
    const stale = containerIds.map((id) => this.#entries.get(keyOf(space, id))).filter(isStale);
    if (stale.length < WORTH_ONE_READ) return;
    const changes = await this.#changesSince(space, Math.min(...stale.map((entry) => entry.checkedHead)));
    if (changes === null) return;
    const byContainer = new Map(stale.filter(isStale).map((entry) => [entry.containerId, entry]));
    for (const change of changes) {
      const entry = byContainer.get(change.containerId);
      if (entry !== undefined) applyChanges(entry, [change]);
    }
    for (const entry of byContainer.values()) {
      entry.checkedHead = head;
      this.#count(entry);
    }
  }

  /** Number of vectors of a container in memory, as of its last use. */
  sizeOf(space: VectorSpace, containerId: number): number | undefined {
    return this.#entries.get(keyOf(space, containerId))?.loaded?.matrix.size;
  }

  /** Bytes taken by the matrices in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Frees the memory of one space or of all; searches in progress finish with what they have. */
  clear(spaceId?: number): void {
    for (const [key, entry] of this.#entries) {
      if (spaceId === undefined || entry.space.id === spaceId) this.#discard(key, entry);
    }
  }

  /** Compares every matrix in memory with the record; one that differs is dropped and reloaded on its next use. */
  async verify(signal?: AbortSignal): Promise<VectorVerification["collections"]> {
    const results: VectorVerification["collections"][number][] = [];
    // Using an entry moves it to the end.
    const entries = Array.from(this.#entries);
    for (const [key, entry] of entries) {
      signal?.throwIfAborted();
      if (entry.loaded === null || entry.isDiscarded) continue;
      const result = await this.#compare(entry);
      if (result.repaired) this.#discard(key, entry);
      results.push(result);
    }
    return results;
  }

  /** Changes of all containers; null if there are too many to be worthwhile, or the log does not reach back far enough. */
  async #changesSince(space: VectorSpace, from: number): Promise<VectorChange[] | null> {
    const all: VectorChange[] = [];
    while (all.length < MOST_FOR_MANY) {
      const after = all.at(-1)?.seq ?? from;
      const { changes, truncated } = await this.#record.changesSince(space, after, { limit: CHANGES_PER_READ });
      if (truncated) return null;
      all.push(...changes);
      if (changes.length < CHANGES_PER_READ) return all;
    }
    return null;
  }

  #touch(space: VectorSpace, containerId: number): Entry {
    const key = keyOf(space, containerId);
    const entry = this.#entries.get(key) ?? newEntry(space, containerId);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** A refresh that began earlier may not reach what the caller must see. */
  async #refresh(entry: Entry, head: number): Promise<void> {
    while (entry.running !== null) {
      if (entry.running.head >= head) return entry.running.done;
      await entry.running.done.catch(() => undefined);
    }
    if (entry.loaded !== null && entry.checkedHead >= head) return;
    const done = this.#bringUpToDate(entry, head).finally(() => {
      entry.running = null;
    });
    entry.running = { head, done };
    return done;
  }

  async #bringUpToDate(entry: Entry, head: number): Promise<void> {
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
  }

  /**
   * Reads a container page by page, so that other work can run in between. Changes made meanwhile are in the log after `head`,
   * and are applied by the next refresh.
   */
  async #load(entry: Entry, head: number): Promise<void> {
    const { space, containerId } = entry;
    const rows = entry.loaded?.matrix.size ?? entry.expectedRows;
    const matrix = new ContainerMatrix(space.dimensions, rows);
    const limit = pageRows(space.dimensions);
    const turn = new TimedTurn();
    for (let after = -1; ;) {
      const units = await this.#record.visit(space, { containerId, afterUnit: after, limit }, (unit, vector) =>
        matrix.apply({ unit, vector }),
      );
      if (units.length < limit) break;
      after = units.at(-1)!;
      if (turn.isOver) await turn.next();
    }
    // A scan in progress restarts with the new matrix.
    entry.loaded = { matrix, seq: head };
    entry.checkedHead = head;
  }

  /** @param needed bytes about to be allocated */
  #evict(needed: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + needed <= this.#budgetBytes) return;
      if (entry.loaded !== null && entry.running === null) this.#discard(key, entry);
    }
  }

  #count(entry: Entry): void {
    const bytes = entry.isDiscarded ? 0 : (entry.loaded?.matrix.bytes ?? 0);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #discard(key: string, entry: Entry): void {
    this.#entries.delete(key);
    entry.isDiscarded = true;
    this.#count(entry);
  }

  async #compare(entry: Entry): Promise<VectorVerification["collections"][number]> {
    const { space, containerId } = entry;
    const name = `exact ${keyOf(space, containerId)}`;
    for (let attempt = 0; attempt < COMPARE_ATTEMPTS; attempt++) {
      const head = await this.#record.head(space.id);
      const compared = await this.use(space, containerId, { head, rows: 0 }, async (current) => {
        const { found, expected } = await this.#compareUnits(entry, current);
        const sample = current().sampleUnits(SAMPLED_VECTORS);
        const truth = await this.#record.pick(space, [containerId], sample);
        const same = truth.units.filter((unit, row) => {
          const vector = truth.matrix.subarray(row * space.dimensions, (row + 1) * space.dimensions);
          return current().holds(unit, vector);
        });
        const selfQueries = { asked: sample.length, found: same.length };
        const size = current().size;
        const repaired = found < expected || size !== expected || same.length < sample.length;
        return { name, expected, found: size, selfQueries, repaired };
      });
      if ((await this.#record.head(space.id)) === head) return compared;
    }
    const size = entry.loaded?.matrix.size ?? 0;
    return { name, expected: size, found: size, selfQueries: { asked: 0, found: 0 }, repaired: false };
  }

  /** How many units the record has in a container, and how many of them the matrix has. */
  async #compareUnits({ space, containerId }: Entry, current: () => ContainerMatrix) {
    const limit = pageRows(space.dimensions);
    let expected = 0;
    let found = 0;
    for (let after = -1; ;) {
      const units = await this.#record.visit(space, { containerId, afterUnit: after, limit }, () => undefined);
      expected += units.length;
      found += units.filter((unit) => current().has(unit)).length;
      if (units.length < limit) return { expected, found };
      after = units.at(-1)!;
    }
  }
}

function keyOf(space: VectorSpace, containerId: number): string {
  return `${space.id}/${containerId}`;
}

function newEntry(space: VectorSpace, containerId: number): Entry {
  const counts = { expectedRows: 0, checkedHead: 0, bytes: 0 };
  return { space, containerId, ...counts, loaded: null, running: null, isDiscarded: false };
}

function applyChanges(entry: Entry, changes: readonly VectorChange[]): void {
  if (entry.loaded === null) return;
  for (const change of changes) {
    if (change.seq <= entry.loaded.seq) continue;
    entry.loaded.matrix.apply(change);
    entry.loaded.seq = change.seq;
  }
}

/** Vectors per read of the record, so that a read takes about a millisecond. */
export function pageRows(dimensions: number): number {
  return Math.min(1_000, Math.max(16, Math.floor(PAGE_BYTES / (dimensions * 4))));
}
