import type { Log, VectorChange } from "../../core/ports.js";
import { kindOf, type VectorSpace } from "../../core/types.js";
import { groupBy } from "../../lib/group-by.js";
import { type FollowedRecord, readLayout } from "./chroma-layout.js";
import { ChromaLayoutPublisher } from "./chroma-layout-publisher.js";
import { type CollectionNames, rowId } from "./chroma-names.js";
import type { ChromaCollection, ChromaRow, ChromaServer } from "./chroma-server.js";
import type { SearchedCollections } from "./chroma-search.js";
import { isSmall, rewriteLost } from "./hnsw-repair.js";

export interface ChromaSpaceOptions extends FollowedRecord {
  readonly server: ChromaServer;
  readonly names: CollectionNames;
  /** Containers with more vectors than this get a collection of their own. */
  readonly ownAbove: number;
  readonly log: Log;
}

const PURGE_ROWS = 250;
/** A container returns to the shared collection below this share of the threshold, so that it does not move back and forth. */
const SHARED_AGAIN_BELOW = 1 / 2;

/** A container on its way to another collection. Until the move is complete, searches use the old one. */
interface Move {
  readonly containerId: number;
  readonly collection: ChromaCollection;
}

/**
 * The collections of one vector space on one server, and the position in the record's log up to which they are complete. Writing
 * operations must run one at a time; searches may run at any time.
 */
export class ChromaSpace implements SearchedCollections {
  readonly space: VectorSpace;
  readonly #options: ChromaSpaceOptions;
  readonly #publisher: ChromaLayoutPublisher;
  readonly #collections = new Map<string, ChromaCollection>();
  readonly #incomplete = new Set<string>();
  /** Collections too large to check for lost rows; none of this size was seen to lose any. */
  readonly #grown = new WeakSet<ChromaCollection>();
  readonly #placements = new Map<number, string>();
  #position = 0;
  #move: Move | null = null;
  /** The newest change when container sizes were last checked. */
  #placedAt = -1;
  /** Vectors per collection at that time. */
  #sizes: ReadonlyMap<string, number> = new Map();

  constructor(space: VectorSpace, options: ChromaSpaceOptions) {
    this.space = space;
    this.#options = options;
    this.#publisher = new ChromaLayoutPublisher(options, space);
  }

  get position(): number {
    return this.#position;
  }

  /** Opens the collections; builds missing ones, or all if the log does not reach back far enough. */
  async open(signal: AbortSignal): Promise<void> {
    const { record, server, names } = this.#options;
    const { position, layout } = await this.#publisher.read();
    this.#position = position;
    await this.#readPlacements();
    const existing = new Set(await server.names(names.shared(this.space)));
    const wanted = this.collectionNames();
    const { truncated } = await record.changesSince(this.space, this.#position, { limit: 1 });
    const isNew = truncated || this.#position === 0 || readLayout(layout)?.state === "outdated";
    const missing = wanted.filter((name) => isNew || !existing.has(name));
    for (const name of wanted) {
      if (missing.includes(name)) this.#incomplete.add(name);
      else this.#collections.set(name, await server.open(name));
    }
    // Whoever fed them before may have been cut off before publishing its changes.
    await this.#tellLayout();
    for (const name of existing) if (!wanted.includes(name)) await server.drop(name);
    if (isNew) await this.rebuildAll(signal);
    else for (const name of missing) await this.rebuild(name, signal);
    this.#noteSizes(await record.counts(this.space.id));
  }

  /** The collections that should exist, the shared one first. */
  collectionNames(): string[] {
    return [this.#options.names.shared(this.space), ...this.#placements.values()];
  }

  collection(name: string): ChromaCollection | null {
    return this.#incomplete.has(name) ? null : (this.#collections.get(name) ?? null);
  }

  sizeOf(name: string): number {
    return this.#sizes.get(name) ?? 0;
  }

  byCollection(containerIds: Iterable<number>): Map<string, number[]> {
    const shared = this.#options.names.shared(this.space);
    return groupBy(containerIds, (containerId) => this.#placements.get(containerId) ?? shared);
  }

  isOwn(name: string): boolean {
    return name !== this.#options.names.shared(this.space);
  }

  /** Lets other processes search, once the collections have been compared with the record. */
  async publish(): Promise<void> {
    this.#publisher.trust();
    await this.#tellLayout();
  }

  /** Requires the collections to be compared before other processes query them again. */
  async withdraw(): Promise<void> {
    await this.#publisher.withdraw();
  }

  /** @throws AppError `unavailable` when another process wants the collections checked again */
  requirePublished(): Promise<void> {
    return this.#publisher.requireUnchanged();
  }

  /** Rebuilds every collection; the layout demands this until all are done. */
  async rebuildOutdated(signal: AbortSignal): Promise<void> {
    await this.#publisher.read();
    await this.rebuildAll(signal);
    await this.publish();
  }

  /** Applies the next changes from the log. @returns the number of changes */
  async follow(signal: AbortSignal): Promise<number> {
    const { record, server } = this.#options;
    const { changes, truncated } = await record.changesSince(this.space, this.#position, { limit: server.writeRows });
    if (truncated) {
      await this.rebuildAll(signal);
      return 1;
    }
    const last = changes.at(-1);
    if (last === undefined) return 0;
    await this.#apply(changes);
    await this.#advance(last.seq);
    return changes.length;
  }

  /** Applies the log to its end. */
  async catchUp(signal: AbortSignal): Promise<void> {
    while ((await this.follow(signal)) > 0) signal.throwIfAborted();
  }

  /**
   * Gives containers that have grown past the threshold a collection of their own, and returns those that have shrunk far below
   * it to the shared one. Interrupted moves are undone by `open` and repeated here.
   */
  async place(signal: AbortSignal): Promise<void> {
    const { record, ownAbove } = this.#options;
    const head = await record.head(this.space.id);
    if (head === this.#placedAt) return;
    const counts = await record.counts(this.space.id);
    for (const [containerId, count] of counts) {
      if (count > ownAbove && !this.#placements.has(containerId)) await this.#moveOut(containerId, count, signal);
    }
    for (const [containerId, name] of this.#placements) {
      const isSmall = (counts.get(containerId) ?? 0) <= ownAbove * SHARED_AGAIN_BELOW;
      if (isSmall) await this.#moveBack(containerId, name, signal);
    }
    this.#noteSizes(counts);
    this.#placedAt = head;
    await this.#tellLayout();
  }

  /** Removes a container with its own collection from the shared one. */
  async purgeShared(containerId: number, signal: AbortSignal): Promise<void> {
    const shared = this.collection(this.#options.names.shared(this.space));
    if (shared === null) return;
    for (;;) {
      signal.throwIfAborted();
      const ids = await shared.idsOf(containerId, PURGE_ROWS);
      if (ids.length === 0) return;
      await shared.remove(ids);
    }
  }

  /** Rebuilds one collection from the record. It holds the changes up to the position, and perhaps newer ones. */
  async rebuild(name: string, signal: AbortSignal): Promise<void> {
    const { server, log } = this.#options;
    this.#incomplete.add(name);
    await this.#tellLayout();
    await server.drop(name);
    const collection = await server.open(name);
    const containerIds = await this.containersOf(name);
    for (const containerId of containerIds) await this.#copy(containerId, collection, signal);
    this.#collections.set(name, collection);
    this.#incomplete.delete(name);
    await this.#tellLayout();
    if (containerIds.length > 0) log.info("a Chroma collection was built from the record", { collection: name });
  }

  /** Rebuilds every collection from the record, and follows the log from there. */
  async rebuildAll(signal: AbortSignal): Promise<void> {
    this.#move = null;
    const head = await this.#options.record.head(this.space.id);
    await this.#placeBeforeBuilding();
    const wanted = this.collectionNames();
    for (const name of wanted) this.#incomplete.add(name);
    for (const name of wanted) await this.rebuild(name, signal);
    await this.#advance(head);
  }

  /** Removes every collection of the space, including half-built ones. */
  async drop(): Promise<void> {
    const { server, names } = this.#options;
    for (const name of this.collectionNames()) this.#incomplete.add(name);
    for (const name of await server.names(names.shared(this.space))) await server.drop(name);
  }

  /** The containers with vectors that belong in a collection. */
  async containersOf(name: string): Promise<number[]> {
    const counts = await this.#options.record.counts(this.space.id);
    return this.byCollection(counts.keys()).get(name) ?? [];
  }

  placedContainers(): number[] {
    return [...this.#placements.keys()];
  }

  async #moveOut(containerId: number, count: number, signal: AbortSignal): Promise<void> {
    const { record, names, log, server } = this.#options;
    const name = names.own(this.space, containerId);
    log.info("a container moves to its own collection", { container: containerId, vectors: count });
    await server.drop(name);
    const collection = await server.open(name);
    if (!(await this.#carry({ containerId, collection }, signal))) return;
    await record.setPlacement(this.space.id, containerId, name);
    this.#collections.set(name, collection);
    this.#placements.set(containerId, name);
    await this.#tellLayout();
    await this.purgeShared(containerId, signal);
  }

  async #moveBack(containerId: number, name: string, signal: AbortSignal): Promise<void> {
    const { record, names, log, server } = this.#options;
    const collection = this.collection(names.shared(this.space));
    if (collection === null) return;
    log.info("a container moves back to the shared collection", { container: containerId });
    await this.purgeShared(containerId, signal);
    if (!(await this.#carry({ containerId, collection }, signal))) return;
    await record.removePlacement(this.space.id, containerId);
    this.#placements.delete(containerId);
    this.#collections.delete(name);
    await this.#tellLayout();
    await server.drop(name);
  }

  /** Copies a container, along with changes made meanwhile. @returns false when everything had to be rebuilt instead */
  async #carry(move: Move, signal: AbortSignal): Promise<boolean> {
    this.#move = move;
    try {
      await this.#copy(move.containerId, move.collection, signal, () => this.follow(signal));
      return this.#move === move;
    } finally {
      this.#move = null;
    }
  }

  #noteSizes(counts: ReadonlyMap<number, number>): void {
    const sumOf = (members: readonly number[]) => members.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
    this.#sizes = new Map([...this.byCollection(counts.keys())].map(([name, members]) => [name, sumOf(members)]));
  }

  /** Containers keep their placements, under the current names of the collections. */
  async #readPlacements(): Promise<void> {
    const { record, names } = this.#options;
    for (const [containerId, known] of await record.placements(this.space.id)) {
      const name = names.own(this.space, containerId);
      if (known !== name) await record.setPlacement(this.space.id, containerId, name);
      this.#placements.set(containerId, name);
    }
  }

  /** Saves large containers the detour through the shared collection. */
  async #placeBeforeBuilding(): Promise<void> {
    const { record, names, ownAbove } = this.#options;
    for (const [containerId, count] of await record.counts(this.space.id)) {
      if (count <= ownAbove || this.#placements.has(containerId)) continue;
      const name = names.own(this.space, containerId);
      this.#incomplete.add(name);
      await record.setPlacement(this.space.id, containerId, name);
      this.#placements.set(containerId, name);
    }
  }

  #tellLayout(): Promise<void> {
    const containers = new Map([...this.#placements].map(([containerId, name]) => [name, containerId]));
    return this.#publisher.tell(
      this.collectionNames().map((name) => ({
        name,
        id: this.collection(name)?.id ?? null,
        size: this.sizeOf(name),
        containerId: containers.get(name) ?? null,
      })),
    );
  }

  async #advance(seq: number): Promise<void> {
    await this.#options.record.setPosition(this.#options.follower, this.space.id, seq);
    this.#position = seq;
  }

  async #apply(changes: readonly VectorChange[]): Promise<void> {
    const newest = new Map(changes.map((change) => [rowId(change.unit, change.containerId), change]));
    const containerIds = new Set(changes.map((change) => change.containerId));
    for (const [collection, members] of this.#targets(containerIds)) {
      const mine = [...newest].filter(([, change]) => members.includes(change.containerId));
      await collection.remove(mine.filter(([, change]) => change.vector === null).map(([id]) => id));
      await this.#write(
        collection,
        mine.flatMap(([, change]) => rowsOf(change)),
      );
    }
  }

  async #write(collection: ChromaCollection, rows: readonly ChromaRow[]): Promise<void> {
    await collection.upsert(rows);
    if (rows.length === 0 || this.#grown.has(collection)) return;
    if (!(await isSmall(collection))) {
      this.#grown.add(collection);
      return;
    }
    const lost = await rewriteLost(collection, rows);
    if (lost.length === 0) return;
    const fields = { collection: collection.name, rows: lost.length };
    this.#options.log.warn("Chroma does not find rows that it contains; they are found by their words", fields);
  }

  /** Where changes to these containers are written. A container being moved is written to both collections. */
  #targets(containerIds: ReadonlySet<number>): [ChromaCollection, number[]][] {
    const targets = [...this.byCollection(containerIds)].map(([name, members]): [ChromaCollection, number[]] => {
      const collection = this.#collections.get(name);
      if (collection === undefined) throw new Error(`collection ${name} is not open`);
      return [collection, members];
    });
    if (this.#move === null || !containerIds.has(this.#move.containerId)) return targets;
    return [...targets, [this.#move.collection, [this.#move.containerId]]];
  }

  /** @param afterPage called after each copied page */
  async #copy(
    containerId: number,
    collection: ChromaCollection,
    signal: AbortSignal,
    afterPage?: () => Promise<unknown>,
  ): Promise<void> {
    const { record, server } = this.#options;
    let after = -1;
    for (;;) {
      signal.throwIfAborted();
      const page = await record.page(this.space, containerId, after, server.writeRows);
      await this.#write(collection, page.flatMap(rowsOf));
      await afterPage?.();
      const last = page.at(-1);
      if (last === undefined || page.length < server.writeRows) return;
      after = last.unit;
    }
  }
}

function rowsOf(change: VectorChange): ChromaRow[] {
  const { unit, containerId, vector } = change;
  if (vector === null) return [];
  return [{ id: rowId(unit, containerId), vector, container: containerId, kind: kindOf(unit) }];
}
