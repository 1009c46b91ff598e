import pg from "pg";
import { sha256 } from "../../../lib/crypto.js";
import { type Allowance, type AttemptCounter, createRateLimiter, type Rate } from "../../../lib/rate-limit.js";

/**
 * When each name will have all of its attempts back (`full_at`), by the server's clock, so that the clocks of the nodes need not
 * agree. Unlogged: after a server crash all counts start over. Half-filled pages leave room to update a row without touching its
 * index.
 */
export const ATTEMPTS_TABLE = `create unlogged table if not exists attempt_counts (
  name text primary key, full_at bigint not null, was_allowed boolean not null) with (fillfactor = 50)`;

/** In microseconds. Not `now()`: a statement that had to wait for another would count with a time that has passed. */
const NOW = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
/** When all attempts would have been allowed again before this one: no earlier than now, no later than one window from now. */
const BEFORE = `select clock.now, greatest(least(known.full_at, clock.now + $3), clock.now) as full_at
  from (select ${NOW} as now) as clock`;

/** Counts an attempt and returns whether it is allowed; waits only for others that count under the same name. */
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
/** If the server takes longer, the node counts for itself. */
const ANSWERS_WITHIN_MS = 1_000;
const CLEANS_EVERY_MS = 60_000;

export interface SharedAttempts extends AttemptCounter {
  take(name: string, rate: Rate, attempts?: number): Promise<Allowance>;
  giveBack(name: string, rate: Rate): Promise<void>;
  /** Removes counts that have run out. `take` calls it about once a minute. */
  clean(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Token buckets like those of `createRateLimiter`, shared by all nodes of a database, so that together they never exceed the
 * rate. Each attempt is one statement outside the record's transactions. While the server does not answer, each node counts for
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
    // Whatever is left now, the next call removes.
    await pool.query(CLEAN).catch(() => undefined);
  };

  return {
    async take(name, rate, attempts = 1) {
      if (performance.now() - cleanedAt > CLEANS_EVERY_MS) void clean();
      // What this node alone refuses, all together would too: a flood does not reach the server, and cannot make it too slow to count.
      const here = own.take(name, rate, attempts);
      if (!here.allowed) return here;
      const step = stepOf(rate);
      const [cost, window] = [step * attempts, step * rate.requests];
      try {
        const { rows } = await pool.query<{ allowed: boolean; ahead: string }>(TAKE, [sha256(name), cost, window]);
        const [row] = rows;
        if (row === undefined) throw new Error("The attempt was not counted.");
        if (!row.allowed) for (let given = 0; given < attempts; given += 1) own.giveBack(name, rate);
        const ahead = Math.max(0, Number(row.ahead));
        return {
          allowed: row.allowed,
          remaining: Math.floor((window - ahead) / step),
          // A refused caller always has to wait, even if the missing token has come back since.
          waitMs: row.allowed ? 0 : Math.max(1, ahead + Math.min(cost, window) - window) / 1_000,
          fullMs: ahead / 1_000,
        };
      } catch {
        return here;
      }
    },

    async giveBack(name, rate) {
      own.giveBack(name, rate);
      await pool.query(GIVE_BACK, [sha256(name), stepOf(rate)]).catch(() => undefined);
    },

    clean,
    close: () => pool.end(),
  };
}

/** Microseconds that one attempt costs: a whole number, so that the attempts of a rate add up to no more than its window. */
function stepOf({ requests, windowMs }: Rate): number {
  return Math.max(1, Math.floor((windowMs * 1_000) / requests));
}
