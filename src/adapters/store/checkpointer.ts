import { Worker } from "node:worker_threads";
import { sqliteModule } from "../../lib/sqlite.js";
import { CHECKPOINT_PROGRAM } from "./checkpoint-program.js";
import type { LogFile } from "./log-file.js";

/** Log size, in bytes, from which the log is moved into the file. */
const LARGE_LOG = 16 * 1024 * 1024;
/** Log size, in pages, at which the writer does it itself, in the middle of a commit, because nobody else has. */
export const LARGEST_LOG_PAGES = 16_384;
/** Milliseconds between checks of the log. */
const LOOK_EVERY_MS = 250;
/** Idle milliseconds after which the thread ends. */
const REST_MS = 5_000;

/** Keeps the log short while the store is written to. */
export interface Checkpointer {
  /** Call after a commit. Never throws. */
  look(): void;
  close(): Promise<void>;
}

/**
 * Moves the log into the file in a thread of its own, because that waits for the disk for tens of milliseconds. Writers wait
 * only for the final part, readers never. The thread lives only while there is much to do.
 */
export function createCheckpointer(file: string, log: LogFile): Checkpointer {
  let thread: Worker | undefined;
  let resting: NodeJS.Timeout | undefined;
  let isBusy = false;
  let lookedAt = -Infinity;

  function start(): Worker {
    const worker = new Worker(CHECKPOINT_PROGRAM, { eval: true, workerData: { file, module: sqliteModule() } });
    worker.unref();
    worker.on("message", () => rest(worker));
    // The writer still shortens the log, only less smoothly.
    worker.on("error", () => forget(worker));
    worker.on("exit", () => forget(worker));
    return worker;
  }

  function forget(worker: Worker): void {
    if (thread !== worker) return;
    thread = undefined;
    isBusy = false;
  }

  function rest(worker: Worker): void {
    isBusy = false;
    resting = setTimeout(() => void end(worker), REST_MS).unref();
  }

  async function end(worker: Worker | undefined): Promise<void> {
    clearTimeout(resting);
    if (!worker || thread !== worker) return;
    forget(worker);
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage("close");
    await ended;
  }

  function shorten(): void {
    if (log.size() < LARGE_LOG) return;
    clearTimeout(resting);
    isBusy = true;
    thread ??= start();
    thread.postMessage("checkpoint");
  }

  return {
    look() {
      const now = performance.now();
      if (isBusy || now - lookedAt < LOOK_EVERY_MS) return;
      lookedAt = now;
      try {
        shorten();
      } catch {
        // The writer still shortens the log, only less smoothly.
        isBusy = false;
      }
    },

    close: () => end(thread),
  };
}
