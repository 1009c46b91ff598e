import { AppError } from "../../core/errors.js";
import type {
  HeldRole,
  Log,
  SharedRole,
  VectorHit,
  VectorIndex,
  VectorQuery,
  VectorRecord,
  VectorStatus,
  VectorVerification,
} from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { checkSpace } from "./chroma-check.js";
import { ChromaConnection, type ChromaSession, type ChromaTarget } from "./chroma-connection.js";
import { demandRebuild, type FollowedRecord } from "./chroma-layout.js";
import { collectionNames, type CollectionNames } from "./chroma-names.js";
import { searchChroma } from "./chroma-search.js";
import type { ChromaTimeouts } from "./chroma-server.js";
import { ChromaSpace } from "./chroma-space.js";
import { sleepUnlessAborted } from "./sleep-unless-aborted.js";
import { checkVectorQuery } from "./vector-query.js";

export interface ChromaFeederOptions {
  readonly record: VectorRecord;
  readonly target: ChromaTarget;
  /** Distinguishes this record from others on the same server, e.g. the organisation id. */
  readonly namespace: string;
  /** Containers with more vectors than this get a collection of their own. */
  readonly ownAbove: (space: VectorSpace) => number;
  /** Decides who feeds the server when several processes share one record; null if this is the only process. */
  readonly role: SharedRole | null;
  readonly log: Log;
  /** Default: 1.5 s for a search, 30 s for everything else. */
  readonly timeouts?: ChromaTimeouts;
  /** Milliseconds between checks for changes. Default 250. */
  readonly pollMs?: number;
  /** Milliseconds between verifications. Default: half an hour. */
  readonly verifyEveryMs?: number;
}

export const POLL_MS = 250;
/** Looking for containers that have grown counts every vector, so it runs less often. */
const POLLS_PER_PLACING = 20;

/** The role of a process that shares its record with no other process. */
const ONLY_PROCESS: SharedRole = {
  take: async () => ({ lost: new AbortController().signal, release: async () => undefined }),
};

/** The name under which the record tracks this server's progress. */
export function followedBy(record: VectorRecord, target: Pick<ChromaTarget, "key">): FollowedRecord {
  return { record, follower: `chroma:${target.key}` };
}

/** One uninterrupted connection to a server. */
interface FeedingSession extends ChromaSession {
  readonly spaces: Map<number, ChromaSpace>;
  readonly signal: AbortSignal;
  /** Why a search failed; no further searches run until the collections have been compared again. */
  suspicion: unknown;
}

/**
 * A Chroma index that follows the record. It answers only while it is known to be complete: after connecting, every collection is
 * first compared with the record. Otherwise `nearest` throws AppError `unavailable`.
 */
export function createChromaFeeder(options: ChromaFeederOptions): VectorIndex {
  const feeder = new ChromaFeeder(options);
  feeder.start();
  return feeder;
}

class ChromaFeeder implements VectorIndex {
  readonly #options: ChromaFeederOptions;
  readonly #names: CollectionNames;
  readonly #followed: FollowedRecord;
  readonly #connection: ChromaConnection;
  readonly #closing = new AbortController();
  readonly #trusted = new Set<string>();
  /** Spaces that are no longer followed, even if the record still has them. */
  readonly #dropped = new Set<number>();
  #session: FeedingSession | null = null;
  #running: Promise<void> = Promise.resolve();
  /** Operations that write to Chroma, run one at a time. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: ChromaFeederOptions) {
    const { record, target, namespace, log, timeouts, pollMs = POLL_MS } = options;
    const consequence = "Chroma is not used for now; exact search answers";
    this.#options = options;
    this.#names = collectionNames(namespace);
    this.#followed = followedBy(record, target);
    this.#connection = new ChromaConnection({ target, log, consequence, timeouts, pollMs });
  }

  start(): void {
    this.#running = this.#run();
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    if (!checkVectorQuery(query)) return [];
    const session = this.#session;
    const chroma = session?.spaces.get(query.space.id);
    if (chroma === undefined && (await this.#options.record.head(query.space.id)) === 0) return [];
    if (session === null || session.suspicion !== null || chroma === undefined) {
      throw new AppError("unavailable", this.#connection.fault ?? "Chroma is not ready yet.");
    }
    try {
      return await searchChroma(this.#options.record, chroma, query, session.server.mostResults);
    } catch (error) {
      if (isChromaFailure(error)) session.suspicion = error;
      throw error;
    }
  }

  async status(): Promise<VectorStatus> {
    const { target } = this.#options;
    const behind = await this.#behind();
    const reason = target.failure ?? this.#connection.fault;
    if (reason !== null) return { name: target.name, state: "degraded", reason, behind };
    return { name: target.name, state: this.#session === null ? "starting" : "ready", behind };
  }

  async verify(signal?: AbortSignal): Promise<VectorVerification> {
    const session = this.#session;
    if (session === null) return { collections: [] };
    const bounds = signal === undefined ? [session.signal] : [session.signal, signal];
    return { collections: await this.#exclusively(() => this.#verifyAll(session, AbortSignal.any(bounds))) };
  }

  /** Collections keep rows after their removal, so all are dropped and rebuilt, now or at the next connection. */
  async scrub(): Promise<void> {
    await this.#exclusively(async () => {
      for (const space of await this.#options.record.spaces()) await demandRebuild(this.#followed, space);
      const session = this.#session;
      if (session === null) return;
      try {
        for (const chroma of session.spaces.values()) await chroma.rebuildOutdated(session.signal);
      } catch (error) {
        session.suspicion = error;
        throw error;
      }
    });
  }

  /** If the server is unavailable, its collections are removed at the next connection. */
  async dropSpace(spaceId: number): Promise<void> {
    this.#dropped.add(spaceId);
    const session = this.#session;
    if (session === null) return;
    await this.#exclusively(() => this.#dropGone(session)).catch((error: unknown) => {
      session.suspicion = error;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closed"));
    this.#session?.server.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { role } = this.#options;
    while (!signal.aborted) {
      const held = await (role ?? ONLY_PROCESS).take(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (held) await this.#feed(held).finally(() => held.release());
      // Meanwhile another process may take over feeding, and may fare better.
      await this.#connection.pause(signal);
    }
  }

  async #feed({ lost }: HeldRole): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, lost]);
    await this.#connection.serve(signal, (connected) => this.#serve(connected, signal));
  }

  /** Compares, then follows until something fails, which it throws. */
  async #serve(connected: ChromaSession, signal: AbortSignal): Promise<never> {
    const { log } = this.#options;
    const { server, version } = connected;
    const session: FeedingSession = { ...connected, spaces: new Map(), signal, suspicion: null };
    try {
      await this.#exclusively(() => this.#dropOrphans(session));
      await this.#exclusively(() => this.#openSpaces(session));
      this.#session = session;
      connected.ready();
      log.info("Chroma answers searches in large containers", { chroma: server.host, version });
      return await this.#follow(session);
    } finally {
      this.#session = null;
      // A successor can trust what this process leaves behind; nobody can trust a server that failed.
      if (!signal.aborted) await this.#withdraw(session);
    }
  }

  async #withdraw({ spaces }: FeedingSession): Promise<void> {
    const { log } = this.#options;
    for (const chroma of spaces.values())
      await chroma.withdraw().catch((error: unknown) => {
        log.debug("other processes cannot be told that Chroma is not trusted for now", { reason: String(error) });
      });
  }

  async #follow(session: FeedingSession): Promise<never> {
    let verifiedAt = Date.now();
    let polls = 0;
    for (;;) {
      session.signal.throwIfAborted();
      if (session.suspicion !== null) throw session.suspicion;
      if (this.#options.target.address()?.url !== session.address.url) throw new Error("the server has gone");
      const applied = await this.#exclusively(() => this.#openSpaces(session));
      if (polls++ % POLLS_PER_PLACING === 0) await this.#exclusively(() => this.#placeAll(session));
      if (Date.now() - verifiedAt > (this.#options.verifyEveryMs ?? 1_800_000)) {
        verifiedAt = Date.now();
        await this.#exclusively(() => this.#verifyAll(session, session.signal));
      }
      if (applied === 0) await sleepUnlessAborted(this.#pollMs, session.signal);
    }
  }

  /** Follows every space; a new one is first opened and compared. @returns the number of changes applied */
  async #openSpaces(session: FeedingSession): Promise<number> {
    let applied = 0;
    await this.#dropGone(session);
    for (const space of await this.#spaces()) {
      const known = session.spaces.get(space.id);
      if (known !== undefined) {
        applied += await known.follow(session.signal);
        continue;
      }
      const { record, log, ownAbove } = this.#options;
      const { server, signal } = session;
      const chroma = new ChromaSpace(space, {
        record,
        server,
        log,
        ownAbove: ownAbove(space),
        names: this.#names,
        follower: this.#followed.follower,
      });
      await chroma.open(signal);
      await checkSpace(chroma, { record, log, signal, trusted: this.#trusted });
      await chroma.publish();
      session.spaces.set(space.id, chroma);
    }
    return applied;
  }

  /** The spaces to follow. */
  async #spaces(): Promise<VectorSpace[]> {
    return (await this.#options.record.spaces()).filter(({ id }) => !this.#dropped.has(id));
  }

  /** Removes the collections of spaces that are no longer followed. */
  async #dropGone(session: FeedingSession): Promise<void> {
    const lasting = new Set((await this.#spaces()).map(({ id }) => id));
    for (const [id, chroma] of session.spaces) {
      if (lasting.has(id)) continue;
      session.spaces.delete(id);
      await chroma.drop();
    }
  }

  /** Removes collections of spaces that disappeared while nobody followed them. */
  async #dropOrphans({ server }: FeedingSession): Promise<void> {
    const prefixes = (await this.#spaces()).map((space) => this.#names.shared(space));
    for (const name of await server.names(this.#names.all)) {
      if (!prefixes.some((prefix) => name.startsWith(prefix))) await server.drop(name);
    }
  }

  async #placeAll(session: FeedingSession): Promise<void> {
    for (const chroma of session.spaces.values()) {
      await chroma.requirePublished();
      await chroma.place(session.signal);
    }
  }

  async #verifyAll(session: FeedingSession, signal: AbortSignal): Promise<VectorVerification["collections"]> {
    const { record, log } = this.#options;
    const results: VectorVerification["collections"][number][] = [];
    for (const chroma of session.spaces.values()) {
      results.push(...(await checkSpace(chroma, { record, log, signal, trusted: this.#trusted })));
    }
    return results;
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work);
    this.#writing = result.catch(() => undefined);
    return result;
  }

  async #behind(): Promise<number> {
    const { record } = this.#options;
    const { follower } = this.#followed;
    let behind = 0;
    for (const { id } of await record.spaces()) {
      const position = this.#session?.spaces.get(id)?.position ?? (await record.progress(follower, id)).position;
      behind += Math.max(0, (await record.head(id)) - position);
    }
    return behind;
  }

  get #pollMs(): number {
    return this.#options.pollMs ?? POLL_MS;
  }
}

/** Lagging behind or rebuilding is no reason to doubt the server; a failed answer is. */
function isChromaFailure(error: unknown): boolean {
  return error instanceof AppError && error.kind === "unavailable" && error.cause !== undefined;
}
