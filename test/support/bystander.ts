import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** What a bystander asks, again and again. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it waits after an answer. */
  readonly everyMs: number;
}

const HEALTH: Question = { method: "GET", path: "/health", everyMs: 2 };
const [SLOWEST, ANSWERED, FAILED] = [0, 1, 2];

/** Somebody else who asks a service something all the time, for its health by default, and is not held up by this test. */
export interface Bystander {
  /** How long the slowest answer took, in ms, during some work and the first whole question after it. */
  during(work: () => Promise<unknown>): Promise<number>;
  /** Questions that had no answer, or a bad one. */
  failed(): number;
  stop(): Promise<void>;
}

export function watchService(url: string, question = HEALTH): Bystander {
  const shared = new SharedArrayBuffer(12);
  const figures = new Int32Array(shared);
  const thread = new Worker(resolve(import.meta.dirname, "bystander.mjs"), {
    workerData: { url, question, shared },
  });
  /** A question that began before now is answered, and another one. */
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

/** The most memory that a process has ever held, in MB. */
export function peakMegabytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.ceil(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
