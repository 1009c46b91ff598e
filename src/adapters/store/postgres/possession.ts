import pg from "pg";
import { AppError } from "../../../core/errors.js";
import { sleep } from "../../../lib/time.js";

/** What the service that uses a database holds, of PostgreSQL's advisory locks. */
const SERVICE_LOCK = 7_267_310_002;
const TRIES_AGAIN_MS = 500;
const BEATS_EVERY_MS = 2_000;
/** A server that says nothing for so long is away. */
const ANSWERS_WITHIN_MS = 5_000;
/** A server that went away has so long to notice that a connection is over, and to let go of its lock. */
const FORMER_LETS_GO_WITHIN_MS = 5_000;

/**
 * Begins a transaction that may stay open and idle, whatever the server ends otherwise; it has no snapshot that keeps others
 * from cleaning up.
 */
const BEGIN = `begin isolation level read committed;
  set local tcp_keepalives_idle = 5; set local tcp_keepalives_interval = 2; set local tcp_keepalives_count = 2;
  select set_config(name, '0', true) from pg_settings
    where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** That this process may use a database: alone, or together with others that share it. */
export interface DatabasePossession {
  /** False while the connection that proves it is away. */
  isHeld(): boolean;
  /** @throws AppError `unavailable` while it is not proved */
  require(): void;
  /** Resolves when another service has the database. */
  readonly lost: Promise<AppError>;
  close(): Promise<void>;
}

/**
 * Takes a database for this process, by a lock of a transaction that stays open, and takes it again when its connection
 * breaks. A pooler between, which lends out connections by transaction, leaves that one alone.
 * @param options.isShared true beside others that share it
 * @throws AppError `conflict` when another service has it; whatever the library throws when it cannot be reached
 */
export async function possessDatabase(
  url: string,
  { place, isShared }: { readonly place: string; readonly isShared: boolean },
): Promise<DatabasePossession> {
  let client: pg.Client | undefined;
  let isClosed = false;
  let tellLost: (reason: AppError) => void = () => undefined;
  const lost = new Promise<AppError>((resolve) => (tellLost = resolve));

  async function take(): Promise<void> {
    const deadline = Date.now() + FORMER_LETS_GO_WITHIN_MS;
    for (;;) {
      const taken = await tryToTake(url, { isShared, onEnd: drop });
      if (taken && isClosed) return taken.end();
      if (taken) {
        client = taken;
        beat(taken);
        return;
      }
      if (Date.now() > deadline || isClosed) throw takenByAnother(place, isShared);
      await sleep(TRIES_AGAIN_MS);
    }
  }

  /** A connection that is cut in silence would be believed for hours. */
  function beat(held: pg.Client): void {
    let next: NodeJS.Timeout | undefined;
    const wait = (): void => {
      next = setTimeout(() => {
        held.query("select 1").then(wait, () => held.end().catch(() => undefined));
      }, BEATS_EVERY_MS);
      next.unref();
    };
    held.once("end", () => clearTimeout(next));
    wait();
  }

  function drop(): void {
    if (client === undefined || isClosed) return;
    client = undefined;
    void takeAgain();
  }

  async function takeAgain(): Promise<void> {
    while (!isClosed && client === undefined)
      try {
        await take();
      } catch (error) {
        if (isClosed) return;
        if (error instanceof AppError) return tellLost(error);
        await sleep(TRIES_AGAIN_MS);
      }
  }

  await take();
  return {
    isHeld: () => client !== undefined,
    require() {
      if (client) return;
      throw new AppError("unavailable", `The database ${place} cannot be reached. Nothing was written. Try again.`, {
        retryAfter: 2,
      });
    },
    lost,
    async close() {
      isClosed = true;
      const held = client;
      client = undefined;
      await held?.end().catch(() => undefined);
    },
  };
}

/** @returns null when another connection has the lock */
async function tryToTake(
  url: string,
  { isShared, onEnd }: { readonly isShared: boolean; readonly onEnd: () => void },
): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "recollect",
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  });
  client.on("error", () => undefined);
  client.on("end", onEnd);
  try {
    await client.connect();
    await client.query(BEGIN);
    const lock = isShared ? "pg_try_advisory_xact_lock_shared" : "pg_try_advisory_xact_lock";
    const { rows } = await client.query<{ taken: boolean }>(`select ${lock}($1) as taken`, [SERVICE_LOCK]);
    if (rows[0]?.taken) return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  await client.end();
  return null;
}

function takenByAnother(place: string, isShared: boolean): AppError {
  const advice = isShared
    ? "It was started without RECOLLECT_NODES=several: stop it, and start it with that setting."
    : "Stop that one first, or start all of them with RECOLLECT_NODES=several.";
  return new AppError("conflict", `The database ${place} is used by another service. Nothing was changed. ${advice}`);
}
