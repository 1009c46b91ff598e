import pg from "pg";
import type { WorkSignal } from "../../../core/ports.js";
import { createId } from "../../../lib/ids.js";
import { isDirect } from "./direct-connection.js";

const CHANNEL = "recollect_jobs";
/** There is no need to notify more often: a node that looks takes as many jobs as it has room for. */
const TELLS_EVERY_MS = 100;
const TRIES_AGAIN_MS = 2_000;
const CONNECTS_WITHIN_MS = 5_000;

export interface SharedWorkSignal extends WorkSignal {
  close(): Promise<void>;
}

/**
 * Notifications between nodes that share a database. They only save time: nodes also look for work by themselves, so a lost one
 * does no harm and is not reported.
 * @param pool sends them; listening has a connection of its own, which is reopened when it ends
 */
export function createWorkSignal(url: string, pool: Pick<pg.Pool, "query">): SharedWorkSignal {
  const own = createId();
  let client: pg.Client | undefined;
  let next: NodeJS.Timeout | undefined;
  let isClosed = false;
  let toldAt = -TELLS_EVERY_MS;

  async function connect(onTold: () => void): Promise<void> {
    const made = new pg.Client({
      connectionString: url,
      application_name: "recollect",
      connectionTimeoutMillis: CONNECTS_WITHIN_MS,
      keepAlive: true,
    });
    client = made;
    made.on("error", () => undefined);
    made.on("notification", ({ payload }) => {
      if (payload !== own) onTold();
    });
    made.once("end", () => tryAgain(onTold));
    try {
      await made.connect();
      if ((await isDirect(made)) && !isClosed) await made.query(`listen ${CHANNEL}`);
      else isClosed = true;
      if (isClosed) await made.end();
    } catch {
      await made.end().catch(() => undefined);
      tryAgain(onTold);
    }
  }

  function tryAgain(onTold: () => void): void {
    clearTimeout(next);
    if (isClosed) return;
    next = setTimeout(() => void connect(onTold), TRIES_AGAIN_MS);
    next.unref();
  }

  return {
    tell() {
      if (performance.now() - toldAt < TELLS_EVERY_MS) return;
      toldAt = performance.now();
      pool.query("select pg_notify($1, $2)", [CHANNEL, own]).catch(() => undefined);
    },

    listen: (onTold) => void connect(onTold),

    async close() {
      isClosed = true;
      clearTimeout(next);
      await client?.end().catch(() => undefined);
    },
  };
}
