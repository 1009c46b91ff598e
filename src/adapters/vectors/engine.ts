import { type ChildProcess, spawn } from "node:child_process";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";

import type { Log } from "../../core/ports.js";
import { backoff } from "../../lib/retry.js";
import { sleep } from "../../lib/time.js";
import type { ChromaTarget } from "./chroma-connection.js";
import type { ChromaAddress } from "./chroma-server.js";
import { type EngineBinding, findBinding } from "./engine-binding.js";
import {
  answersAsEngine,
  engineFolder,
  noteEngine,
  prepareEngineFolder,
  removeEngineData,
  setAside,
} from "./engine-folder.js";
import { listensAt } from "./engine-port.js";
import { SERVER_PROGRAM } from "./engine-programs.js";

export interface LocalChromaOptions {
  /** The engine keeps its files in its `chroma` subfolder. */
  readonly dataDirectory: string;
  /** Where downloaded engines are kept. Default: `engines` in the data directory. */
  readonly enginesDirectory?: string | undefined;
  /** Never download an engine. */
  readonly offline: boolean;
  readonly log: Log;
  /** Milliseconds between health checks. Default 5 s. */
  readonly healthEveryMs?: number;
  /** For tests: the binding to try first; null for none. */
  readonly bundled?: EngineBinding | null;
}

/** The supervised Chroma server of this process: on the loopback interface, at a free port, restarted when it ends. */
export interface LocalChroma extends ChromaTarget {
  /** Starts to find and run an engine; returns at once. */
  start(): void;
  /** The process id of the running child. */
  readonly pid: number | null;
  /** Ends the child, removes all its data, and restarts it if it was running. */
  scrub(): Promise<void>;
  /** Ends the child and waits for it to exit. */
  close(): Promise<void>;
  /** Ends the child without waiting, for process shutdown. */
  stopNow(): void;
}

const RESTART = { baseMs: 250, maximumMs: 60_000 };
const FIND_AGAIN = { baseMs: 60_000, maximumMs: 3_600_000 };
const STARTS_WITHIN_MS = 30_000;
const MISSED_HEARTBEATS = 3;
/** An engine that ends sooner failed to start, perhaps because of its data. */
const RAN_MS = 30_000;
const ENDS_BEFORE_SET_ASIDE = 3;

export function createLocalChroma(options: LocalChromaOptions): LocalChroma {
  return new Supervisor(options);
}

class Supervisor implements LocalChroma {
  readonly key = "local";
  readonly #options: LocalChromaOptions;
  readonly #folder: string;
  readonly #closing = new AbortController();
  #binding: EngineBinding | null = null;
  #child: ChildProcess | null = null;
  #address: ChromaAddress | null = null;
  #failure: string | null = null;
  #lastWords = "";
  #running: Promise<void> | null = null;
  #run = new AbortController();
  /** Operations that use the folder, one at a time. */
  #usingFolder: Promise<unknown> = Promise.resolve();

  constructor(options: LocalChromaOptions) {
    this.#options = options;
    this.#folder = engineFolder(options.dataDirectory);
  }

  get name(): string {
    return this.#binding === null ? "local Chroma" : `local Chroma ${this.#binding.version}`;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get failure(): string | null {
    return this.#failure;
  }

  address(): ChromaAddress | null {
    return this.#address;
  }

  start(): void {
    this.#running ??= this.#supervise();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closed"));
    this.stopNow();
    await this.#running;
  }

  async scrub(): Promise<void> {
    const removed = this.#useFolder(() => removeEngineData(this.#options.dataDirectory, this.#closing.signal));
    this.#run.abort(new Error("its files are being removed"));
    await removed;
  }

  stopNow(): void {
    this.#closing.abort(new Error("closed"));
    this.#child?.kill("SIGKILL");
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#closing;
    const binding = await this.#findBinding(signal);
    let quickEnds = 0;
    while (binding !== null && !signal.aborted) {
      const startedAt = Date.now();
      const run = new AbortController();
      this.#run = run;
      const bounds = AbortSignal.any([signal, run.signal]);
      const reason = await this.#useFolder(() => this.#runOnce(binding, bounds)).catch((error: unknown) =>
        describe(error),
      );
      if (signal.aborted) return;
      if (run.signal.aborted) continue;
      quickEnds = Date.now() - startedAt > RAN_MS ? 1 : quickEnds + 1;
      this.#options.log.warn("the Chroma engine exited and is restarted", { reason, ended: quickEnds });
      if (quickEnds % ENDS_BEFORE_SET_ASIDE === 0) await this.#doubtData(quickEnds, reason);
      await sleep(backoff(quickEnds, RESTART), { signal, unref: true }).catch(() => undefined);
    }
  }

  /** Without a network, the engine cannot be downloaded now, but perhaps later. */
  async #findBinding(signal: AbortSignal): Promise<EngineBinding | null> {
    const { log, offline, dataDirectory, bundled } = this.#options;
    const enginesDirectory = this.#options.enginesDirectory ?? join(dataDirectory, "engines");
    for (let attempt = 1; ; attempt++) {
      try {
        const search = { enginesDirectory, offline, log, signal };
        this.#binding = await findBinding(bundled === undefined ? search : { ...search, bundled });
        this.#failure = null;
        return this.#binding;
      } catch (error) {
        if (signal.aborted) return null;
        this.#failure = describe(error);
        log.warn("no Chroma engine; exact search answers", { reason: this.#failure });
        if (offline) return null;
        await sleep(backoff(attempt, FIND_AGAIN), { signal, unref: true }).catch(() => undefined);
      }
    }
  }

  /** Starts the engine and waits until it ends. @returns why it ended */
  async #runOnce(binding: EngineBinding, signal: AbortSignal): Promise<string> {
    await prepareEngineFolder(this.#folder, binding.version, this.#options.log, signal);
    const port = await freePort();
    signal.throwIfAborted();
    const child = this.#launch(binding, port);
    const ended = endOf(child);
    try {
      await noteEngine(this.#folder, { engine: binding.version, pid: child.pid ?? 1, port });
      if (!(await this.#isUp(port, child, signal))) return `it did not start: ${this.#lastWords || "no answer"}`;
      this.#address = { url: `http://127.0.0.1:${port}` };
      this.#failure = null;
      this.#options.log.info("the Chroma engine runs", { version: binding.version, pid: child.pid, port });
      return await Promise.race([ended, this.#watch(port, child, signal)]);
    } finally {
      this.#address = null;
      // The child normally does not keep this process alive, but its exit must be awaited here.
      child.ref();
      child.kill("SIGKILL");
      await ended;
      this.#child = null;
    }
  }

  #launch(binding: EngineBinding, port: number): ChildProcess {
    const args = ["--eval", SERVER_PROGRAM, "--", binding.file, this.#folder, String(port)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    this.#child = child;
    this.#lastWords = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#lastWords = (this.#lastWords + text).slice(-500);
      });
    }
    // The child must not keep this process alive; it ends with it anyway.
    child.unref();
    for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
    child.stdin.on("error", () => undefined);
    return child;
  }

  async #isUp(port: number, child: ChildProcess, signal: AbortSignal): Promise<boolean> {
    const deadline = Date.now() + STARTS_WITHIN_MS;
    while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
      if (await isAnsweredBy(child, port)) return true;
      await sleep(20, { signal, unref: true });
    }
    return false;
  }

  async #watch(port: number, child: ChildProcess, signal: AbortSignal): Promise<string> {
    const everyMs = this.#options.healthEveryMs ?? 5_000;
    for (let missed = 0; missed < MISSED_HEARTBEATS;) {
      await sleep(everyMs, { signal, unref: true });
      missed = (await isAnsweredBy(child, port, everyMs)) ? 0 : missed + 1;
    }
    return "it no longer answered";
  }

  #useFolder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#usingFolder.then(work);
    this.#usingFolder = result.catch(() => undefined);
    return result;
  }

  async #doubtData(ends: number, reason: string): Promise<void> {
    this.#failure = `The Chroma engine exited ${ends} times in a row (${reason}). Exact search answers, and starting the engine is tried again.`;
    if (ends > ENDS_BEFORE_SET_ASIDE) return;
    const { log } = this.#options;
    const aside = this.#useFolder(() => setAside(this.#folder, "the engine does not run on it", log));
    await aside.catch((error: unknown) =>
      log.error("the data folder of Chroma could not be set aside", { reason: describe(error) }),
    );
  }
}

/** Another program on this machine may have taken the port first, and would be sent everything. */
async function isAnsweredBy(child: ChildProcess, port: number, timeoutMs?: number): Promise<boolean> {
  return (await answersAsEngine(port, timeoutMs)) && (await listensAt(child.pid ?? 0, port)) !== false;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `killed by ${signal}`));
  });
}

/** A port that is free now. If another program takes it first, the engine ends and restarts at another. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()));
    });
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
