import pg from "pg";

/** Taken by nodes that start at the same time, so that only one of them migrates. */
export const MIGRATION_LOCK = 7_267_310_000;
/** Taken by every node of a record while it writes. */
export const WRITE_LOCK = 7_267_310_001;
/** Held by the service that uses a database. */
export const SERVICE_LOCK = 7_267_310_002;
/** Held by the node that feeds Chroma. */
export const FEEDER_LOCK = 7_267_310_003;

/** A server that is silent for this long counts as gone. */
const ANSWERS_WITHIN_MS = 5_000;

export interface LockOptions {
  /** True to share the lock with others. */
  readonly isShared: boolean;
  /** Called when the connection that holds the lock ends, whoever ended it. */
  readonly onEnd: () => void;
  /** The server takes the lock from a connection that is silent for this long. 0, the default, for never. */
  readonly silentMs?: number;
}

/**
 * Takes a lock with a transaction that stays open, whatever idle timeout the server has; it has no snapshot that would hold up
 * vacuuming. A pooler in between that lends connections per transaction leaves this one alone.
 * @returns its connection, which holds the lock until it ends; null when another holds it
 * @throws whatever the library throws when the server cannot be reached
 */
export async function tryLock(
  url: string,
  lock: number,
  { isShared, onEnd, silentMs = 0 }: LockOptions,
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
    await client.query(beginOf(silentMs));
    const take = isShared ? "pg_try_advisory_xact_lock_shared" : "pg_try_advisory_xact_lock";
    const { rows } = await client.query<{ taken: boolean }>(`select ${take}($1) as taken`, [lock]);
    if (rows[0]?.taken) return client;
  } catch (error) {
    await endLock(client);
    throw error;
  }
  await endLock(client);
  return null;
}

/** Ends a connection, also one whose server has gone without a word. Never throws. */
export async function endLock(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), ANSWERS_WITHIN_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** A connection that is cut in silence is kept no longer than one that is silent, and no less long. */
function beginOf(silentMs: number): string {
  const idleSeconds = silentMs === 0 ? 5 : Math.ceil(silentMs / 1_000);
  return `begin isolation level read committed;
    set local tcp_keepalives_idle = ${idleSeconds}; set local tcp_keepalives_interval = 2; set local tcp_keepalives_count = 2;
    select set_config(name, case name when 'transaction_timeout' then '0' else '${silentMs}' end, true) from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`;
}
