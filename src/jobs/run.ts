import { AppError, RetryLater } from "../core/errors.js";
import type { Clock, Job, JobContext, JobDraft, JobHandler, JobStore, Log } from "../core/ports.js";
import { createId } from "../lib/ids.js";
import { retry } from "../lib/retry.js";
import { sleep } from "../lib/time.js";
import { traced } from "../lib/traces.js";
import { type AttemptEnd, JobAttempt } from "./attempt.js";
import { decideOutcome } from "./verdict.js";
import { count } from "../lib/count.js";

/** Gives a job up, within a transaction or in one of its own. */
export type Bury = (jobs: JobStore) => Promise<void>;

/** An abort without a reason creates an exception with a stack, for every job. */
const SETTLED = "settled";

/** A job that was running when this many processes died is held responsible. */
const MOST_CRASHES = 2;
/** Processes that share the work may also be cut off from the store, stopped from outside, or die from another job. */
const MOST_CRASHES_AMONG_OTHERS = 5;
/** Between two attempts to write how a job ended. */
const OUTCOME_AGAIN = { baseMs: 500, maximumMs: 500 };
/** For a job that continues where it stopped. */
const MOST_RESUMED = 20;

export interface RunOptions {
  readonly jobs: JobStore;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDead?: (job: Job, reason: string, bury: Bury) => Promise<void>;
  readonly worker: string;
  readonly leaseMs: number;
  readonly graceMs?: number;
  readonly timeoutMs?: number;
  readonly random?: () => number;
  readonly soleOwner?: boolean;
  readonly isStopping: () => boolean;
  /** Whether a run may continue with a job of this kind; otherwise it has to wait for its turn. */
  readonly mayContinueWith: (kind: string) => boolean;
}

/** One running job. */
export interface Run {
  abort(reason: Error): void;
  /** Resolves when the outcome is written, or the run was abandoned; never rejects. */
  readonly ended: Promise<void>;
}

/** The function that starts a claimed job and makes sure that its outcome is stored, whatever happens. */
export function createJobStarter(options: RunOptions): (job: Job) => Run {
  const conductor = new JobConductor(options);
  return (job) => {
    const controller = new AbortController();
    return { abort: (reason) => controller.abort(reason), ended: conductor.conductAll(job, controller) };
  };
}

class JobConductor {
  readonly #options: RunOptions;
  readonly #postponements = new Map<number, number>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async conductAll(first: Job, controller: AbortController): Promise<void> {
    for (let next: Job | null = first; next;) {
      const job: Job = next;
      next = await this.#conduct(job, controller).catch((error: unknown) => this.#reportLost(job, error));
    }
  }

  /** @returns the job that the same run is to continue with */
  async #conduct(job: Job, controller: AbortController): Promise<Job | null> {
    const started = performance.now();
    const keepAlive = setInterval(() => void this.#prolong(job, controller), this.#options.leaseMs / 3);
    try {
      const { isFinished, next } = await this.#attempt(job, controller);
      // A handler may return early when aborted. Running it again is harmless, dropping the rest is not.
      if (!isFinished) controller.signal.throwIfAborted();
      if (!isFinished && !(await this.#options.jobs.complete(this.#options.worker, job.id)))
        this.#options.log.warn("a job was taken over by another process", describe(job));
      this.#postponements.delete(job.id);
      this.#options.log.debug("a job is done", { ...describe(job), ms: Math.round(performance.now() - started) });
      return next;
    } catch (error) {
      await this.#settle(job, error, controller.signal);
      return null;
    } finally {
      clearInterval(keepAlive);
    }
  }

  #handlerOf({ kind }: Job): JobHandler | undefined {
    return Object.hasOwn(this.#options.handlers, kind) ? this.#options.handlers[kind] : undefined;
  }

  #mostCrashes({ resumes }: JobHandler): number {
    if (resumes) return MOST_RESUMED;
    return this.#options.soleOwner ? MOST_CRASHES : MOST_CRASHES_AMONG_OTHERS;
  }

  async #attempt(job: Job, controller: AbortController): Promise<AttemptEnd> {
    const { handler, payload } = this.#accept(job);
    const attempt = new JobAttempt(job, {
      worker: this.#options.worker,
      leaseMs: this.#options.leaseMs,
      isNext: (draft) => this.#isNext(draft),
    });
    const context: JobContext = { job, signal: controller.signal, finish: attempt.finish, follow: attempt.follow };
    try {
      const facts = { "recollect.job.id": job.id, "recollect.job.attempt": job.attempt };
      const work = traced({ name: `job ${job.kind}`, kind: "consumer", facts }, () => handler.run(payload, context));
      await this.#withinTime(work, job, controller, handler.timeoutMs);
      return attempt.result;
    } finally {
      attempt.end();
    }
  }

  /** @throws AppError `invalid` for a job that must not run */
  #accept(job: Job): { readonly handler: JobHandler; readonly payload: unknown } {
    const handler = this.#handlerOf(job);
    if (!handler)
      throw new AppError(
        "invalid",
        `This version does not handle jobs of the kind "${job.kind}"; another version created this one.`,
      );
    if (job.crashes >= this.#mostCrashes(handler)) throw setAside(job.crashes, handler);
    if (job.attempt > job.maxAttempts) throw outOfAttempts(job.maxAttempts);
    const payload = handler.schema.safeParse(job.payload);
    if (!payload.success) {
      const reason = `The payload of the job does not match "${job.kind}": ${firstIssue(payload.error)}`;
      throw new AppError("invalid", reason, { cause: payload.error });
    }
    return { handler, payload: payload.data };
  }

  #isNext({ kind, exclusive, runAt }: JobDraft): boolean {
    const isDue = runAt === undefined || runAt <= this.#options.clock.now();
    return isDue && !exclusive && !this.#options.isStopping() && this.#options.mayContinueWith(kind);
  }

  /** Waits for a run, after an abort only for the grace period: a handler that ignores its signal must not block a slot. */
  async #withinTime(work: Promise<void>, job: Job, controller: AbortController, ownLimit?: number) {
    const limitMs = ownLimit ?? this.#options.timeoutMs ?? 600_000;
    const { signal } = controller;
    const settled = new AbortController();
    const late = setTimeout(() => {
      const text = `The step "${job.kind}" took longer than ${count(Math.ceil(limitMs / 1000), "second")}.`;
      controller.abort(new AppError("unavailable", text));
    }, limitMs);
    const leftBehind = new Promise<never>((_, reject) => {
      const giveUp = (): void => {
        sleep(this.#options.graceMs ?? 2_000, { signal: settled.signal }).then(
          () => reject(signal.reason),
          () => undefined,
        );
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
    try {
      await Promise.race([work, leftBehind]);
    } finally {
      clearTimeout(late);
      settled.abort(SETTLED);
    }
  }

  async #prolong(job: Job, controller: AbortController): Promise<void> {
    try {
      if (await this.#options.jobs.extend(this.#options.worker, job.id, this.#options.leaseMs)) return;
      controller.abort(new AppError("conflict", `The job "${job.kind}" (${job.id}) was taken over.`));
    } catch (error) {
      this.#options.log.warn("the lease of a job could not be extended", { ...describe(job), error });
    }
  }

  async #settle(job: Job, thrown: unknown, signal: AbortSignal): Promise<void> {
    // What a handler throws after an abort is only a consequence of it.
    const error: unknown = signal.aborted ? signal.reason : thrown;
    const now = this.#options.clock.now().getTime();
    if (signal.aborted && this.#options.isStopping()) {
      await this.#options.jobs.release(this.#options.worker, job.id, {
        runAt: job.runAt,
        failed: false,
        reason: "The service stopped.",
      });
      return;
    }
    const errorId = createId();
    if (error instanceof RetryLater && error.isFurther) this.#postponements.delete(job.id);
    const verdict = decideOutcome(error, job, {
      postponements: this.#postponements.get(job.id) ?? 0,
      errorId,
      random: this.#options.random,
    });
    const fields = { ...describe(job), reason: verdict.reason };
    if (verdict.action === "bury") {
      // The reason says it all, e.g. that a file is damaged.
      if (error instanceof AppError && error.kind !== "unavailable")
        this.#options.log.info("a job was given up", fields);
      else this.#options.log.error("a job was given up", { ...fields, errorId, error });
      await this.#writePatiently(() => this.#bury(job, verdict.reason));
      return;
    }
    const isPostponed = verdict.action === "postpone";
    if (isPostponed) this.#postponements.set(job.id, (this.#postponements.get(job.id) ?? 0) + 1);
    // Waiting for a turn needs no attention, an unavailable service does.
    const level = error instanceof AppError ? "warn" : "info";
    if (isPostponed) this.#options.log[level]("a job was postponed", { ...fields, waitMs: verdict.waitMs });
    else
      this.#options.log.warn("a job failed and will be retried", { ...fields, waitMs: verdict.waitMs, errorId, error });
    const runAt = new Date(now + verdict.waitMs);
    const release = { runAt, failed: !isPostponed, reason: verdict.reason };
    await this.#writePatiently(() => this.#options.jobs.release(this.#options.worker, job.id, release));
  }

  /**
   * Writes an outcome again while the store is away, for as long as the job is still held: once its lease has expired, the job
   * counts as one that ended its process.
   */
  #writePatiently(write: () => Promise<void>): Promise<void> {
    const until = performance.now() + this.#options.leaseMs;
    const judge = (error: unknown): boolean =>
      isUnavailable(error) && performance.now() <= until && !this.#options.isStopping();
    return retry(write, { ...OUTCOME_AGAIN, attempts: Number.POSITIVE_INFINITY, judge });
  }

  async #bury(job: Job, reason: string): Promise<void> {
    this.#postponements.delete(job.id);
    if (await this.#reportByHandler(job, reason)) return;
    let told = reason;
    let isBuried = false;
    try {
      await this.#options.onDead?.(job, reason, async (transaction) => {
        await transaction.bury(this.#options.worker, job.id, reason);
        isBuried = true;
      });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#options.log.error("the failure of a job could not be reported", { ...describe(job), error });
      told = `${reason} (The failure could not be recorded where it belongs; the log has the details.)`;
      isBuried = false;
    }
    if (!isBuried) await this.#options.jobs.bury(this.#options.worker, job.id, told);
  }

  async #reportByHandler(job: Job, reason: string): Promise<boolean> {
    const handler = this.#handlerOf(job);
    const payload = handler?.schema.safeParse(job.payload);
    if (!handler?.giveUp || payload?.success !== true) return false;
    try {
      await handler.giveUp(payload.data, reason);
      return await this.#options.jobs.complete(this.#options.worker, job.id);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#options.log.error("the failure of a job could not be reported", { ...describe(job), error });
      return false;
    }
  }

  /** Even the outcome could not be stored. The lease expires and the job is taken again. */
  #reportLost(job: Job, error: unknown): null {
    this.#options.log.error("the outcome of a job could not be written", { ...describe(job), error });
    return null;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.kind === "unavailable";
}

function setAside(times: number, handler: JobHandler): AppError {
  const reason = `The process ended in the middle of this step ${count(times, "time")}, so it was set aside: its content may be the cause. Nothing was lost.`;
  return new AppError("invalid", handler.giveUp ? reason : `${reason} To try again, reprocess the document.`);
}

/** Its last run ended, and how it ended could not be written. */
function outOfAttempts(attempts: number): AppError {
  return new AppError(
    "invalid",
    `This step was begun ${count(attempts, "time")} without a result that could be stored.`,
  );
}

function describe(job: Job): Record<string, unknown> {
  return { job: job.id, kind: job.kind, group: job.group, attempt: job.attempt };
}

function firstIssue(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  if (!issue) return "unknown";
  const place = issue.path.map(String).join(".");
  return place === "" ? issue.message : `${place}: ${issue.message}`;
}
