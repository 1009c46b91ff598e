import type { ServerContext } from "@modelcontextprotocol/server";

/** How often clients that follow a call hear about it; most give up after a minute of silence. */
const EVERY_MS = 1_000;

/** Tells a client that asked for it that a call is still running, and for how many seconds. */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_MS / 1_000;
    const params = { progressToken, progress, message: "Still working" };
    // A client that has gone is told nothing, and the call continues.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
