import { AppError } from "../../core/errors.js";
import type { Log } from "../../core/ports.js";
import { sleep } from "../../lib/time.js";
import { tryLock } from "./lock.js";
import { connectOwner, OwnerGone } from "./remote.js";
import { readServiceFile, removeServiceFile, writeServiceFile } from "./service-file.js";

/** The service in this process, once it owns the data folder. */
export interface OwnService {
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** Starts to answer other processes of this machine; resolves with where. */
  listen(): Promise<{ url: string; token: string }>;
  /** Ends everything in the data folder. */
  close(): Promise<void>;
}

export interface ElectionOptions {
  readonly dataDirectory: string;
  readonly version: string;
  readonly log: Log;
  /** Opens the service; called only while the data folder is owned. */
  readonly open: () => Promise<OwnService>;
  /** True: watch the owner and take over as soon as it goes, so that background work goes on. */
  readonly standby: boolean;
}

/** One process's place at a data folder: owner or client of the owner, whatever it is at the moment. */
export interface Seat {
  /**
   * Calls a use case wherever the owner is. When the owner goes away, another one is found or this process becomes it,
   * and the call is repeated; calls that write must carry an operation id.
   */
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** Finds or becomes the owner now. @throws AppError when the store cannot be opened or nobody answers */
  take(): Promise<"owner" | "client">;
  close(): Promise<void>;
}

interface Place {
  readonly role: "owner" | "client";
  /** Resolves when the owner has gone; never for the owner itself. */
  readonly gone: Promise<void>;
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;
const ATTEMPTS = 4;

export function createSeat(options: ElectionOptions): Seat {
  let place: Promise<Place> | undefined;
  let isClosed = false;

  function current(): Promise<Place> {
    if (isClosed) return Promise.reject(new AppError("unavailable", "This process is shutting down."));
    place ??= occupy();
    return place;
  }

  function occupy(): Promise<Place> {
    const taken = elect(options);
    taken.then(
      ({ gone }) => gone.then(() => leave(taken)),
      () => {
        if (place === taken) place = undefined;
      },
    );
    return taken;
  }

  /** Forgets a place whose owner went away; with standby, looks for the next at once. */
  function leave(left: Promise<Place>): void {
    if (place !== left) return;
    place = undefined;
    if (!options.standby || isClosed) return;
    current().catch((error: unknown) => options.log.error("no owner could be found", { reason: String(error) }));
  }

  return {
    async call(name, call, input) {
      for (let attempt = 1; ; attempt++) {
        const seat = current();
        const owner = await seat;
        try {
          return await owner.call(name, call, input);
        } catch (error) {
          if (!(error instanceof OwnerGone)) throw error;
          leave(seat);
          if (attempt >= ATTEMPTS || isClosed) throw unreachable(options.dataDirectory, error);
          options.log.info("the owner went away; the call is repeated", { name, attempt });
        }
      }
    },

    async take() {
      return (await current()).role;
    },

    async close() {
      isClosed = true;
      const last = await place?.catch(() => undefined);
      await last?.close();
    },
  };
}

async function elect(options: ElectionOptions): Promise<Place> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = (await becomeOwner(options)) ?? (await findOwner(options));
    if (found) return found;
    if (Date.now() > deadline) throw unreachable(options.dataDirectory, undefined);
    await sleep(15 + Math.random() * 35);
  }
}

async function becomeOwner({ dataDirectory, version, log, open }: ElectionOptions): Promise<Place | null> {
  const lock = await tryLock(dataDirectory);
  if (!lock) return null;
  try {
    const service = await open();
    const listening = service.listen().then(({ url, token }) => {
      writeServiceFile(dataDirectory, { url, pid: process.pid, version, token });
      log.debug("this process owns the data folder", { url });
    });
    let isClosing = false;
    listening.catch((error: unknown) => {
      if (!isClosing) log.error("other processes cannot be served", { reason: String(error) });
    });
    return {
      role: "owner",
      gone: new Promise(() => undefined),
      call: (name, call, input) => service.call(name, call, input),
      async close() {
        isClosing = true;
        await listening.catch(() => undefined);
        removeServiceFile(dataDirectory);
        await service.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function findOwner({ dataDirectory, standby }: ElectionOptions): Promise<Place | null> {
  const address = readServiceFile(dataDirectory);
  if (!address) return null;
  const owner = connectOwner(address);
  if (!(await owner.ping())) return null;
  const watching = new AbortController();
  const never = new Promise<void>(() => undefined);
  const gone = standby ? owner.watch(watching.signal).then(() => (watching.signal.aborted ? never : undefined)) : never;
  return {
    role: "client",
    gone,
    call: (name, call, input) => owner.call(name, call, input),
    close: async () => watching.abort(),
  };
}

function unreachable(dataDirectory: string, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `The process that owns the data folder ${dataDirectory} does not answer. Try again; if it stays so, end that process (see service.json there).`,
    { cause },
  );
}
