import { AppError } from "../../core/errors.js";
import type { FollowerProgress, Log, VectorHit, VectorQuery, VectorRecord, VectorStatus } from "../../core/ports.js";
import { ChromaConnection, type ChromaTarget } from "./chroma-connection.js";
import { holdEnough } from "./chroma-check.js";
import { followedBy } from "./chroma-feeder.js";
import { doubtLayout, type FollowedRecord, haveSameCollections, publishedCollections } from "./chroma-layout.js";
import { searchChroma } from "./chroma-search.js";
import { type ChromaServer, type ChromaTimeouts, isMissingCollection } from "./chroma-server.js";
import { PublishedCollections } from "./published-collections.js";
import { checkVectorQuery } from "./vector-query.js";

export interface ChromaReaderOptions {
  readonly record: VectorRecord;
  readonly target: ChromaTarget;
  readonly log: Log;
  readonly timeouts?: ChromaTimeouts | undefined;
  readonly pollMs: number;
}

/** A search restarts when the collections change during it, but only so often. */
const MOST_TRIES = 3;

interface ReadingSession {
  readonly server: ChromaServer;
  /** Ends the session. */
  fail(reason: unknown): void;
}

/**
 * Searches collections fed by another process, according to their state in the record at that moment. Changes that have not
 * reached Chroma yet come from the record.
 */
export class ChromaReader {
  readonly #options: ChromaReaderOptions;
  readonly #followed: FollowedRecord;
  readonly #connection: ChromaConnection;
  readonly #closing = new AbortController();
  #session: ReadingSession | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ChromaReaderOptions) {
    const consequence = "Chroma is not used for now; exact search answers";
    this.#options = options;
    this.#followed = followedBy(options.record, options.target);
    this.#connection = new ChromaConnection({ ...options, consequence });
  }

  start(): void {
    this.#running = this.#run();
  }

  /** As `VectorIndex.nearest`. @throws AppError `unavailable` while the collections cannot be queried */
  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    if (!checkVectorQuery(query)) return [];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = await this.#progress(query);
      const outcome = await this.#search(query, before).catch((error: unknown) => ({ error }));
      const after = await this.#progress(query);
      if (!haveSameCollections(before.layout, after.layout)) continue;
      if (!("error" in outcome)) return outcome;
      await this.#judge(outcome.error, query, after);
      throw outcome.error;
    }
    throw new AppError("unavailable", "The collections in Chroma are changing.");
  }

  /** How many changes Chroma has not seen yet, and whether the collections of every space may be queried. */
  async overview(): Promise<{ readonly behind: number; readonly isPublished: boolean }> {
    const { record } = this.#options;
    let behind = 0;
    let isPublished = true;
    for (const { id } of await record.spaces()) {
      const { position, layout } = await record.progress(this.#followed.follower, id);
      isPublished &&= publishedCollections(layout) !== null;
      behind += Math.max(0, (await record.head(id)) - position);
    }
    return { behind, isPublished };
  }

  async status(): Promise<VectorStatus> {
    const { target } = this.#options;
    const { behind, isPublished } = await this.overview();
    const reason = target.failure ?? this.#connection.fault;
    if (reason !== null) return { name: target.name, state: "degraded", reason, behind };
    return { name: target.name, state: this.#session && isPublished ? "ready" : "starting", behind };
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closed"));
    await this.#running;
  }

  #progress({ space }: VectorQuery): Promise<FollowerProgress> {
    return this.#options.record.progress(this.#followed.follower, space.id);
  }

  async #search(query: VectorQuery, { position, layout }: FollowerProgress): Promise<VectorHit[]> {
    const { record } = this.#options;
    const published = publishedCollections(layout);
    if (published === null && (await record.head(query.space.id)) === 0) return [];
    const server = this.#session?.server;
    if (server === undefined || published === null)
      throw new AppError("unavailable", this.#connection.fault ?? "Chroma is not ready yet.");
    const collections = new PublishedCollections(query.space, { position, published, server });
    return searchChroma(record, collections, query, server.mostResults);
  }

  /** Works out what a failed search means for the collections and for the server. */
  async #judge(error: unknown, { space }: VectorQuery, { layout }: FollowerProgress): Promise<void> {
    if (!(error instanceof AppError) || error.kind !== "unavailable" || error.cause === undefined) return;
    if (isMissingCollection(error)) await doubtLayout(this.#followed, space, layout);
    else this.#session?.fail(error);
  }

  /** A server that was away may have lost collections without the feeding process noticing. */
  async #doubtWhatIsMissing(server: ChromaServer): Promise<void> {
    const { record } = this.#options;
    for (const space of await record.spaces()) {
      const { position, layout } = await record.progress(this.#followed.follower, space.id);
      const published = publishedCollections(layout);
      if (published === null) continue;
      const collections = new PublishedCollections(space, { position, published, server });
      if (!(await holdEnough(collections, record))) await doubtLayout(this.#followed, space, layout);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#connection.serve(signal, async ({ server, ready }) => {
        const ended = new AbortController();
        await this.#doubtWhatIsMissing(server);
        signal.throwIfAborted();
        try {
          return await new Promise<never>((_, fail) => {
            const end = (): void => fail(signal.reason);
            signal.addEventListener("abort", end, { once: true, signal: ended.signal });
            this.#session = { server, fail };
            ready();
          });
        } finally {
          ended.abort();
          this.#session = null;
        }
      });
      await this.#connection.pause(signal);
    }
  }
}
