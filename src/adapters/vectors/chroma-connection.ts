import type { Log } from "../../core/ports.js";
import { backoff } from "../../lib/retry.js";
import { type ChromaAddress, ChromaServer, type ChromaTimeouts } from "./chroma-server.js";
import { sleepUnlessAborted } from "./sleep-unless-aborted.js";

/** A Chroma server that follows the record: a remote one, or the local child process. */
export interface ChromaTarget {
  /** Distinguishes this server from others that may have followed the same record, e.g. `local`. */
  readonly key: string;
  /** Display name, e.g. `local Chroma 1.0.5`. */
  readonly name: string;
  /** The current address, or null while there is none. */
  address(): ChromaAddress | null;
  /** Set when no address can be expected; says what to do about it. */
  readonly failure: string | null;
}

export interface ChromaConnectionOptions {
  readonly target: ChromaTarget;
  readonly log: Log;
  /** What users are told while the server is unavailable. */
  readonly consequence: string;
  readonly timeouts?: ChromaTimeouts | undefined;
  /** Milliseconds between checks for an address. */
  readonly pollMs: number;
}

/** One uninterrupted connection. */
export interface ChromaSession {
  readonly server: ChromaServer;
  readonly address: ChromaAddress;
  /** As reported by the server. */
  readonly version: string;
  /** Call once the session is serving; clears earlier faults. */
  readonly ready: () => void;
}

const RETRY = { baseMs: 250, maximumMs: 30_000 };
const TIMEOUTS: ChromaTimeouts = { search: 1_500, write: 30_000 };

/** Connects to a server, retrying as often as needed, and keeps track of what is wrong with it. */
export class ChromaConnection {
  readonly #options: ChromaConnectionOptions;
  #fault: string | null = null;
  #failures = 0;

  constructor(options: ChromaConnectionOptions) {
    this.#options = options;
  }

  /** Why the last session ended, until the next one is serving. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Connects and serves until that fails, or `signal` aborts. */
  async serve(signal: AbortSignal, work: (session: ChromaSession) => Promise<never>): Promise<void> {
    try {
      await this.#connect(await this.#nextAddress(signal), signal, work);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      this.#tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Waits before the next attempt: longer each time, and not at all after a session ended by its signal. */
  async pause(signal: AbortSignal): Promise<void> {
    if (this.#failures > 0) await sleepUnlessAborted(backoff(this.#failures, RETRY), signal);
  }

  async #nextAddress(signal: AbortSignal): Promise<ChromaAddress> {
    for (;;) {
      signal.throwIfAborted();
      const address = this.#options.target.address();
      if (address !== null) return address;
      await sleepUnlessAborted(this.#options.pollMs, signal);
    }
  }

  async #connect(
    address: ChromaAddress,
    signal: AbortSignal,
    work: (session: ChromaSession) => Promise<never>,
  ): Promise<never> {
    const server = new ChromaServer(address, this.#options.timeouts ?? TIMEOUTS);
    const close = (): void => server.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      const version = await server.connect();
      return await work({ server, address, version, ready: () => this.#forget() });
    } finally {
      signal.removeEventListener("abort", close);
      server.close();
    }
  }

  #forget(): void {
    this.#fault = null;
    this.#failures = 0;
  }

  /** Logged once rather than at every attempt while a server stays away. */
  #tell(reason: string): void {
    const { log, target, consequence } = this.#options;
    const level = reason === this.#fault ? "debug" : "warn";
    this.#fault = reason;
    log[level](consequence, { chroma: target.name, reason });
  }
}
