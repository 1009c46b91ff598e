import { AppError } from "../../core/errors.js";
import type {
  Log,
  VectorHit,
  VectorIndex,
  VectorQuery,
  VectorRecord,
  VectorStatus,
  VectorVerification,
} from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { backoff } from "../../lib/retry.js";
import { checkSpace } from "./chroma-check.js";
import { collectionNames, type CollectionNames } from "./chroma-names.js";
import { searchChroma } from "./chroma-search.js";
import { type ChromaAddress, ChromaServer, type ChromaTimeouts } from "./chroma-server.js";
import { ChromaSpace } from "./chroma-space.js";
import { sleepUnlessAborted } from "./sleep-unless-aborted.js";
import { checkVectorQuery } from "./vector-query.js";

/** A Chroma server to follow the record: a remote one, or the local child process. */
export interface ChromaTarget {
  /** Tells this server apart from others that may have followed the same record, e.g. `local`. */
  readonly key: string;
  /** For people, e.g. `local Chroma 1.0.5`. */
  readonly name: string;
  /** The present address, or null while there is none. */
  address(): ChromaAddress | null;
  /** Set when no address is to be expected, with what to do about it. */
  readonly failure: string | null;
}

export interface ChromaVectorsOptions {
  readonly record: VectorRecord;
  readonly target: ChromaTarget;
  /** Tells this record apart from others that share the server, e.g. the organisation id. */
  readonly namespace: string;
  /** Containers of a space with more vectors than this get a collection of their own. */
  readonly ownAbove: (space: VectorSpace) => number;
  readonly log: Log;
  /** Default: a search 1.5 s, everything else 30 s. */
  readonly timeouts?: ChromaTimeouts;
  /** Milliseconds between two looks for changes. Default 250. */
  readonly pollMs?: number;
  /** Milliseconds between two verifications. Default half an hour. */
  readonly verifyEveryMs?: number;
}

const RETRY = { baseMs: 250, maximumMs: 30_000 };
/** Looking for containers that have grown counts every vector, so it is done less often. */
const POLLS_PER_PLACING = 20;

/**
 * An index in Chroma that follows the record. Answers only while it knows itself complete: after connecting, every
 * collection is compared with the record first. Otherwise `nearest` throws AppError `unavailable`.
 */
export function createChromaVectors(options: ChromaVectorsOptions): VectorIndex {
  const follower = new ChromaFollower(options);
  follower.start();
  return follower;
}

/** Name under which the record keeps how far a server has followed it. */
function followerOf(target: Pick<ChromaTarget, "key">): string {
  return `chroma:${target.key}`;
}

/** Makes the next connection drop the collections on a server and build them anew. */
export async function forgetPosition(record: VectorRecord, target: Pick<ChromaTarget, "key">): Promise<void> {
  for (const { id } of await record.spaces()) await record.setPosition(followerOf(target), id, 0);
}

/** One unbroken connection to a server. */
interface Session {
  readonly server: ChromaServer;
  readonly address: ChromaAddress;
  readonly spaces: Map<number, ChromaSpace>;
  readonly signal: AbortSignal;
  /** A search failed: nothing more is asked until the collections have been compared again. */
  suspicion: unknown;
}

class ChromaFollower implements VectorIndex {
  readonly #options: ChromaVectorsOptions;
  readonly #names: CollectionNames;
  readonly #follower: string;
  readonly #timeouts: ChromaTimeouts;
  readonly #closing = new AbortController();
  readonly #trusted = new Set<string>();
  /** Spaces that are not followed any more, also when the record still has them. */
  readonly #dropped = new Set<number>();
  #session: Session | null = null;
  #fault: string | null = null;
  #running: Promise<void> = Promise.resolve();
  /** Work that writes to Chroma, one after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: ChromaVectorsOptions) {
    this.#options = options;
    this.#names = collectionNames(options.namespace);
    this.#follower = followerOf(options.target);
    this.#timeouts = options.timeouts ?? { search: 1_500, write: 30_000 };
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
      throw new AppError("unavailable", this.#fault ?? "Chroma is not ready yet.");
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
    const reason = target.failure ?? this.#fault;
    if (reason !== null) return { name: target.name, state: "degraded", reason, behind };
    return { name: target.name, state: this.#session === null ? "starting" : "ready", behind };
  }

  async verify(signal?: AbortSignal): Promise<VectorVerification> {
    const session = this.#session;
    if (session === null) return { collections: [] };
    const bounds = signal === undefined ? [session.signal] : [session.signal, signal];
    return { collections: await this.#exclusively(() => this.#verifyAll(session, AbortSignal.any(bounds))) };
  }

  /** Collections keep rows after their removal: all are dropped and built anew, now or at the next connection. */
  async scrub(): Promise<void> {
    await this.#exclusively(async () => {
      await forgetPosition(this.#options.record, this.#options.target);
      for (const chroma of this.#session?.spaces.values() ?? []) await chroma.rebuildAll(this.#closing.signal);
    });
  }

  /** When the server is away, its collections go with the next connection. */
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
    const { log, target } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#serve(await this.#nextAddress(signal), () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const reason = describe(error);
        // Told once, not at every attempt for as long as a server stays away.
        const level = reason === this.#fault ? "debug" : "warn";
        this.#fault = reason;
        log[level]("Chroma is not used for now; exact search answers", { chroma: target.name, reason });
        await sleepUnlessAborted(backoff(failures, RETRY), signal);
      }
    }
  }

  async #nextAddress(signal: AbortSignal): Promise<ChromaAddress> {
    for (;;) {
      signal.throwIfAborted();
      const address = this.#options.target.address();
      if (address !== null) return address;
      await sleepUnlessAborted(this.#pollMs, signal);
    }
  }

  /** Connects, compares, then follows until something fails, which it throws. */
  async #serve(address: ChromaAddress, onReady: () => void): Promise<never> {
    const server = new ChromaServer(address, this.#timeouts);
    const { signal } = this.#closing;
    const close = (): void => server.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      const version = await server.connect();
      const session: Session = { server, address, spaces: new Map(), signal, suspicion: null };
      await this.#exclusively(() => this.#dropOrphans(session));
      await this.#exclusively(() => this.#openSpaces(session));
      this.#session = session;
      this.#fault = null;
      onReady();
      this.#options.log.info("Chroma answers searches in large containers", { chroma: server.host, version });
      return await this.#follow(session);
    } finally {
      this.#session = null;
      signal.removeEventListener("abort", close);
      server.close();
    }
  }

  async #follow(session: Session): Promise<never> {
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

  /** Follows every space; one that is new is opened and compared first. @returns how many changes were applied */
  async #openSpaces(session: Session): Promise<number> {
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
        follower: this.#follower,
      });
      await chroma.open(signal);
      await checkSpace(chroma, { record, log, signal, trusted: this.#trusted });
      session.spaces.set(space.id, chroma);
    }
    return applied;
  }

  /** The spaces to follow. */
  async #spaces(): Promise<VectorSpace[]> {
    return (await this.#options.record.spaces()).filter(({ id }) => !this.#dropped.has(id));
  }

  /** Removes the collections of spaces that are followed no longer. */
  async #dropGone(session: Session): Promise<void> {
    const lasting = new Set((await this.#spaces()).map(({ id }) => id));
    for (const [id, chroma] of session.spaces) {
      if (lasting.has(id)) continue;
      session.spaces.delete(id);
      await chroma.drop();
    }
  }

  /** Removes collections of spaces that went while nobody followed them. */
  async #dropOrphans({ server }: Session): Promise<void> {
    const prefixes = (await this.#spaces()).map((space) => this.#names.shared(space));
    for (const name of await server.names(this.#names.all)) {
      if (!prefixes.some((prefix) => name.startsWith(prefix))) await server.drop(name);
    }
  }

  async #placeAll(session: Session): Promise<void> {
    for (const chroma of session.spaces.values()) await chroma.place(session.signal);
  }

  async #verifyAll(session: Session, signal: AbortSignal): Promise<VectorVerification["collections"]> {
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
    let behind = 0;
    for (const { id } of await record.spaces()) {
      const position = this.#session?.spaces.get(id)?.position ?? (await record.position(this.#follower, id));
      behind += Math.max(0, (await record.head(id)) - position);
    }
    return behind;
  }

  get #pollMs(): number {
    return this.#options.pollMs ?? 250;
  }
}

/** Being behind or busy with a rebuild is no reason to doubt the server; an answer that failed is. */
function isChromaFailure(error: unknown): boolean {
  return error instanceof AppError && error.kind === "unavailable" && error.cause !== undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
