import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type DotKernel, type KernelMemory, kernelModule } from "./dot-kernel.js";
import { SCAN_PROGRAM, scorePart, type SharedScore } from "./scan-program.js";

/** Computed here in a millisecond. To wake a thread takes a tenth of one, of the processor's time too. */
const LEAST_BYTES = 8 * 1024 * 1024;
/** Milliseconds without work after which the thread ends. */
const REST_MS = 30_000;
/** It has next to nothing of its own: what it works on is shared. */
const RESOURCES = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };

/** Where to compute, and what with. */
interface Kernel {
  readonly memory: KernelMemory;
  readonly score: DotKernel;
}

/**
 * A thread that computes sums of products beside the event loop, which lends a hand when it has nothing else to do. It starts
 * when it is first asked, and ends when it rests.
 */
export class ScanThread {
  /** Less than that is better computed by who would ask. */
  readonly leastBytes: number;
  #worker: Worker | undefined;
  #isReady = false;
  #resting: NodeJS.Timeout | undefined;
  #places = new Map<KernelMemory, number>();
  #nextPlace = 0;
  #nextNumber = 0;
  /** Whom to tell, by number, whether the sums are there. */
  readonly #waiting = new Map<number, (isDone: boolean) => void>();

  constructor(leastBytes = LEAST_BYTES) {
    this.leastBytes = leastBytes;
  }

  /** Starts the thread where it can be started. @returns whether `score` would be heard now */
  wake(): boolean {
    if (this.#worker === undefined && availableParallelism() > 1 && kernelModule() !== null)
      this.#worker = this.#start();
    return this.#isReady;
  }

  /** Computes the sums. @returns false when the thread ended before */
  score(kernel: Kernel, shared: SharedScore): Promise<boolean> {
    const worker = this.#worker;
    if (worker === undefined || !this.#isReady) return Promise.resolve(false);
    clearTimeout(this.#resting);
    worker.ref();
    const number = this.#nextNumber++;
    worker.postMessage({ place: this.#placeOf(worker, kernel.memory), number, shared });
    const isDone = new Promise<boolean>((resolve) => this.#waiting.set(number, resolve));
    void this.#help(kernel, shared, number);
    return isDone;
  }

  /** One part each turn of the event loop, so that nothing waits for longer than that takes. */
  async #help({ memory, score }: Kernel, shared: SharedScore, number: number): Promise<void> {
    do await nextTurn();
    while (this.#waiting.has(number) && scorePart(memory, score, shared));
  }

  /** Lets go of a memory that is not used any more. */
  forget(memory: KernelMemory): void {
    const place = this.#places.get(memory);
    if (place === undefined) return;
    this.#places.delete(memory);
    this.#worker?.postMessage({ place, memory: null });
  }

  /** Ends the thread; scores under way are not done. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#lose(worker);
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(SCAN_PROGRAM, {
      eval: true,
      workerData: { module: kernelModule() },
      resourceLimits: RESOURCES,
      execArgv: [],
    });
    worker.unref();
    worker.on("message", (message: number | "ready") => {
      if (message === "ready") this.#isReady = true;
      else this.#settle(message);
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    // What it was asked for is then computed where it was asked.
    worker.on("error", () => this.#lose(worker));
    worker.on("exit", () => this.#lose(worker));
    return worker;
  }

  #settle(number: number): void {
    this.#waiting.get(number)?.(true);
    this.#waiting.delete(number);
  }

  /** Nothing that rests keeps the process. */
  #rest(worker: Worker): void {
    worker.unref();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => void this.close(), REST_MS).unref();
  }

  #placeOf(worker: Worker, memory: KernelMemory): number {
    const known = this.#places.get(memory);
    if (known !== undefined) return known;
    const place = this.#nextPlace++;
    this.#places.set(memory, place);
    worker.postMessage({ place, memory });
    return place;
  }

  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    clearTimeout(this.#resting);
    this.#worker = undefined;
    this.#isReady = false;
    this.#places = new Map();
    for (const tell of this.#waiting.values()) tell(false);
    this.#waiting.clear();
  }
}
