import { AppError } from "../../core/errors.js";
import type { FollowerProgress } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import {
  areSame,
  type ChromaLayout,
  doubtLayout,
  type FollowedRecord,
  type PublishedCollection,
  publishedCollections,
} from "./chroma-layout.js";

/**
 * Tells all processes that search a space which collections to ask. Whatever another process has said meanwhile, such as that
 * they have to be built anew, is never overwritten.
 */
export class ChromaLayoutPublisher {
  readonly #followed: FollowedRecord;
  readonly #space: VectorSpace;
  /** The layout that the record has, as far as is known here. */
  #known: string | null = null;
  #isTrusted = false;

  constructor(followed: FollowedRecord, space: VectorSpace) {
    this.#followed = followed;
    this.#space = space;
  }

  /** Where the space stands. What others say of the layout counts from now on, until the collections are trusted anew. */
  async read(): Promise<FollowerProgress> {
    const { record, follower } = this.#followed;
    this.#isTrusted = false;
    const progress = await record.progress(follower, this.#space.id);
    this.#known = progress.layout;
    return progress;
  }

  /** The collections have been compared with the record: from now on others may ask them. */
  trust(): void {
    this.#isTrusted = true;
  }

  /**
   * To be called before anything goes away that others still ask. Nobody is told of a collection before all are trusted.
   * @throws AppError `unavailable` as `requireUnchanged`
   */
  async tell(collections: readonly PublishedCollection[]): Promise<void> {
    if (!this.#isTrusted && this.#misleadsNobody(collections)) return;
    const told = this.#isTrusted ? await this.#replace(collections) : await this.withdraw();
    if (told === null) throw layoutReplaced();
    this.#known = told;
  }

  /** Has the collections compared before they are asked again. @returns as `doubtLayout` */
  withdraw(): Promise<string | null> {
    return doubtLayout(this.#followed, this.#space, this.#known);
  }

  /** @throws AppError `unavailable` when others doubt the collections, demand new ones, or feed them as well */
  async requireUnchanged(): Promise<void> {
    const { record, follower } = this.#followed;
    const { layout } = await record.progress(follower, this.#space.id);
    if (layout !== this.#known) throw layoutReplaced();
  }

  /** Others ask none, or these. */
  #misleadsNobody(collections: readonly PublishedCollection[]): boolean {
    const published = publishedCollections(this.#known);
    return published === null || areSame(published, collections);
  }

  async #replace(collections: readonly PublishedCollection[]): Promise<string | null> {
    const { record, follower } = this.#followed;
    const known = this.#known;
    const next = JSON.stringify({ state: "compared", collections: [...collections] } satisfies ChromaLayout);
    if (next === known) return known;
    return (await record.replaceLayout(follower, this.#space.id, { known, next })) ? next : null;
  }
}

function layoutReplaced(): AppError {
  return new AppError("unavailable", "Another process wants the collections in Chroma to be looked at again.");
}
