import { statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.js";
import type { Log } from "../../core/ports.js";
import { randomSecret } from "../../lib/crypto.js";
import { identityAt } from "../../lib/file-identity.js";
import { STORE_FILE } from "../../lib/store-file.js";
import { sleep } from "../../lib/time.js";
import { tryLock } from "./lock.js";
import { type Possession, requirePossession, takePossession } from "./possession.js";
import { connectOwner, OwnerGone, type RemoteOwner } from "./internal-rpc-client.js";
import { readServiceFile, removeServiceFile, type ServiceAddress, writeServiceFile } from "./service-file.js";

/** The service in this process, once it owns the data folder. */
export interface OwnService {
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** Starts answering other processes. `url` is for those on this machine, `publicUrl` for everybody else. */
  listen(): Promise<{ url: string; publicUrl?: string | undefined; token: string }>;
  /** Closes everything in the data folder. */
  close(): Promise<void>;
}

export interface ElectionOptions {
  readonly dataDirectory: string;
  readonly version: string;
  readonly log: Log;
  /**
   * Opens the service; called only while the data folder is owned. Whatever answers other processes tells them what `prove` says
   * of the folder, which is null until the service is open.
   */
  readonly open: (prove: () => Possession | null) => Promise<OwnService>;
  /** Stops answering other processes: called once they are no longer sent here, and before the service closes. */
  readonly hangUp: () => Promise<void>;
  /** True: watch the owner and take over as soon as it goes, so that background work continues. */
  readonly standby: boolean;
}

/** One process's access to a data folder: as its owner, or as a client of the owner. */
export interface Ownership {
  /**
   * Calls a use case wherever the owner is. If the owner goes away, another is found or this process becomes it, and the call is
   * repeated; calls that write must carry an operation id.
   */
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** Finds or becomes the owner now. @throws AppError when the store cannot be opened or nobody answers */
  take(): Promise<"owner" | "client">;
  /** Gives running calls a moment to finish, then gives up its role. May be called again. */
  close(): Promise<void>;
}

interface Place {
  readonly role: "owner" | "client";
  /** Resolves when the owner has gone; never for the owner itself. */
  readonly gone: Promise<void>;
  call(name: string, call: unknown, input: unknown): Promise<unknown>;
  /** Stops directing other processes here. */
  retire(): void;
  close(): Promise<void>;
}

/** How long, at least, an owner is looked for and a call is repeated. */
const PATIENCE_MS = 20_000;
const ATTEMPTS = 4;
/** Between two attempts to announce this owner's address while the disk is full. */
const ANNOUNCE_AGAIN_MS = 2_000;

export function createOwnership(options: ElectionOptions): Ownership {
  return new ElectedOwnership(options);
}

class ElectedOwnership implements Ownership {
  readonly #options: ElectionOptions;
  readonly #closing = new AbortController();
  #place: Promise<Place> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  async call(name: string, call: unknown, input: unknown): Promise<unknown> {
    const { dataDirectory, log } = this.#options;
    const deadline = Date.now() + PATIENCE_MS;
    for (let attempt = 1; ; attempt++) {
      if (attempt > 2) await pause(this.#closing.signal);
      const place = this.#current();
      const owner = await place;
      try {
        return await owner.call(name, call, input);
      } catch (error) {
        if (!(error instanceof OwnerGone)) throw error;
        this.#leave(place);
        // Where many short commands run at once, each is the owner for a moment.
        if (attempt >= ATTEMPTS && Date.now() > deadline) throw unreachable(dataDirectory, error);
        log.debug("the owner is gone; the call is repeated", { name, attempt });
      }
    }
  }

  async take(): Promise<"owner" | "client"> {
    return (await this.#current()).role;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  #current(): Promise<Place> {
    if (this.#place) return this.#place;
    if (this.#closing.signal.aborted) return Promise.reject(shuttingDown());
    return (this.#place = this.#occupy());
  }

  #occupy(): Promise<Place> {
    const taken = elect(this.#options, this.#closing.signal);
    taken.then(
      ({ gone }) => gone.then(() => this.#leave(taken)),
      () => {
        if (this.#place === taken) this.#place = undefined;
      },
    );
    return taken;
  }

  /** Forgets a place whose owner went away; with standby, looks for the next at once. */
  #leave(left: Promise<Place>): void {
    if (this.#place !== left) return;
    this.#place = undefined;
    const { signal } = this.#closing;
    if (!this.#options.standby || signal.aborted) return;
    this.#current().catch((error: unknown) => {
      if (!signal.aborted) this.#options.log.error("no owner could be found", { reason: String(error) });
    });
  }

  async #close(): Promise<void> {
    this.#closing.abort(shuttingDown());
    const last = await this.#place?.catch(() => undefined);
    last?.retire();
    await this.#options.hangUp();
    this.#place = undefined;
    await last?.close();
  }
}

async function elect(options: ElectionOptions, closing: AbortSignal): Promise<Place> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    closing.throwIfAborted();
    const found = (await becomeOwner(options)) ?? (await findOwner(options));
    if (found) return found;
    if (Date.now() > deadline) throw unreachable(options.dataDirectory, undefined);
    await pause(closing);
  }
}

async function becomeOwner(options: ElectionOptions): Promise<Place | null> {
  const { dataDirectory, log, open } = options;
  const lock = await tryLock(dataDirectory);
  if (!lock) return null;
  // Removing a living owner's lock file must not lead to a second owner.
  const other = await answeringOwner(dataDirectory).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  if (other) {
    log.warn("the lock file was removed although a process still owns the data folder", {
      dataDirectory,
    });
    lock.release();
    return null;
  }
  const folder = identityAt(dataDirectory);
  /**
   * If the folder was moved away, whatever is in its place belongs to another owner. Beside an empty store, an address may be
   * the only sign that there was more, which prevents a new store.
   */
  const removeAddress = (): void => {
    if (identityAt(dataDirectory) === folder && !isEmptied(dataDirectory)) removeServiceFile(dataDirectory);
  };
  /** Also when the process ends without waiting for anything. */
  const leaveNothing = (): void => {
    process.off("exit", leaveNothing);
    try {
      removeAddress();
    } finally {
      lock.release();
    }
  };
  process.once("exit", leaveNothing);
  const nonce = randomSecret();
  let prove: (() => Possession) | null = null;
  try {
    // Left by an owner that was killed.
    removeAddress();
    const service = await open(() => prove?.() ?? null);
    prove = takePossession(dataDirectory, nonce);
    return own(service, { options, nonce, removeAddress, leaveNothing });
  } catch (error) {
    leaveNothing();
    throw error;
  }
}

function isEmptied(dataDirectory: string): boolean {
  return statSync(join(dataDirectory, STORE_FILE), { throwIfNoEntry: false })?.size === 0;
}

interface Tenure {
  readonly options: ElectionOptions;
  readonly nonce: string;
  readonly removeAddress: () => void;
  readonly leaveNothing: () => void;
}

function own(service: OwnService, { options, nonce, removeAddress, leaveNothing }: Tenure): Place {
  const retiring = new AbortController();
  announce(service, { ...options, nonce }, retiring.signal).catch((error: unknown) => {
    if (!retiring.signal.aborted) options.log.error("other processes cannot be served", { reason: String(error) });
  });
  return {
    role: "owner",
    gone: never(),
    call: (name, call, input) => service.call(name, call, input),
    retire() {
      retiring.abort();
      removeAddress();
    },
    async close() {
      try {
        await service.close();
      } finally {
        leaveNothing();
      }
    },
  };
}

/** Announces where this owner answers. Otherwise nobody else gets in, so a full disk is waited for. */
async function announce(
  service: OwnService,
  options: ElectionOptions & { readonly nonce: string },
  retiring: AbortSignal,
): Promise<void> {
  const { dataDirectory, version, log, nonce } = options;
  const { url, publicUrl, token } = await service.listen();
  let reported = "";
  for (;;) {
    if (retiring.aborted) return;
    try {
      writeServiceFile(dataDirectory, { url, publicUrl, pid: process.pid, version, token, nonce });
      log.debug("this process owns the data folder", { url });
      return;
    } catch (error) {
      const reason = String(error);
      if (reason !== reported)
        log.error("other processes cannot find this one yet: service.json cannot be written", { reason });
      reported = reason;
      await sleep(ANNOUNCE_AGAIN_MS, { signal: retiring, unref: true });
    }
  }
}

/** @throws AppError `conflict` when the address in this folder is that of another folder's owner */
async function answeringOwner(dataDirectory: string): Promise<RemoteOwner | null> {
  const address = readServiceFile(dataDirectory);
  if (!address) return null;
  const owner = connectOwner(address);
  const answer = await owner.identify();
  if (!answer) return null;
  requirePossession(dataDirectory, address, answer.possession);
  return owner;
}

/**
 * The address of the process that owns the data folder, if there is one and it answers.
 * @throws AppError `conflict` when the address in this folder is that of another folder's owner
 */
export async function findOwnerAddress(dataDirectory: string): Promise<ServiceAddress | null> {
  const address = readServiceFile(dataDirectory);
  return address && (await answeringOwner(dataDirectory)) ? address : null;
}

async function findOwner({ dataDirectory, standby }: ElectionOptions): Promise<Place | null> {
  const owner = await answeringOwner(dataDirectory);
  if (!owner) return null;
  const watching = new AbortController();
  const gone = standby
    ? owner.watch(watching.signal).then(() => (watching.signal.aborted ? never() : undefined))
    : never();
  return {
    role: "client",
    gone,
    call: (name, call, input) => owner.call(name, call, input),
    retire: () => undefined,
    async close() {
      watching.abort();
      owner.abandon(shuttingDown());
    },
  };
}

/** Random, so that many processes do not retry at the same moments. */
function pause(signal: AbortSignal): Promise<void> {
  return sleep(15 + Math.random() * 35, { signal });
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function shuttingDown(): AppError {
  return new AppError("unavailable", "This process is shutting down.");
}

function unreachable(dataDirectory: string, cause: unknown): AppError {
  if (readServiceFile(dataDirectory) === null)
    return new AppError(
      "unavailable",
      `Another process owns the data folder ${dataDirectory}, but does not say where it answers: service.json is missing there. If it is still starting, try again in a moment. If the disk is full, free some space: it then writes the file within seconds. Otherwise end that process and start it again.`,
      { paths: [dataDirectory], cause },
    );
  return new AppError(
    "unavailable",
    `The process that owns the data folder ${dataDirectory} does not answer. Try again. If it still does not answer, end that process (see service.json there).`,
    { paths: [dataDirectory], cause },
  );
}
