import type pg from "pg";
import { AppError } from "../../../core/errors.js";
import { sleep } from "../../../lib/time.js";
import { endLock, SERVICE_LOCK, tryLock } from "./advisory-lock.js";

const TRIES_AGAIN_MS = 500;
const BEATS_EVERY_MS = 2_000;
/** How long a server that vanished has to notice that a connection is over, and to release its lock. */
const FORMER_LETS_GO_WITHIN_MS = 5_000;

/** This process's right to use a database, alone or together with others that share it. */
export interface DatabasePossession {
  /** False while the connection that proves it is down. */
  isHeld(): boolean;
  /** @throws AppError `unavailable` while it is not proven */
  require(): void;
  /** Resolves when another service has the database. */
  readonly lost: Promise<AppError>;
  close(): Promise<void>;
}

export interface PossessionOptions {
  readonly place: string;
  readonly isShared: boolean;
  /** Called when the server has stopped answering on an open connection: others to it may be dead as well. */
  readonly onSilent?: () => void;
}

/**
 * Takes a database for this process, with a lock of a transaction that stays open, and takes it again when its connection
 * breaks. A pooler in between that lends connections per transaction leaves this one alone.
 * @param options.isShared true to share it with others
 * @throws AppError `conflict` when another service has it; whatever the library throws when it cannot be reached
 */
export async function possessDatabase(url: string, options: PossessionOptions): Promise<DatabasePossession> {
  const database = new LockedDatabase(url, options);
  await database.take();
  return database;
}

class LockedDatabase implements DatabasePossession {
  readonly lost: Promise<AppError>;
  readonly #url: string;
  readonly #place: string;
  readonly #isShared: boolean;
  readonly #onSilent: (() => void) | undefined;
  #tellLost: (reason: AppError) => void = () => undefined;
  #client: pg.Client | undefined;
  #isClosed = false;

  constructor(url: string, { place, isShared, onSilent }: PossessionOptions) {
    this.#onSilent = onSilent;
    this.#url = url;
    this.#place = place;
    this.#isShared = isShared;
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
  }

  /** @throws AppError `conflict` when another service keeps it for longer than its end would take to be noticed */
  async take(): Promise<void> {
    const deadline = Date.now() + FORMER_LETS_GO_WITHIN_MS;
    for (;;) {
      const taken = await tryLock(this.#url, SERVICE_LOCK, { isShared: this.#isShared, onEnd: () => this.#drop() });
      if (taken && this.#isClosed) return endLock(taken);
      if (taken) {
        this.#client = taken;
        this.#beat(taken);
        return;
      }
      if (Date.now() > deadline || this.#isClosed) throw takenByAnother(this.#place, this.#isShared);
      await sleep(TRIES_AGAIN_MS);
    }
  }

  isHeld(): boolean {
    return this.#client !== undefined;
  }

  require(): void {
    if (this.#client) return;
    throw new AppError(
      "unavailable",
      `The database ${this.#place} cannot be reached. Nothing was written. Try again.`,
      {
        retryAfter: 2,
        paths: [this.#place],
      },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const held = this.#client;
    this.#client = undefined;
    if (held) await endLock(held);
  }

  /** Without this, a connection that was cut silently would be trusted for hours. */
  #beat(held: pg.Client): void {
    let next: NodeJS.Timeout | undefined;
    const wait = (): void => {
      next = setTimeout(() => {
        held.query("select 1").then(wait, () => {
          this.#onSilent?.();
          return endLock(held);
        });
      }, BEATS_EVERY_MS);
      next.unref();
    };
    held.once("end", () => clearTimeout(next));
    wait();
  }

  #drop(): void {
    if (this.#client === undefined || this.#isClosed) return;
    this.#client = undefined;
    void this.#takeAgain();
  }

  async #takeAgain(): Promise<void> {
    while (!this.#isClosed && this.#client === undefined)
      try {
        await this.take();
      } catch (error) {
        if (this.#isClosed) return;
        if (error instanceof AppError) return this.#tellLost(error);
        await sleep(TRIES_AGAIN_MS);
      }
  }
}

function takenByAnother(place: string, isShared: boolean): AppError {
  const advice = isShared
    ? "It was started without RECOLLECT_NODES=several: stop it, and start it with that setting."
    : "Stop that one first, or start all of them with RECOLLECT_NODES=several.";
  return new AppError(
    "conflict",
    `The database ${place} is in use by another service. Nothing was changed. ${advice}`,
    {
      paths: [place],
    },
  );
}
