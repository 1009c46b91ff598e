import { createOwnership } from "./adapters/owner/election.js";
import type { Possession } from "./adapters/owner/possession.js";
import { openService, type Service, type ServiceOptions } from "./app.js";
import { AppError } from "./core/errors.js";
import { type Call, type Core, coreOver, isUseCase, localActor, runsOnce } from "./core/index.js";
import type { Actor } from "./core/types.js";
import { createId } from "./lib/ids.js";
import type { AttemptCounter } from "./lib/rate-limit.js";
import { sleep } from "./lib/time.js";

/** So long callers are told why nothing works any more, before the process ends. */
const LAST_WORDS_MS = 1_000;

/** A server over HTTP that answers for this process. */
export interface Listening {
  readonly url: string;
  /** Where others reach it, if that is elsewhere. */
  readonly publicUrl?: string | undefined;
  /** Lets other processes of the data folder in. */
  readonly token: string;
  close(): Promise<void>;
}

/** What this process says of the data folder that it owns. */
export interface Standing {
  readonly prove: () => Possession | null;
  /** False once the folder is lost. */
  readonly isReady: () => boolean;
  /** When it last had no room for what was to be written. */
  readonly fullAt: () => Date | null;
  /** Counts attempts for all services that share the record; null while this process counts only its own. */
  readonly attempts: () => AttemptCounter | null;
}

export interface NodeOptions extends ServiceOptions {
  /** Starts to answer over HTTP: other processes once this one owns the data folder, and whoever `listen` is for. */
  readonly listen: (core: Core, organizationId: string, standing: Standing) => Promise<Listening>;
  /** True for processes that stay: they take over background work when the owner goes. */
  readonly standby: boolean;
  /** True for a process that is of no use when it cannot listen: then it does not become the owner either. */
  readonly mustListen?: boolean;
  /**
   * Ends the process, as soon as it may be: the data folder that it owned was removed, moved or replaced, and what is in its
   * place now must not be touched. Nothing is to be closed.
   */
  readonly onLost: () => void;
}

/** The service as this process reaches it: its own, or that of the process which owns the data folder. */
export interface Node {
  readonly core: Core;
  /** The person at this machine. */
  actor(): Promise<Actor>;
  role(): Promise<"owner" | "client">;
  /** Answers over HTTP now, whoever owns the data folder; resolves with the URL. @throws what `NodeOptions.listen` does */
  listen(): Promise<string>;
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens nothing by itself: the first call, or `role`, finds the owner or becomes it. */
export function createNode(options: NodeOptions): Node {
  let service: Service | undefined;
  let listening: Promise<Listening> | undefined;
  let isHungUp = false;
  let proof: () => Possession | null = () => null;
  const listen = (organizationId: string): Promise<Listening> => {
    // A start that was interrupted may come this far after the end.
    if (isHungUp) return Promise.reject(shuttingDown());
    const standing: Standing = {
      prove: () => proof(),
      isReady: () => service?.isInPlace() ?? true,
      fullAt: () => service?.fullAt() ?? null,
      attempts: () => service?.attempts ?? null,
    };
    listening ??= options.listen(core, organizationId, standing);
    // A port that is taken may be free at the next try.
    listening.catch(() => (listening = undefined));
    return listening;
  };
  const hangUp = async (): Promise<void> => {
    isHungUp = true;
    // A server that could not be started was reported to whoever wanted it.
    await (await listening?.catch(() => undefined))?.close();
  };
  const leave = async (reason: AppError): Promise<void> => {
    options.log.error("the data folder is lost", { reason: reason.message });
    await sleep(LAST_WORDS_MS);
    await hangUp();
    options.onLost();
  };
  const seat = createOwnership({
    dataDirectory: options.config.dataDirectory,
    version: options.version,
    log: options.log,
    standby: options.standby,
    async open(prove) {
      proof = prove;
      const opened = await openService({ ...options, isShortLived: !options.standby });
      if (options.mustListen)
        await listen(opened.organizationId).catch(async (error: unknown) => {
          await opened.close();
          throw error;
        });
      service = opened;
      void opened.lost.then(leave);
      return {
        async call(name, call, input) {
          try {
            return await callLocally(opened.core, name, call as Call, input);
          } catch (error) {
            // Whoever asked is gone, or asks the next owner; the closed store is no news.
            if (isHungUp && !(error instanceof AppError)) throw shuttingDown(error);
            throw error;
          }
        },
        listen: () => listen(opened.organizationId),
        async close() {
          service = undefined;
          await opened.close();
        },
      };
    },
    hangUp,
  });
  const core = coreOver((name, call, input) => {
    const needsId = runsOnce(name) && call.operationId === undefined;
    return seat.call(name, needsId ? { ...call, operationId: createId() } : call, input);
  });
  const actor = async (): Promise<Actor> => {
    const { organizationId } = await core.session({ actor: localActor("") });
    return localActor(organizationId);
  };
  return {
    core,
    actor,
    role: () => seat.take(),
    listen: async () => (await listen((await actor()).organizationId)).url,
    settle: async () => service?.settle(),
    close: () => seat.close(),
  };
}

function shuttingDown(cause?: unknown): AppError {
  return new AppError("unavailable", "This process is shutting down.", { cause });
}

async function callLocally(core: Core, name: string, call: Call, input: unknown): Promise<unknown> {
  if (!isUseCase(name)) throw new Error(`There is no use case ${name}`);
  return core[name](call, input);
}
