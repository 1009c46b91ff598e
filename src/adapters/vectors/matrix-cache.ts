import type { Log, VectorChange, VectorRecord, VectorVerification } from "../../core/ports.js";
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
/** Loads that fit go before one that does not this many times. */
const MOST_PASSED_OVER = 20;

interface Entry {
  readonly space: VectorSpace;
  readonly containerId: number;
  loaded: { matrix: ContainerMatrix; seq: number } | null;
  /** The newest change of the space up to which this container is known to be current. */
  checkedHead: number;
  /** The refresh in progress, and how far it will reach. */
  running: { head: number; done: Promise<void> } | null;
  /** Whether the rows of a large matrix are being put into order. */
  isGrouping: boolean;
  /** Searches that work with the matrix, or wait for it. */
  users: number;
  /** No new search finds a discarded entry; its memory is free once its last user ends. */
  isDiscarded: boolean;
  /** Bytes that the cache has counted for this entry. */
  bytes: number;
}

interface WaitingLoad {
  readonly entry: Entry;
  readonly bytes: number;
  readonly proceed: () => void;
  /** How many later loads went before it. */
  passedOver: number;
}

/** How far a container must be current, and approximately how many vectors to load if it is not in memory. */
interface Expected {
  readonly head: number;
  readonly rows: number;
}

/** Matrices of containers, each brought up to date with the record before use. */
export class MatrixCache {
  readonly #record: VectorRecord;
  readonly #budgetBytes: number;
  readonly #log: Log | undefined;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Bytes of all entries, including discarded ones that are still in use. */
  #heldBytes = 0;
  /** Bytes of the entries that a new search would find. */
  #listedBytes = 0;
  /** Loads that wait for memory, in the order in which they asked for it. */
  readonly #waiting: WaitingLoad[] = [];

  constructor(record: VectorRecord, budgetBytes: number, log?: Log) {
    this.#record = record;
    this.#budgetBytes = budgetBytes;
    this.#log = log;
  }

  /**
   * Works with the vectors of a container, including every change up to `head`, and perhaps newer ones. Waits while the memory is
   * taken by containers that others work with. `work` must not use another container meanwhile.
   */
  async use<T>(
    space: VectorSpace,
    containerId: number,
    expected: Expected,
    work: (matrix: ContainerMatrix) => T | Promise<T>,
  ): Promise<T> {
    for (;;) {
      const entry = this.#touch(space, containerId);
      entry.users += 1;
      try {
        if (!isCurrent(entry, expected.head)) {
          await this.#refresh(entry, expected);
          this.#count(entry);
          this.#evict(0, this.#fitsAlone(entry) ? entry : undefined);
        }
        if (isCurrent(entry, expected.head)) return await work(entry.loaded.matrix);
      } finally {
        entry.users -= 1;
        this.#freeUnused(entry);
        this.#serveWaiting();
      }
    }
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
      if (entry.loaded !== null) this.#groupInBackground(entry, entry.loaded.matrix);
    }
  }

  /** Number of vectors of a container in memory, as of its last use. */
  sizeOf(space: VectorSpace, containerId: number): number | undefined {
    return this.#entries.get(keyOf(space, containerId))?.loaded?.matrix.size;
  }

  /** Frees the memory of one space or of all; searches in progress finish with what they have. */
  clear(spaceId?: number): void {
    for (const entry of this.#entries.values()) {
      if (spaceId === undefined || entry.space.id === spaceId) this.#discard(entry);
    }
  }

  /** Compares every matrix in memory with the record; one that differs is dropped and reloaded on its next use. */
  async verify(signal?: AbortSignal): Promise<VectorVerification["collections"]> {
    const results: VectorVerification["collections"][number][] = [];
    // Using an entry moves it to the end.
    const entries = Array.from(this.#entries.values());
    for (const entry of entries) {
      signal?.throwIfAborted();
      if (entry.loaded === null || entry.isDiscarded) continue;
      const result = await this.#compare(entry, entry.loaded.matrix.size);
      if (result.repaired) this.#discard(entry);
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
  async #refresh(entry: Entry, expected: Expected): Promise<void> {
    while (entry.running !== null) {
      if (entry.running.head >= expected.head) return entry.running.done;
      await entry.running.done.catch(() => undefined);
    }
    if (isCurrent(entry, expected.head)) return;
    const done = this.#bringUpToDate(entry, expected).finally(() => {
      entry.running = null;
    });
    entry.running = { head: expected.head, done };
    return done;
  }

  /** An entry from which the log does not reach to `head` is discarded; the next one is loaded in its place. */
  async #bringUpToDate(entry: Entry, { head, rows }: Expected): Promise<void> {
    if (entry.loaded === null) return this.#load(entry, { head, rows });
    while (entry.checkedHead < head) {
      const { changes, truncated } = await this.#record.changesSince(entry.space, entry.loaded.seq, {
        containerId: entry.containerId,
        limit: CHANGES_PER_READ,
      });
      if (truncated) return this.#discard(entry);
      applyChanges(entry, changes);
      if (changes.length < CHANGES_PER_READ) entry.checkedHead = head;
    }
    this.#groupInBackground(entry, entry.loaded.matrix);
  }

  /**
   * Reads a container page by page, so that other work can run in between. Changes made meanwhile are in the log after `head`,
   * and are applied by the next refresh.
   */
  async #load(entry: Entry, { head, rows }: Expected): Promise<void> {
    const { space, containerId } = entry;
    await this.#reserve(entry, matrixBytes(rows, space.dimensions));
    const matrix = new ContainerMatrix(space.dimensions, { expectedRows: rows });
    const limit = pageRows(space.dimensions);
    const turn = new TimedTurn();
    try {
      for (let after = -1; ;) {
        const units = await this.#record.visit(space, { containerId, afterUnit: after, limit }, (unit, vector) =>
          matrix.apply({ unit, vector }),
        );
        if (units.length < limit) break;
        after = units.at(-1)!;
        if (turn.isOver) await turn.next();
      }
    } catch (error) {
      this.#setBytes(entry, 0);
      throw error;
    }
    entry.loaded = { matrix, seq: head };
    entry.checkedHead = head;
    this.#groupInBackground(entry, matrix);
  }

  #groupInBackground(entry: Entry, matrix: ContainerMatrix): void {
    if (matrix.isGrouped || entry.isGrouping) return;
    entry.isGrouping = true;
    void this.#group(entry, matrix)
      .catch((error: unknown) => {
        // Rows may be missing now; the next search reads the container anew.
        this.#log?.error("vectors of a container could not be put in groups", { reason: String(error) });
        this.#discard(entry);
      })
      .finally(() => {
        entry.isGrouping = false;
      });
  }

  /** Searches continue meanwhile, and restart where rows moved. */
  async #group(entry: Entry, matrix: ContainerMatrix): Promise<void> {
    const turn = new TimedTurn();
    const steps = matrix.group();
    while (!entry.isDiscarded && steps.next().done !== true) if (turn.isOver) await turn.next();
  }

  /** Ends when so many bytes are free, and counts them for the entry. */
  async #reserve(entry: Entry, bytes: number): Promise<void> {
    await new Promise<void>((proceed) => {
      this.#waiting.push({ entry, bytes, proceed, passedOver: 0 });
      this.#serveWaiting();
    });
  }

  /**
   * The load that has waited longest goes first. What fits into the free memory may go before it, but not for ever. A load that
   * needs more than there is proceeds when it is the only one.
   */
  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#wouldFit(next.bytes)) this.#evict(next.bytes);
      const served = this.#fits(next.bytes) ? next : this.#smallerThan(next);
      if (served === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(served), 1);
      this.#setBytes(served.entry, served.bytes);
      served.proceed();
    }
  }

  /** A waiting load that fits now, although the first does not. */
  #smallerThan(first: WaitingLoad): WaitingLoad | undefined {
    if (first.passedOver >= MOST_PASSED_OVER) return undefined;
    const smaller = this.#waiting.find(({ bytes }) => this.#fits(bytes));
    if (smaller !== undefined) first.passedOver += 1;
    return smaller;
  }

  #fits(bytes: number): boolean {
    return this.#heldBytes === 0 || this.#heldBytes + bytes <= this.#budgetBytes;
  }

  /** Whether a load fits once all that can be discarded is free; as long as it does not, discarding would gain nothing. */
  #wouldFit(bytes: number): boolean {
    let discardable = 0;
    for (const entry of this.#entries.values()) if (entry.loaded !== null) discardable += entry.bytes;
    const rest = this.#heldBytes - discardable;
    return rest === 0 || rest + bytes <= this.#budgetBytes;
  }

  /**
   * Discards what was not used for longest. Matrices in use are discarded too: a new search of them then waits its turn for memory,
   * behind the load that needs theirs.
   * @param needed bytes about to be allocated
   * @param kept what is not discarded, since its next search would only read it anew
   */
  #evict(needed: number, kept?: Entry): void {
    for (const entry of this.#entries.values()) {
      if (this.#listedBytes + needed <= this.#budgetBytes) return;
      if (entry.loaded !== null && entry !== kept) this.#discard(entry);
    }
  }

  /** Whether a matrix is within the memory, apart from spare room beyond what is usual. */
  #fitsAlone({ loaded, space }: Entry): boolean {
    return matrixBytes(loaded?.matrix.size ?? 0, space.dimensions) <= this.#budgetBytes;
  }

  #count(entry: Entry): void {
    if (entry.loaded !== null) this.#setBytes(entry, entry.loaded.matrix.bytes);
  }

  #setBytes(entry: Entry, bytes: number): void {
    this.#heldBytes += bytes - entry.bytes;
    if (!entry.isDiscarded) this.#listedBytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #discard(entry: Entry): void {
    if (entry.isDiscarded) return;
    this.#entries.delete(keyOf(entry.space, entry.containerId));
    this.#listedBytes -= entry.bytes;
    entry.isDiscarded = true;
    this.#freeUnused(entry);
  }

  #freeUnused(entry: Entry): void {
    if (entry.isDiscarded && entry.users === 0) this.#setBytes(entry, 0);
  }

  async #compare(entry: Entry, rows: number): Promise<VectorVerification["collections"][number]> {
    const { space, containerId } = entry;
    const name = `exact ${keyOf(space, containerId)}`;
    for (let attempt = 0; attempt < COMPARE_ATTEMPTS; attempt++) {
      const head = await this.#record.head(space.id);
      const compared = await this.use(space, containerId, { head, rows }, async (matrix) => {
        const { found, expected } = await this.#compareUnits(entry, matrix);
        const sample = matrix.sampleUnits(SAMPLED_VECTORS);
        const truth = await this.#record.pick(space, [containerId], sample);
        const same = truth.units.filter((unit, row) => {
          const vector = truth.matrix.subarray(row * space.dimensions, (row + 1) * space.dimensions);
          return matrix.holds(unit, vector);
        });
        const selfQueries = { asked: sample.length, found: same.length };
        const { size } = matrix;
        const repaired = found < expected || size !== expected || same.length < sample.length;
        return { name, expected, found: size, selfQueries, repaired };
      });
      if ((await this.#record.head(space.id)) === head) return compared;
    }
    const size = entry.loaded?.matrix.size ?? 0;
    return { name, expected: size, found: size, selfQueries: { asked: 0, found: 0 }, repaired: false };
  }

  /** How many units the record has in a container, and how many of them the matrix has. */
  async #compareUnits({ space, containerId }: Entry, matrix: ContainerMatrix) {
    const limit = pageRows(space.dimensions);
    let expected = 0;
    let found = 0;
    for (let after = -1; ;) {
      const units = await this.#record.visit(space, { containerId, afterUnit: after, limit }, () => undefined);
      expected += units.length;
      found += units.filter((unit) => matrix.has(unit)).length;
      if (units.length < limit) return { expected, found };
      after = units.at(-1)!;
    }
  }
}

function keyOf(space: VectorSpace, containerId: number): string {
  return `${space.id}/${containerId}`;
}

function newEntry(space: VectorSpace, containerId: number): Entry {
  const counts = { checkedHead: 0, users: 0, bytes: 0 };
  return { space, containerId, ...counts, loaded: null, running: null, isGrouping: false, isDiscarded: false };
}

function isCurrent(entry: Entry, head: number): entry is Entry & { loaded: NonNullable<Entry["loaded"]> } {
  return entry.loaded !== null && entry.checkedHead >= head;
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
