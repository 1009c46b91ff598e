import pg from "pg";

/** The numbers of Recollect's advisory locks. What nodes that start at once lock, so that one of them migrates: */
export const MIGRATION_LOCK = 7_267_310_000;
/** What the service that uses a database holds. */
export const SERVICE_LOCK = 7_267_310_002;
/** What the node holds that feeds Chroma. */
export const FEEDER_LOCK = 7_267_310_003;

/** A server that says nothing for so long is away. */
const ANSWERS_WITHIN_MS = 5_000;

export interface LockOptions {
  /** True beside others that share it. */
  readonly isShared: boolean;
  /** Called when the connection that holds it is over, whoever ended it. */
  readonly onEnd: () => void;
  /** The server takes the lock from a connection that says nothing for so long. 0, the default, for never. */
  readonly silentMs?: number;
}

/**
 * Takes a lock by a transaction that stays open, whatever the server ends otherwise; it has no snapshot that keeps others from
 * cleaning up. A pooler between, which lends out connections by transaction, leaves that one alone.
 * @returns its connection, which holds it until it ends; null when another has the lock
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
