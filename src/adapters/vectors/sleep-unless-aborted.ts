import { sleep } from "../../lib/time.js";

/** Waits without keeping the process alive; returns early, without an error, when the signal aborts. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, { signal, unref: true }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
