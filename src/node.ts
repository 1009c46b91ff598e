import { createOwnership, type OwnService, type Ownership } from "./adapters/owner/election.js";
import type { Possession } from "./adapters/owner/possession.js";
import { openService, type Service, type ServiceOptions } from "./app.js";
import { AppError } from "./core/errors.js";
import { type Call, completeStatus, type Core, coreOver, isUseCase, localActor, runsOnce } from "./core/index.js";
import type { Actor } from "./core/types.js";
import { createId } from "./lib/ids.js";
import type { AttemptCounter } from "./lib/rate-limit.js";
import { sleep } from "./lib/time.js";

/** How long callers are told why nothing works any more, before the process ends. */
const LAST_WORDS_MS = 1_000;

/** The HTTP server of this process. */
export interface Listening {
  readonly url: string;
  /** The URL for others, if it is different. */
  readonly publicUrl?: string | undefined;
  /** Admits other processes of the data folder. */
  readonly token: string;
  close(): Promise<void>;
}

/** What the HTTP server needs to know about this process's store. */
export interface RecordState {
  readonly prove: () => Possession | null;
  /** False once the data folder is lost. */
  readonly isReady: () => boolean;
  /** When it last ran out of space for a write. */
  readonly fullAt: () => Date | null;
  /** Counts attempts for all services that share the store; null while this process counts only its own. */
  readonly attempts: () => AttemptCounter | null;
}

export interface NodeOptions extends ServiceOptions {
  /** Starts to answer over HTTP: other processes once this one owns the data folder, and everyone `listen` is for. */
  readonly listen: (core: Core, organizationId: string, record: RecordState) => Promise<Listening>;
  /** True for long-lived processes: they take over background work when the owner ends. */
  readonly standby: boolean;
  /** True for a process that is useless if it cannot listen: it then does not become the owner either. */
  readonly mustListen?: boolean;
  /**
   * Ends the process as soon as possible: its data folder was removed, moved or replaced, and whatever is in its place
   * now must not be touched. Nothing is to be closed.
   */
  readonly onLost: () => void;
}

/** The service as this process reaches it: its own, or that of the process that owns the data folder. */
export interface Node {
  readonly core: Core;
  /** The user of this machine. */
  actor(): Promise<Actor>;
  role(): Promise<"owner" | "client">;
  /**
   * Answers over HTTP from now on, whoever owns the data folder; resolves with the URL. @throws what
   * `NodeOptions.listen` does
   */
  listen(): Promise<string>;
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens nothing by itself: the first call, or `role`, finds the owner or becomes it. */
export function createNode(options: NodeOptions): Node {
  return new ProcessNode(options);
}

class ProcessNode implements Node {
  readonly core: Core;
  readonly #options: NodeOptions;
  readonly #ownership: Ownership;
  #service: Service | undefined;
  #listening: Promise<Listening> | undefined;
  #isHungUp = false;
  #prove: () => Possession | null = () => null;

  constructor(options: NodeOptions) {
    const { config, version, log, standby } = options;
    this.#options = options;
    this.#ownership = createOwnership({
      dataDirectory: config.dataDirectory,
      version,
      log,
      standby,
      open: (prove) => this.#open(prove),
      hangUp: () => this.#hangUp(),
    });
    const core = coreOver((name, call, input) => {
      const needsId = runsOnce(name) && call.operationId === undefined;
      return this.#ownership.call(name, needsId ? { ...call, operationId: createId() } : call, input);
    });
    this.core = {
      ...core,
      status: async (call) => completeStatus(await core.status(call)),
      ownerStatus: async (call) => completeStatus(await core.ownerStatus(call)),
    };
  }

  async actor(): Promise<Actor> {
    const { organizationId } = await this.core.session({ actor: localActor("") });
    return localActor(organizationId);
  }

  role(): Promise<"owner" | "client"> {
    return this.#ownership.take();
  }

  async listen(): Promise<string> {
    const { organizationId } = await this.actor();
    return (await this.#listen(organizationId)).url;
  }

  async settle(): Promise<void> {
    await this.#service?.settle();
  }

  close(): Promise<void> {
    return this.#ownership.close();
  }

  async #open(prove: () => Possession | null): Promise<OwnService> {
    this.#prove = prove;
    const opened = await openService({ ...this.#options, isShortLived: !this.#options.standby });
    if (this.#options.mustListen)
      await this.#listen(opened.organizationId).catch(async (error: unknown) => {
        await opened.close();
        throw error;
      });
    this.#service = opened;
    void opened.lost.then((reason) => this.#leave(reason));
    return {
      call: (name, call, input) => this.#callHere(opened.core, name, call as Call, input),
      listen: () => this.#listen(opened.organizationId),
      close: async () => {
        this.#service = undefined;
        await opened.close();
      },
    };
  }

  async #callHere(core: Core, name: string, call: Call, input: unknown): Promise<unknown> {
    try {
      return await callLocally(core, name, call, input);
    } catch (error) {
      // The caller is gone, or asks the next owner; that the store is closed is no news.
      if (this.#isHungUp && !(error instanceof AppError)) throw shuttingDown(error);
      throw error;
    }
  }

  #listen(organizationId: string): Promise<Listening> {
    // An interrupted start may get here after the end.
    if (this.#isHungUp) return Promise.reject(shuttingDown());
    const record: RecordState = {
      prove: () => this.#prove(),
      isReady: () => this.#service?.isInPlace() ?? true,
      fullAt: () => this.#service?.fullAt() ?? null,
      attempts: () => this.#service?.attempts ?? null,
    };
    this.#listening ??= this.#options.listen(this.core, organizationId, record);
    // A port that is in use may be free at the next attempt.
    this.#listening.catch(() => (this.#listening = undefined));
    return this.#listening;
  }

  async #leave(reason: AppError): Promise<void> {
    const { log, config } = this.#options;
    // On a database, a connection that broke was opened again too late.
    const what =
      config.databaseUrl === undefined ? "the data folder is lost" : "another service has taken the database";
    log.error(`${what}; this one ends`, { reason: reason.message });
    await sleep(LAST_WORDS_MS);
    await this.#hangUp();
    this.#options.onLost();
  }

  async #hangUp(): Promise<void> {
    this.#isHungUp = true;
    // A server that failed to start was already reported to the caller that wanted it.
    await (await this.#listening?.catch(() => undefined))?.close();
  }
}

function shuttingDown(cause?: unknown): AppError {
  return new AppError("unavailable", "This process is shutting down.", { cause });
}

async function callLocally(core: Core, name: string, call: Call, input: unknown): Promise<unknown> {
  if (!isUseCase(name)) throw new Error(`There is no use case ${name}`);
  return core[name](call, input);
}
