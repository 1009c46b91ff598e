import { AppError } from "../core/errors.js";
import type { Clock, Job, JobHandler, JobStore, JobChoice, Log } from "../core/ports.js";
import { createId } from "../lib/ids.js";
import { sleep, yieldTurn } from "../lib/time.js";
import { type Bury, createJobStarter, type Run } from "./run.js";

export interface RunnerOptions {
  readonly jobs: JobStore;
  /** One handler per kind. A job of a kind without one is given up at once. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Concurrent jobs, 1 or more. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called before a job is given up, so that what it worked for can report it. Calling `bury` in the same transaction
   * gives the job up with it: nobody sees one without the other. May be called again for the same job. An error it
   * throws is logged and added to the reason.
   */
  readonly onDead?: (job: Job, reason: string, bury: Bury) => Promise<void>;
  /** Called whenever polling finds due jobs, but no room for them. */
  readonly onFull?: () => void;
  /** True when nothing else works on this store: jobs of a dead process are taken over at once. Default false. */
  readonly soleOwner?: boolean;
  /** Longest pause, in milliseconds, before polling for jobs that other processes have added. Default: half a lease. */
  readonly looksEveryMs?: number;
  /** How long a taken job is reserved without a renewal, in milliseconds. Default 60,000. */
  readonly leaseMs?: number;
  /** How long an aborted run may take to end, in milliseconds. Default 2,000. */
  readonly graceMs?: number;
  /** Time limit for handlers without one of their own, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number;
  /** From 0 up to but not including 1, for jitter; tests pass their own. */
  readonly random?: () => number;
}

export interface Runner {
  /** Starts taking jobs. May be called only once. */
  start(): Promise<void>;
  /** Polls for due jobs at once. Call it after the commit that wrote them; a needless call costs nothing. */
  wake(): void;
  /** As `wake`, but only if there is room: for jobs that another process has no room for. */
  offer(): void;
  /** Resolves when nothing is due or running, or the runner has stopped. Jobs that are due later do not count. */
  idle(): Promise<void>;
  /** Takes no more jobs, aborts the running ones, waits briefly and puts back unfinished ones. Never throws. */
  stop(): Promise<void>;
}

/** Shortest pause while due jobs are blocked by others, and between failures of the store. */
const PAUSE_MS = 250;

/** How long a job that was running when a process died runs alone. */
const ALONE_MS = 2_000;

/**
 * Processes durable jobs. Every job runs at least once; a handler that calls `finish` in its transaction takes effect
 * exactly once. A failing job or store never ends the loop.
 */
export function createRunner(options: RunnerOptions): Runner {
  return new JobRunner(options);
}

class JobRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #leaseMs: number;
  readonly #worker = createId();
  readonly #running = new Map<number, Run & { readonly kind: string }>();
  /** Concurrent jobs of the kinds with a limit of their own. */
  readonly #slots: ReadonlyMap<string, number>;
  readonly #run: (job: Job) => Run;
  #idleWaiters: (() => void)[] = [];
  #isWoken = false;
  #interrupt: (() => void) | undefined;
  #isStopping = false;
  #looping: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 60_000;
    this.#slots = new Map(
      Object.entries(options.handlers).flatMap(([kind, own]) => (own.slots ? [[kind, own.slots]] : [])),
    );
    this.#run = createJobStarter({
      ...options,
      worker: this.#worker,
      leaseMs: this.#leaseMs,
      isStopping: () => this.#isStopping,
      mayContinueWith: (kind) => !this.#slots.has(kind),
    });
  }

  async start(): Promise<void> {
    if (this.#looping || this.#isStopping) throw new Error("A runner can be started only once.");
    if (this.#options.soleOwner) await this.#takeOver();
    this.#looping = this.#options.soleOwner ? this.#runSuspects().then(() => this.#loop()) : this.#loop();
  }

  wake(): void {
    this.#isWoken = true;
    this.#interrupt?.();
  }

  offer(): void {
    if (!this.#isFull()) this.wake();
  }

  async idle(): Promise<void> {
    if (this.#isStopping) return;
    await new Promise<void>((resolve) => {
      this.#idleWaiters.push(resolve);
      this.wake();
    });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  #launch(job: Job): void {
    const started = { ...this.#run(job), kind: job.kind };
    this.#running.set(job.id, started);
    if (this.#isStopping) started.abort(stopReason());
    void started.ended.then(() => {
      this.#running.delete(job.id);
      this.wake();
    });
  }

  /** How many jobs of a kind with slots of its own are running, or of all other kinds. */
  #countRunning(kind?: string): number {
    const kinds = [...this.#running.values()].map((one) => (this.#slots.has(one.kind) ? one.kind : undefined));
    return kinds.filter((one) => one === kind).length;
  }

  #isFull(): boolean {
    return this.#countRunning() >= this.#options.concurrency;
  }

  #claim(limit: number, choice: JobChoice): Promise<Job[]> {
    const running = [...this.#running.keys()];
    return this.#options.jobs.claim(this.#worker, limit, this.#leaseMs, { ...choice, running });
  }

  async #takeUpTo(limit: number, kinds: JobChoice = { except: [] }): Promise<number> {
    const taken = limit > 0 ? await this.#claim(limit, kinds) : [];
    for (const job of taken) this.#launch(job);
    const [first] = taken;
    if (first && first.crashes > 0) await this.#leftAlone(first);
    return taken.length;
  }

  async #leftAlone({ id }: Job): Promise<void> {
    await Promise.race([this.#running.get(id)?.ended, sleep(ALONE_MS, { unref: true })]);
  }

  #choiceOf(kind: string): JobChoice {
    const mostOfGroup = this.#options.handlers[kind]?.slotsOfGroup;
    return { only: [kind], ...(mostOfGroup !== undefined && { mostOfGroup }) };
  }

  async #takeFree(): Promise<number> {
    if (this.#slots.size === 0) return this.#takeUpTo(this.#options.concurrency - this.#countRunning());
    let taken = await this.#takeUpTo(this.#options.concurrency - this.#countRunning(), {
      except: [...this.#slots.keys()],
    });
    for (const kind of await this.#options.jobs.dueKinds([...this.#slots.keys()]))
      taken += await this.#takeUpTo((this.#slots.get(kind) ?? 0) - this.#countRunning(kind), this.#choiceOf(kind));
    return taken;
  }

  async #loop(): Promise<void> {
    for (let failures = 0; !this.#isStopping;) {
      try {
        this.#isWoken = false;
        const taken = await this.#takeFree();
        failures = 0;
        if (taken === 0 || this.#isFull()) {
          await this.#pause();
          // Jobs that are committed together end together: claim replacements for all of them at once.
          await yieldTurn();
        }
      } catch (error) {
        failures += 1;
        this.#options.log.error("jobs could not be claimed", { error, failures });
        await this.#rest(Math.min(PAUSE_MS * 2 ** Math.min(failures - 1, 8), 30_000));
      }
    }
  }

  async #takeOver(): Promise<void> {
    try {
      const freed = await this.#options.jobs.reclaim();
      if (freed > 0) this.#options.log.info("jobs of a process that ended were taken over", { count: freed });
    } catch (error) {
      // A full disk must not keep the service from starting: the leases expire anyway.
      this.#options.log.error("jobs of a process that ended could not be taken over", { error });
    }
  }

  /**
   * Jobs that were running when the last process died go first, each alone for a while: if this process dies too, only
   * one of them was running. A job that freezes the process keeps others from starting anyway.
   */
  async #runSuspects(): Promise<void> {
    try {
      for (;;) {
        const [suspect] = this.#isStopping ? [] : await this.#claim(1, { crashed: true });
        if (!suspect) return;
        this.#launch(suspect);
        await this.#leftAlone(suspect);
      }
    } catch (error) {
      this.#options.log.error("jobs during which a process ended could not be claimed", { error });
    }
  }

  /** Waits until something may have changed: a wake-up, the end of a job, or the due time of the next one. */
  async #pause(): Promise<void> {
    if (this.#isWoken) return;
    // Kinds with a limit of their own may have room even if the others have none.
    if (this.#isFull() && this.#slots.size === 0 && !this.#options.onFull) return this.#rest(this.#leaseMs);
    const due = await this.#options.jobs.nextDue();
    const waitMs = due ? due.getTime() - this.#options.clock.now().getTime() : Number.POSITIVE_INFINITY;
    if (waitMs <= 0 && this.#isFull()) this.#options.onFull?.();
    if (this.#isWoken) return;
    if (this.#running.size === 0 && waitMs > 0) this.#releaseIdle();
    await this.#rest(Math.min(Math.max(waitMs, PAUSE_MS), this.#options.looksEveryMs ?? this.#leaseMs / 2));
  }

  async #rest(ms: number): Promise<void> {
    if (this.#isWoken || this.#isStopping) return;
    const controller = new AbortController();
    this.#interrupt = () => controller.abort();
    await sleep(ms, { signal: controller.signal }).catch(() => undefined);
    this.#interrupt = undefined;
  }

  #releaseIdle(): void {
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  async #shutDown(): Promise<void> {
    this.#isStopping = true;
    for (const one of this.#running.values()) one.abort(stopReason());
    this.wake();
    await this.#looping;
    await Promise.all([...this.#running.values()].map((one) => one.ended));
    this.#releaseIdle();
  }
}

function stopReason(): AppError {
  return new AppError("unavailable", "The service is stopping.");
}
