import type { ServerContext } from "@modelcontextprotocol/server";

/** Clients that follow a call hear of it this often while it lasts; most give up after a minute without a word. */
const EVERY_MS = 1_000;

/** Tells a client that asked for it that a call still goes on: how many seconds it has taken. */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_MS / 1_000;
    const params = { progressToken, progress, message: "Still at work" };
    // A client that went away is told nothing, and the call goes on.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
