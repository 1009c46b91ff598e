import type { Actor } from "../core/types.js";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../lib/concurrency-limit.js";

/** Bodies up to this length are read at any time. */
const LARGE_BYTES = 4 * 1024 * 1024;
/** As long as the server waits for a whole request. */
const PATIENCE_MS = 300_000;

/** Does what a request asks for, when its turn has come. */
export type InTurn = <T>(actor: Pick<Actor, "name">, request: Request, work: () => Promise<T>) => Promise<T>;

interface Line {
  readonly limit: ConcurrencyLimit;
  /** Requests that wait in it, or have their turn. */
  requests: number;
}

/** Reads one large body of each key at a time: each costs several times its length in memory while it is worked on. */
export function createLargeRequests(): InTurn {
  const lines = new Map<string, Line>();
  return async ({ name }, request, work) => {
    if (!isLarge(request)) return work();
    const limit = (): ConcurrencyLimit => createConcurrencyLimit({ most: 1, patienceMs: PATIENCE_MS });
    const line = lines.get(name) ?? { limit: limit(), requests: 0 };
    lines.set(name, line);
    line.requests += 1;
    const leave = await line.limit.enter();
    try {
      return await work();
    } finally {
      leave();
      line.requests -= 1;
      if (line.requests === 0) lines.delete(name);
    }
  };
}

/** A sender who does not say how much there is may send any amount. */
function isLarge({ headers }: Request): boolean {
  return Number(headers.get("content-length")) > LARGE_BYTES || headers.has("transfer-encoding");
}
