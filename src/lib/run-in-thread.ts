import { Worker } from "node:worker_threads";

/**
 * Runs a program, given as text, in its own thread until it posts its single message.
 * @throws what the thread threw, an error when it ended without a message, and the signal's reason once the thread was
 * stopped
 */
export async function runInThread(
  program: string,
  workerData: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<object | null> {
  signal?.throwIfAborted();
  const worker = new Worker(program, { eval: true, workerData });
  const stop = (): void => void worker.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<object | null>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("A thread ended without a result.")));
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
