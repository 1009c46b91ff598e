import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** The request that a bystander repeats. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Pause after a response. */
  readonly everyMs: number;
}

const HEALTH: Question = { method: "GET", path: "/health", everyMs: 2 };
const [SLOWEST, ANSWERED, FAILED] = [0, 1, 2];

/** Another caller who keeps sending a request, for health by default, and is not delayed by this test. */
export interface Bystander {
  /** Time of the slowest response, in ms, during some work and the first complete request after it. */
  during(work: () => Promise<unknown>): Promise<number>;
  /** Requests with no response or a bad one. */
  failed(): number;
  stop(): Promise<void>;
}

export function watchService(url: string, question = HEALTH): Bystander {
  const shared = new SharedArrayBuffer(12);
  const figures = new Int32Array(shared);
  const thread = new Worker(resolve(import.meta.dirname, "bystander.mjs"), {
    workerData: { url, question, shared },
  });
  /** Waits for a request begun before now, and for another one. */
  const answered = async (): Promise<void> => {
    const last = Atomics.load(figures, ANSWERED) + 2;
    while (Atomics.load(figures, ANSWERED) < last) await sleep(1);
  };
  return {
    async during(work) {
      Atomics.store(figures, SLOWEST, 0);
      await work();
      await answered();
      return Atomics.load(figures, SLOWEST);
    },
    failed: () => Atomics.load(figures, FAILED),
    async stop() {
      await thread.terminate();
    },
  };
}

/** The most memory that a process has ever used, in MB. */
export function peakMegabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.ceil(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
