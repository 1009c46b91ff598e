import { AppError } from "../core/errors.js";
import type { Job, JobDraft, JobStore } from "../core/ports.js";

export interface AttemptOptions {
  readonly worker: string;
  readonly leaseMs: number;
  /** Whether the same run may continue with a job. */
  readonly isNext: (draft: JobDraft) => boolean;
}

export interface AttemptEnd {
  /** True when the handler removed the job itself. */
  readonly isFinished: boolean;
  /** The job that the same run is to continue with. */
  readonly next: Job | null;
}

/** One attempt at a job: what its handler may do with the job in its own transactions, for as long as the attempt lasts. */
export class JobAttempt {
  readonly #job: Job;
  readonly #options: AttemptOptions;
  #isFinished = false;
  #hasEnded = false;
  #next: Job | null = null;

  constructor(job: Job, options: AttemptOptions) {
    this.#job = job;
    this.#options = options;
  }

  get result(): AttemptEnd {
    return { isFinished: this.#isFinished, next: this.#next };
  }

  /** From now on the handler, if it is still running, can no longer change the job. */
  end(): void {
    this.#hasEnded = true;
  }

  /** As `JobContext.finish`. */
  readonly finish = async (transaction: JobStore): Promise<void> => {
    if (this.#hasEnded || !(await transaction.complete(this.#options.worker, this.#job.id))) throw this.#notOurs();
    this.#isFinished = true;
  };

  /** As `JobContext.follow`. */
  readonly follow = async (transaction: JobStore, draft: JobDraft): Promise<void> => {
    const { worker, leaseMs, isNext } = this.#options;
    if (!isNext(draft)) {
      await this.finish(transaction);
      return transaction.enqueue([draft]);
    }
    const taken = this.#hasEnded ? "gone" : await transaction.replace(worker, this.#job.id, draft, leaseMs);
    if (taken === "gone") throw this.#notOurs();
    this.#isFinished = true;
    this.#next = taken;
  };

  #notOurs(): AppError {
    return new AppError("conflict", `The job "${this.#job.kind}" (${this.#job.id}) no longer belongs to this run.`);
  }
}
