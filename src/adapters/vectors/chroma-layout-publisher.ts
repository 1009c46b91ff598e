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
 * Tells every process that searches a space which collections to query. Never overwrites what another process has published in
 * the meantime, such as a demand for a rebuild.
 */
export class ChromaLayoutPublisher {
  readonly #followed: FollowedRecord;
  readonly #space: VectorSpace;
  /** The record's layout, as last seen here. */
  #known: string | null = null;
  #isTrusted = false;

  constructor(followed: FollowedRecord, space: VectorSpace) {
    this.#followed = followed;
    this.#space = space;
  }

  /**
   * Reads the progress of the space. From now on, layout changes by other processes count, until the collections are trusted
   * again.
   */
  async read(): Promise<FollowerProgress> {
    const { record, follower } = this.#followed;
    this.#isTrusted = false;
    const progress = await record.progress(follower, this.#space.id);
    this.#known = progress.layout;
    return progress;
  }

  /** The collections have been compared with the record; from now on other processes may query them. */
  trust(): void {
    this.#isTrusted = true;
  }

  /**
   * Call before removing anything that other processes still query. No collection is published before all are trusted.
   * @throws AppError `unavailable` as `requireUnchanged`
   */
  async tell(collections: readonly PublishedCollection[]): Promise<void> {
    if (!this.#isTrusted && this.#misleadsNobody(collections)) return;
    const told = this.#isTrusted ? await this.#replace(collections) : await this.withdraw();
    if (told === null) throw layoutReplaced();
    this.#known = told;
  }

  /** Requires the collections to be compared before they are queried again. @returns as `doubtLayout` */
  withdraw(): Promise<string | null> {
    return doubtLayout(this.#followed, this.#space, this.#known);
  }

  /** @throws AppError `unavailable` when other processes doubt the collections, demand new ones, or feed them as well */
  async requireUnchanged(): Promise<void> {
    const { record, follower } = this.#followed;
    const { layout } = await record.progress(follower, this.#space.id);
    if (layout !== this.#known) throw layoutReplaced();
  }

  /** Whether other processes query no collections, or exactly these. */
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
  return new AppError("unavailable", "Another process requested that the collections in Chroma be checked again.");
}
