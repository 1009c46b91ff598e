import pg from "pg";
import { sha256 } from "../../../lib/crypto.js";
import { type Allowance, type AttemptCounter, createRateLimiter, type Rate } from "../../../lib/rate-limit.js";

/**
 * How far attempts are ahead of their rate, by the server's clock, so that those of the nodes need not agree. Not logged: after a
 * crash of the server everybody begins anew. Half-filled pages let a row be changed without its index.
 */
export const ATTEMPTS_TABLE = `create unlogged table if not exists attempt_counts (
  name text primary key, full_at bigint not null, was_allowed boolean not null) with (fillfactor = 50)`;

/** In microseconds. Not `now()`: a statement that waited for another would count by a time that is over. */
const NOW = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
/** When all attempts are allowed again, as it was before this one: not before now, and never further away than the window. */
const BEFORE = `select clock.now, greatest(least(known.full_at, clock.now + $3), clock.now) as full_at
  from (select ${NOW} as now) as clock`;

/** Counts, tells, and waits for nobody but who counts under the same name at the moment. */
const TAKE = `insert into attempt_counts as known (name, full_at, was_allowed)
  values ($1, ${NOW} + case when $2::bigint <= $3::bigint then $2 else 0 end, $2 <= $3)
  on conflict (name) do update set (full_at, was_allowed) = (
    select before.full_at + case when before.full_at + $2 <= before.now + $3 then $2 else 0 end,
      before.full_at + $2 <= before.now + $3
    from (${BEFORE}) as before)
  returning was_allowed as allowed, full_at - ${NOW} as ahead`;
const GIVE_BACK = "update attempt_counts set full_at = full_at - $2::bigint where name = $1";
const CLEAN = `delete from attempt_counts where full_at < ${NOW}`;

const CONNECTIONS = 2;
/** Whoever asks is not kept waiting for longer. */
const ANSWERS_WITHIN_MS = 1_000;
const CLEANS_EVERY_MS = 60_000;

export interface SharedAttempts extends AttemptCounter {
  take(name: string, rate: Rate, attempts?: number): Promise<Allowance>;
  giveBack(name: string, rate: Rate): Promise<void>;
  /** Removes what counts no more. Done every minute by whoever takes. */
  clean(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Token buckets as those of `createRateLimiter`, for all nodes of a database together and never for more than the rate: a
 * statement for each attempt, apart from the transactions of the record. While the server does not answer, each node counts for
 * itself.
 */
export function createSharedAttempts(url: string): SharedAttempts {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
    keepAlive: true,
    application_name: "recollect",
  });
  pool.on("error", () => undefined);
  const own = createRateLimiter();
  let cleanedAt = performance.now();

  const clean = async (): Promise<void> => {
    cleanedAt = performance.now();
    // What is not removed now is by the next.
    await pool.query(CLEAN).catch(() => undefined);
  };

  return {
    async take(name, rate, attempts = 1) {
      if (performance.now() - cleanedAt > CLEANS_EVERY_MS) void clean();
      const step = stepOf(rate);
      const [cost, window] = [step * attempts, step * rate.requests];
      try {
        const { rows } = await pool.query<{ allowed: boolean; ahead: string }>(TAKE, [sha256(name), cost, window]);
        const [row] = rows;
        if (row === undefined) throw new Error("The attempt was not counted.");
        const ahead = Math.max(0, Number(row.ahead));
        return {
          allowed: row.allowed,
          remaining: Math.floor((window - ahead) / step),
          // Whoever is refused waits, even if what was missing has been earned by now.
          waitMs: row.allowed ? 0 : Math.max(1, ahead + Math.min(cost, window) - window) / 1_000,
          fullMs: ahead / 1_000,
        };
      } catch {
        return own.take(name, rate, attempts);
      }
    },

    async giveBack(name, rate) {
      await pool.query(GIVE_BACK, [sha256(name), stepOf(rate)]).catch(() => own.giveBack(name, rate));
    },

    clean,
    close: () => pool.end(),
  };
}

/** Microseconds that one attempt costs: whole ones, so that all attempts of a rate are its window to the last. */
function stepOf({ requests, windowMs }: Rate): number {
  return Math.max(1, Math.floor((windowMs * 1_000) / requests));
}
