import type { VectorSpace } from "../../core/types.js";
import { groupBy } from "../../lib/group-by.js";
import type { PublishedCollection } from "./chroma-layout.js";
import type { SearchedCollections } from "./chroma-search.js";
import type { ChromaCollection, ChromaServer } from "./chroma-server.js";

interface Known {
  /** The newest change that all of them hold. */
  readonly position: number;
  readonly published: readonly PublishedCollection[];
  readonly server: ChromaServer;
}

/** The collections of a space, fed by another process. */
export class PublishedCollections implements SearchedCollections {
  readonly space: VectorSpace;
  readonly position: number;
  readonly #published: ReadonlyMap<string, PublishedCollection>;
  readonly #collections: ReadonlyMap<string, ChromaCollection>;
  readonly #names: ReadonlyMap<number | null, string>;

  constructor(space: VectorSpace, { position, published, server }: Known) {
    this.space = space;
    this.position = position;
    this.#published = new Map(published.map((one) => [one.name, one]));
    this.#names = new Map(published.map(({ containerId, name }) => [containerId, name]));
    this.#collections = new Map(
      published.flatMap(({ name, id }) => (id === null ? [] : [[name, server.collection(name, id)] as const])),
    );
  }

  collection(name: string): ChromaCollection | null {
    return this.#collections.get(name) ?? null;
  }

  byCollection(containerIds: Iterable<number>): Map<string, number[]> {
    return groupBy(containerIds, (id) => this.#names.get(id) ?? this.#names.get(null) ?? "");
  }

  isOwn(name: string): boolean {
    return this.#published.get(name)?.containerId !== null;
  }

  sizeOf(name: string): number {
    return this.#published.get(name)?.size ?? 0;
  }
}
