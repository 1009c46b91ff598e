import { type ConcurrencyLimit, createConcurrencyLimit } from "./concurrency-limit.js";

/** Bodies up to this length are read at any time. */
const LARGE_BYTES = 4 * 1024 * 1024;
/** As long as the server waits for a whole request. */
const PATIENCE_MS = 300_000;

/** Does what a request of a sender asks for, when its turn has come. */
export type InTurn = <T>(sender: string, request: Request, work: () => Promise<T>) => Promise<T>;

interface Line {
  readonly limit: ConcurrencyLimit;
  /** Requests that wait in it, or have their turn. */
  requests: number;
}

/** Lets each sender have one large request at a time: each costs several times its length in memory while it is worked on. */
export function createLargeRequests(): InTurn {
  const lines = new Map<string, Line>();
  return async (sender, request, work) => {
    if (!isLarge(request)) return work();
    const limit = (): ConcurrencyLimit => createConcurrencyLimit({ most: 1, patienceMs: PATIENCE_MS });
    const line = lines.get(sender) ?? { limit: limit(), requests: 0 };
    lines.set(sender, line);
    line.requests += 1;
    const leave = await line.limit.enter();
    try {
      return await work();
    } finally {
      leave();
      line.requests -= 1;
      if (line.requests === 0) lines.delete(sender);
    }
  };
}

/** A sender who does not say how much there is may send any amount. */
function isLarge({ headers }: Request): boolean {
  return Number(headers.get("content-length")) > LARGE_BYTES || headers.has("transfer-encoding");
}
