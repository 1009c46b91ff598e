import type { ContainerVectors, FollowerProgress, VectorChange, VectorRecord } from "../../src/core/ports.js";
import type { Unit, VectorSpace } from "../../src/core/types.js";

interface SpaceContent {
  readonly space: VectorSpace;
  /** Container -> unit -> vector. */
  readonly containers: Map<number, Map<Unit, Float32Array>>;
  log: VectorChange[];
  head: number;
  /** Changes up to this one are no longer in the log. */
  forgottenUpTo: number;
}

/** A vector record in memory: the second implementation of the port, to which tests can write. */
export class MemoryVectorRecord implements VectorRecord {
  readonly #spaces = new Map<number, SpaceContent>();
  readonly #positions = new Map<string, number>();
  readonly #layouts = new Map<string, string>();
  readonly #placements = new Map<number, Map<number, string>>();
  #failure: Error | null = null;

  addSpace(space: VectorSpace): void {
    this.#spaces.set(space.id, { space, containers: new Map(), log: [], head: 0, forgottenUpTo: 0 });
  }

  /** Commits one change. */
  put(space: VectorSpace, containerId: number, unit: Unit, vector: Float32Array | null): void {
    const content = this.#contentOf(space.id);
    const container = content.containers.get(containerId) ?? new Map<Unit, Float32Array>();
    content.containers.set(containerId, container);
    if (vector === null) container.delete(unit);
    else container.set(unit, vector);
    content.head += 1;
    content.log.push({ seq: content.head, containerId, unit, vector });
  }

  /** Changes vectors without telling any follower, like a lost write as seen by an index. */
  putWithoutLog(space: VectorSpace, containerId: number, unit: Unit, vector: Float32Array | null): void {
    const content = this.#contentOf(space.id);
    this.put(space, containerId, unit, vector);
    content.log.pop();
    content.head -= 1;
  }

  /** From now on every read of the log fails with this error; null ends that. */
  failWith(error: Error | null): void {
    this.#failure = error;
  }

  /** Drops the log, like a record that keeps only the newest changes. */
  truncateLog(space: VectorSpace): void {
    const content = this.#contentOf(space.id);
    content.log = [];
    content.forgottenUpTo = content.head;
  }

  async counts(spaceId: number): Promise<ReadonlyMap<number, number>> {
    const counts = new Map<number, number>();
    for (const [containerId, units] of this.#spaces.get(spaceId)?.containers ?? []) {
      if (units.size > 0) counts.set(containerId, units.size);
    }
    return counts;
  }

  async pick(space: VectorSpace, containerIds: readonly number[], units: readonly Unit[]): Promise<ContainerVectors> {
    const found = new Map<Unit, Float32Array>();
    for (const containerId of containerIds) {
      const container = this.#contentOf(space.id).containers.get(containerId);
      for (const unit of units) {
        const vector = container?.get(unit);
        if (vector !== undefined) found.set(unit, vector);
      }
    }
    return this.#pack(space, [...found]);
  }

  async page(space: VectorSpace, containerId: number, afterUnit: Unit, limit: number): Promise<VectorChange[]> {
    const content = this.#contentOf(space.id);
    return [...(content.containers.get(containerId) ?? [])]
      .filter(([unit]) => unit > afterUnit)
      .sort(([left], [right]) => left - right)
      .slice(0, limit)
      .map(([unit, vector]) => ({ seq: content.head, containerId, unit, vector }));
  }

  async visit(
    space: VectorSpace,
    { containerId, afterUnit, limit }: { containerId: number; afterUnit: Unit; limit: number },
    see: (unit: Unit, vector: Float32Array) => void,
  ): Promise<Unit[]> {
    const page = await this.page(space, containerId, afterUnit, limit);
    const place = new Float32Array(space.dimensions);
    for (const { unit, vector } of page) {
      if (vector?.length === place.length) place.set(vector);
      see(unit, vector?.length === place.length ? place : (vector ?? place));
    }
    return page.map(({ unit }) => unit);
  }

  async changesSince(
    space: VectorSpace,
    seq: number,
    options: { containerId?: number; limit: number },
  ): Promise<{ changes: VectorChange[]; truncated: boolean }> {
    const content = this.#contentOf(space.id);
    if (seq < content.forgottenUpTo) return { changes: [], truncated: true };
    const changes = content.log
      .slice(seq - content.forgottenUpTo)
      .filter((change) => options.containerId === undefined || change.containerId === options.containerId)
      .slice(0, options.limit);
    return { changes, truncated: false };
  }

  async trim(spaceId: number, keepNewest: number): Promise<number> {
    const content = this.#contentOf(spaceId);
    const positions = [...this.#positions].filter(([key]) => key.endsWith(`/${spaceId}`)).map(([, seq]) => seq);
    const last = Math.min(content.head - keepNewest, ...positions);
    const dropped = Math.max(0, last - content.forgottenUpTo);
    content.log = content.log.slice(dropped);
    content.forgottenUpTo += dropped;
    return dropped;
  }

  async head(spaceId: number): Promise<number> {
    if (this.#failure !== null) throw this.#failure;
    return this.#spaces.get(spaceId)?.head ?? 0;
  }

  async progress(follower: string, spaceId: number): Promise<FollowerProgress> {
    const key = `${follower}/${spaceId}`;
    return { position: this.#positions.get(key) ?? 0, layout: this.#layouts.get(key) ?? null };
  }

  async replaceLayout(
    follower: string,
    spaceId: number,
    { known, next }: { known: string | null; next: string },
  ): Promise<boolean> {
    const key = `${follower}/${spaceId}`;
    if ((this.#layouts.get(key) ?? null) !== known) return false;
    this.#layouts.set(key, next);
    return true;
  }

  async setPosition(follower: string, spaceId: number, seq: number): Promise<void> {
    this.#positions.set(`${follower}/${spaceId}`, seq);
  }

  async placements(spaceId: number): Promise<ReadonlyMap<number, string>> {
    return new Map(this.#placements.get(spaceId) ?? []);
  }

  async setPlacement(spaceId: number, containerId: number, collection: string): Promise<void> {
    const placements = this.#placements.get(spaceId) ?? new Map<number, string>();
    this.#placements.set(spaceId, placements.set(containerId, collection));
  }

  async removePlacement(spaceId: number, containerId: number): Promise<void> {
    this.#placements.get(spaceId)?.delete(containerId);
  }

  async dropSpace(spaceId: number): Promise<void> {
    this.#spaces.delete(spaceId);
    this.#placements.delete(spaceId);
    for (const known of [this.#positions, this.#layouts])
      for (const key of known.keys()) if (key.endsWith(`/${spaceId}`)) known.delete(key);
  }

  async spaces(): Promise<VectorSpace[]> {
    const holding = [...this.#spaces.values()].filter((content) =>
      [...content.containers.values()].some((units) => units.size > 0),
    );
    return holding.map((content) => content.space);
  }

  #contentOf(spaceId: number): SpaceContent {
    const content = this.#spaces.get(spaceId);
    if (content === undefined) throw new Error(`No vector space ${spaceId}`);
    return content;
  }

  #pack(space: VectorSpace, entries: readonly (readonly [Unit, Float32Array])[]): ContainerVectors {
    const matrix = new Float32Array(entries.length * space.dimensions);
    for (const [row, [, vector]] of entries.entries()) matrix.set(vector, row * space.dimensions);
    return { units: entries.map(([unit]) => unit), matrix };
  }
}
