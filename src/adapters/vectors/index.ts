import { createHash } from "node:crypto";

import { AppError } from "../../core/errors.js";
import type { Log, SharedRole, VectorIndex, VectorRecord, VectorStatus } from "../../core/ports.js";
import type { VectorSpace } from "../../core/types.js";
import { sleepUnlessAborted } from "./sleep-unless-aborted.js";
import { createChromaVectors } from "./chroma.js";
import type { ChromaTarget } from "./chroma-connection.js";
import { demandRebuild } from "./chroma-layout.js";
import { followedBy } from "./chroma-feeder.js";
import type { ChromaTimeouts } from "./chroma-server.js";
import { createLocalChroma, type LocalChroma } from "./engine.js";
import type { EngineBinding } from "./engine-binding.js";
import { removeEngineData } from "./engine-folder.js";
import { createExactVectors } from "./exact.js";
import { ExactCapacity } from "./exact-capacity.js";
import { createTieredVectors } from "./tiered.js";

const NEED_EVERY_MS = 2_000;
/**
 * Where every vector is searched in Chroma, containers larger than this get a collection of their own: with one for each
 * container, the layout that a search needs grew to 620 kB for 5,000 containers.
 */
const OWN_ABOVE = 1_000;

export interface VectorsOptions {
  readonly record: VectorRecord;
  readonly log: Log;
  /** Distinguishes this record from others on the same Chroma server; the organisation id. */
  readonly namespace: string;
  readonly dataDirectory: string;
  /** Where a downloaded engine is kept. Default: `engines` in the data directory. */
  readonly enginesDirectory?: string | undefined;
  /** Never download anything. */
  readonly offline: boolean;
  /** A Chroma server to use instead of a local child process. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly tenant?: string | undefined;
  readonly database?: string | undefined;
  /** Decides who feeds the Chroma server when several services share the record; null if this is the only one. */
  readonly feeder?: SharedRole | null | undefined;
  /**
   * The maximum number of vectors that one query scores exactly while Chroma is available, if they fit into memory. Default
   * 1,000,000.
   */
  readonly exactLimit?: number | undefined;
  /** Memory for exact search, in MB. Default 448. */
  readonly exactMegabytes?: number | undefined;
  /** `exact`: never use Chroma. */
  readonly mode: "auto" | "exact";
  /** `background`: `start` is called immediately. */
  readonly engine: "background" | "off";
  /** For tests; see `ChromaVectorsOptions` and `LocalChromaOptions`. */
  readonly tuning?: {
    readonly timeouts?: ChromaTimeouts;
    readonly pollMs?: number;
    readonly verifyEveryMs?: number;
    readonly healthEveryMs?: number;
    /** Milliseconds between checks whether Chroma is needed. Default 2,000. */
    readonly needEveryMs?: number;
    readonly bundled?: EngineBinding | null;
  };
}

export interface Vectors extends VectorIndex {
  /**
   * Connects to the configured Chroma server at once, or starts the local engine as soon as a space is close to the capacity of
   * exact search; both in the background. Does nothing if called again.
   */
  start(): void;
  /** Ends the engine without waiting, for process shutdown. */
  stopNow(): void;
  /** The process id of the local engine, while it runs. */
  readonly enginePid: number | null;
}

/**
 * The vector index as configured. Usable at once: until Chroma is ready, exact search answers everything.
 * @throws AppError `invalid` when the URL of the Chroma server is not valid
 */
export function createVectors(options: VectorsOptions): Vectors {
  const remote = options.mode === "auto" && options.url !== undefined ? remoteTarget(options, options.url) : null;
  const vectors = new ConfiguredVectors(options, remote);
  if (options.engine === "background") vectors.start();
  return vectors;
}

class ConfiguredVectors implements Vectors {
  readonly #options: VectorsOptions;
  readonly #remote: ChromaTarget | null;
  readonly #exact;
  #index: VectorIndex;
  #engine: LocalChroma | null = null;
  #state: "off" | "started" | "closed" = "off";
  readonly #closing = new AbortController();
  /** The first check whether Chroma is needed, then all later ones. */
  #firstLook: Promise<void> = Promise.resolve();
  #looking: Promise<void> = Promise.resolve();
  /** No engine may start on files that are being removed. */
  #isScrubbing = false;

  constructor(options: VectorsOptions, remote: ChromaTarget | null) {
    const { exactMegabytes, log } = options;
    this.#options = options;
    this.#remote = remote;
    this.#exact = createExactVectors(options.record, {
      log,
      ...(exactMegabytes !== undefined && { megabytes: exactMegabytes }),
    });
    this.#index = this.#exact;
  }

  get enginePid(): number | null {
    return this.#engine?.pid ?? null;
  }

  start(): void {
    if (this.#state !== "off" || this.#options.mode === "exact") return;
    this.#state = "started";
    // An engine costs memory, and time at each write, so it runs only where it can be of use.
    if (this.#remote !== null || this.#exactLimit === 0) this.#startChroma();
    else this.#startWhenCapacityEnds();
  }

  nearest: VectorIndex["nearest"] = (query) => this.#index.nearest(query);

  dropSpace: VectorIndex["dropSpace"] = (spaceId) => this.#index.dropSpace(spaceId);

  verify: VectorIndex["verify"] = (signal) => this.#index.verify(signal);

  async status(): Promise<VectorStatus> {
    await this.#firstLook;
    const status = await this.#index.status();
    if (this.#options.mode === "exact" || this.#state !== "off") return status;
    return { ...status, state: "off", reason: "This process does not use Chroma; exact search answers." };
  }

  /** The local engine's files are removed entirely: nothing else erases what was in their indexes and logs. */
  async scrub(signal?: AbortSignal): Promise<void> {
    const { record } = this.#options;
    if (this.#remote !== null)
      for (const space of await record.spaces()) await demandRebuild(followedBy(record, this.#remote), space);
    this.#isScrubbing = true;
    try {
      if (this.#engine !== null) await this.#engine.scrub();
      else await removeEngineData(this.#options.dataDirectory, signal);
    } finally {
      this.#isScrubbing = false;
    }
    if (this.#remote !== null || this.#engine === null) await this.#index.scrub(signal);
  }

  async close(): Promise<void> {
    this.#state = "closed";
    this.#closing.abort();
    await this.#looking;
    await this.#index.close();
    await this.#engine?.close();
  }

  stopNow(): void {
    this.#engine?.stopNow();
  }

  get #exactLimit(): number {
    return this.#options.exactLimit ?? 1_000_000;
  }

  #mostExact = (space: VectorSpace): number => Math.min(this.#exactLimit, this.#exact.capacity(space));

  #ownAbove = (space: VectorSpace): number => (this.#exactLimit === 0 ? OWN_ABOVE : this.#mostExact(space));

  #startWhenCapacityEnds(): void {
    const { record, log, tuning } = this.#options;
    const capacity = new ExactCapacity(record, this.#mostExact);
    const { signal } = this.#closing;
    const look = async (): Promise<void> => {
      try {
        const isNeeded = await capacity.isNearlyExceeded();
        if (isNeeded && !this.#isScrubbing && !signal.aborted) this.#startChroma();
      } catch (error) {
        // The same record answers searches, which will report what is wrong with it.
        log.debug("cannot tell whether Chroma is needed", { reason: String(error) });
      }
    };
    this.#firstLook = look();
    this.#looking = this.#firstLook.then(async () => {
      while (!signal.aborted && this.#index === this.#exact) {
        await sleepUnlessAborted(tuning?.needEveryMs ?? NEED_EVERY_MS, signal);
        if (!signal.aborted) await look();
      }
    });
  }

  #startChroma(): void {
    const { record, log, namespace, feeder: role = null, tuning } = this.#options;
    const target = this.#remote ?? this.#startEngine();
    const chroma = createChromaVectors({ ...tuning, record, log, namespace, target, role, ownAbove: this.#ownAbove });
    this.#index = createTieredVectors({ record, log, exact: this.#exact, chroma, exactLimit: this.#exactLimit });
  }

  #startEngine(): LocalChroma {
    const { dataDirectory, enginesDirectory, offline, log, tuning } = this.#options;
    this.#engine = createLocalChroma({ ...tuning, dataDirectory, enginesDirectory, offline, log });
    this.#engine.start();
    return this.#engine;
  }
}

function remoteTarget(options: VectorsOptions, url: string): ChromaTarget {
  const address = { url, token: options.token, tenant: options.tenant, database: options.database };
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol)) {
    throw new AppError("invalid", "CHROMA_URL must be an http:// or https:// address, such as http://localhost:8000.");
  }
  const { host, protocol } = new URL(url);
  const identity = [protocol, host, options.tenant ?? "", options.database ?? ""].join(" ");
  const key = createHash("sha256").update(identity).digest("hex").slice(0, 12);
  return { key, name: `Chroma at ${host}`, failure: null, address: () => address };
}
