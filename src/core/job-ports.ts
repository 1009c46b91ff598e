import type { ZodType } from "zod";

/** A unit of background work. Written in the transaction of the change that needs it. */
export interface JobDraft {
  readonly kind: string;
  /** JSON; validated by the handler when the job is taken. */
  readonly payload: unknown;
  /** Groups take turns; usually a container tag. */
  readonly group: string;
  /** A second draft with the same key is dropped while the first is waiting or running. */
  readonly key?: string;
  /** True: never two jobs of this group and kind at once. */
  readonly exclusive?: boolean;
  /** Not before this moment. */
  readonly runAt?: Date;
  /** What it waits for until then, worded for people. */
  readonly reason?: string;
  readonly maxAttempts?: number;
}

export interface Job {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly group: string;
  readonly exclusive: boolean;
  /** 1 on the first run. A `RetryLater` does not count. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How many processes in a row died while running it. */
  readonly crashes: number;
  /** When it was due. A following step enqueued with the same moment goes before younger work of its group. */
  readonly runAt: Date;
}

/** What a handler knows about its run. */
export interface JobContext {
  readonly job: Job;
  /** Aborted when the service stops, the run takes too long, or the job was taken away. */
  readonly signal: AbortSignal;
  /**
   * Removes the job within the handler's own transaction, so that its effect and its end commit together; drafts of following
   * jobs belong in the same transaction. Optional: a job whose handler returns is removed anyway.
   * @throws AppError `conflict` when the job is no longer this run's; the transaction must then roll back
   */
  finish(jobs: JobStore): Promise<void>;
  /**
   * As `finish`, and queues another job: the same run continues with it immediately if it is due and nothing else may have to
   * go first.
   */
  follow(jobs: JobStore, draft: JobDraft): Promise<void>;
}

/**
 * Handles one kind of job. `run` may be called again for the same job (a crash, a retry) and must cope with that. It fails by
 * throwing: `RetryLater` or an AppError with `retryAfter` puts the job back without counting an attempt; an AppError that no
 * retry can fix (`invalid`, `not_found`, ...) ends the job at once; anything else is retried.
 */
export interface JobHandler<Payload = unknown> {
  /** Validates the payload whenever a job is taken; an invalid one is dead at once. */
  readonly schema: ZodType<Payload>;
  /** Longest run in milliseconds, default 10 minutes. */
  readonly timeoutMs?: number;
  /**
   * How many jobs of this kind run alongside all others instead of among them: for work that waits for a slow service, which
   * nothing else should have to wait for.
   */
  readonly slots?: number;
  /** How many of its slots the jobs of one group may occupy at once, leaving the others to other groups. All by default. */
  readonly slotsOfGroup?: number;
  /**
   * Each run continues where the last one stopped, and takes long enough to be killed occasionally: it is set aside once twenty
   * processes in a row have died while running it. Any other job is after two, or after five where processes share the work.
   */
  readonly resumes?: boolean;
  run(payload: Payload, context: JobContext): Promise<void>;
  /** Reports in a visible place that a job was given up, and why: it is then removed instead of being kept as dead. */
  giveUp?(payload: Payload, reason: string): Promise<void>;
}

export interface DeadJob {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly group: string;
  readonly reason: string;
}

/** Which jobs to take: by kind, with a maximum per group and kind at once, or those that a process died with. */
export type JobChoice = (
  | { readonly only: readonly string[]; readonly mostOfGroup?: number }
  | { readonly except: readonly string[] }
  | { readonly crashed: true }
) & {
  /** Jobs that the worker is still running: it keeps them even if it was suspended until their leases had expired. */
  readonly running?: readonly number[];
};

/** A job that was postponed, or scheduled for later, with the reason. */
export interface PutOffJob {
  readonly id: number;
  readonly runAt: Date;
  readonly reason: string;
}

/** A job that waits for its time or its turn. */
export interface WaitingJob {
  readonly id: number;
  readonly payload: unknown;
  /** How often it failed. */
  readonly attempt: number;
  readonly runAt: Date;
}

export interface KeyedJob {
  readonly id: number;
  readonly key: string;
}

export interface JobStore {
  enqueue(drafts: readonly JobDraft[]): Promise<void>;
  /**
   * Takes up to `limit` due jobs for `leaseMs`, oldest first, alternating between groups and starting with those that have the
   * fewest running. Expired leases count as due again, and as a crash if another worker had them. A job that a process died
   * with is taken before others, and alone. Of all kinds, unless `kinds` says which.
   */
  claim(worker: string, limit: number, leaseMs: number, kinds?: JobChoice): Promise<Job[]>;
  /** Which of these kinds have a job to take, or would have one if no other held it back. */
  dueKinds(kinds: readonly string[]): Promise<string[]>;
  /**
   * Extends the lease.
   * @returns false when the job is no longer this worker's
   */
  extend(worker: string, jobId: number, leaseMs: number): Promise<boolean>;
  /** Removes a finished job. @returns false when the job is no longer this worker's */
  complete(worker: string, jobId: number): Promise<boolean>;
  /**
   * Replaces a finished job with another one, taken by the same worker.
   * @returns null if a living job already has its key; "gone" when the finished one is no longer this worker's
   */
  replace(worker: string, jobId: number, draft: JobDraft, leaseMs: number): Promise<Job | null | "gone">;
  /**
   * Puts the job back for a later run, counting a failure or not; since it did not kill the process, its crash count is reset.
   */
  release(worker: string, jobId: number, options: { runAt: Date; failed: boolean; reason: string }): Promise<void>;
  /** Gives up: the job stays visible as dead. */
  bury(worker: string, jobId: number, reason: string): Promise<void>;
  /**
   * Frees every lease of dead workers, and counts a crash for each job instead of an attempt; only the sole owner of a store
   * may call it.
   */
  reclaim(): Promise<number>;
  /** Waiting jobs of one kind and group, due or not, oldest first. */
  waiting(kind: string, group: string): Promise<WaitingJob[]>;
  /** The waiting jobs with these keys, due or not. */
  waitingWith(keys: readonly string[]): Promise<readonly KeyedJob[]>;
  /** Postpones those of these jobs that are waiting; counts no failure. */
  hold(ids: readonly number[], runAt: Date, reason: string): Promise<void>;
  /**
   * Makes all jobs due that are scheduled after this time.
   * @returns how many
   */
  hastenAfter(latest: Date): Promise<number>;
  /** Makes all jobs of a kind due that are scheduled for later. */
  hasten(kind: string): Promise<void>;
  /** Removes those of these jobs that are waiting: their work is done. */
  drop(ids: readonly number[]): Promise<void>;
  /** When the next waiting job is due, or null. */
  nextDue(): Promise<Date | null>;
  counts(): Promise<{ waiting: number; running: number; dead: number; oldestWaitingSeconds: number }>;
  /** Number of jobs of a kind that wait or run. */
  countOf(kind: string): Promise<number>;
  dead(limit: number): Promise<DeadJob[]>;
  /** Number of dead jobs that died because of a document's source, such as a dead link: not the service's fault. */
  unreadable(): Promise<number>;
  /** Why the waiting job with this key was put back; null when it was not, or does not exist. */
  reasonOf(key: string): Promise<string | null>;
  /** The jobs with these keys that are scheduled for later and have a reason. */
  putOff(keys: readonly string[]): Promise<PutOffJob[]>;
  /**
   * Removes dead jobs whose key contains this subject between colons: it was repaired or is gone.
   * @returns how many
   */
  dropDead(subject: string): Promise<number>;
  /** Makes dead jobs due again, all or by id. @returns how many */
  revive(ids?: readonly number[]): Promise<number>;
  /** Last and next run of recurring work by name. */
  lastRun(name: string): Promise<Date | null>;
  setLastRun(name: string, at: Date): Promise<void>;
  /**
   * Records a run of recurring work shared by several processes, if the last one is still the one at `known`.
   * @returns false otherwise
   */
  takeRun(name: string, moments: { readonly known: Date; readonly at: Date }): Promise<boolean>;
}
