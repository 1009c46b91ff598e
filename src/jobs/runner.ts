import { AppError } from "../core/errors.js";
import type { Clock, Job, JobHandler, JobStore, JobChoice, Log } from "../core/ports.js";
import { createId } from "../lib/ids.js";
import { sleep, yieldTurn } from "../lib/time.js";
import { type Bury, createRun, type Run } from "./run.js";

export interface RunnerOptions {
  readonly jobs: JobStore;
  /** One handler a kind. A job of a kind without one is dead at once. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Jobs at once, 1 or more. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called before a job is given up, so that what it worked for can say so. Who calls `bury` in the transaction in which it
   * does gives the job up with it: nobody sees one without the other. May be called again for the same job. An error it
   * throws is logged and joins the reason.
   */
  readonly onDead?: (job: Job, reason: string, bury: Bury) => Promise<void>;
  /** True when nobody else works on this store: jobs of a process that died are taken over at once. Default false. */
  readonly soleOwner?: boolean;
  /** Longest pause, in milliseconds, before a look for jobs that other processes have added. Default: half a lease. */
  readonly looksEveryMs?: number;
  /** How long a taken job is safe without a sign of life, in milliseconds. Default 60,000. */
  readonly leaseMs?: number;
  /** How long an aborted run may take to end, in milliseconds. Default 2,000. */
  readonly graceMs?: number;
  /** Longest run of a handler that names none, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number;
  /** 0 up to 1, for jitter; a test passes its own. */
  readonly random?: () => number;
}

export interface Runner {
  /** Begins to take jobs. Once only. */
  start(): Promise<void>;
  /** Looks for due jobs at once. Call it after the commit that wrote them; costs nothing when it was needless. */
  wake(): void;
  /** True when jobs of the usual kinds would have to wait here. */
  isFull(): boolean;
  /** Resolves when nothing is due and nothing runs, or the runner has stopped. Jobs that wait for a later time do not count. */
  idle(): Promise<void>;
  /** Takes no more jobs, aborts the running ones, waits briefly and puts back what did not finish. Never throws. */
  stop(): Promise<void>;
}

/** Shortest pause while due jobs are blocked by others, and between failures of the store. */
const PAUSE_MS = 250;

/** So long a job that a process died with runs without another one beside it. */
const ALONE_MS = 2_000;

/**
 * Works off durable jobs. Every job runs at least once; a handler that calls `finish` in its transaction has its
 * effect exactly once. A failing job or store never ends the loop.
 */
export function createRunner(options: RunnerOptions): Runner {
  const { jobs, clock, log, concurrency } = options;
  const leaseMs = options.leaseMs ?? 60_000;
  const worker = createId();
  const running = new Map<number, Run & { readonly kind: string }>();
  const slots = new Map(
    Object.entries(options.handlers).flatMap(([kind, own]) => (own.slots ? [[kind, own.slots]] : [])),
  );
  let idleWaiters: (() => void)[] = [];
  let isWoken = false;
  let interrupt: (() => void) | undefined;
  let isStopping = false;
  let looping: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const run = createRun({
    ...options,
    worker,
    leaseMs,
    isStopping: () => isStopping,
    mayGoOnWith: (kind) => !slots.has(kind),
  });

  function wake(): void {
    isWoken = true;
    interrupt?.();
  }

  function launch(job: Job): void {
    // Its lease ran out while it is still being worked on here; the claim has just renewed it.
    if (running.has(job.id)) return;
    const started = { ...run(job), kind: job.kind };
    running.set(job.id, started);
    if (isStopping) started.abort(stopReason());
    void started.ended.then(() => {
      running.delete(job.id);
      wake();
    });
  }

  /** How many jobs of a kind with slots of its own run, or of all other kinds. */
  function countRunning(kind?: string): number {
    const kinds = [...running.values()].map((one) => (slots.has(one.kind) ? one.kind : undefined));
    return kinds.filter((one) => one === kind).length;
  }

  function isFull(): boolean {
    return countRunning() >= concurrency;
  }

  async function takeUpTo(limit: number, kinds?: JobChoice): Promise<number> {
    const taken = limit > 0 ? await jobs.claim(worker, limit, leaseMs, kinds) : [];
    for (const job of taken) launch(job);
    const [first] = taken;
    if (first && first.crashes > 0) await leftAlone(first);
    return taken.length;
  }

  async function leftAlone({ id }: Job): Promise<void> {
    await Promise.race([running.get(id)?.ended, sleep(ALONE_MS, { unref: true })]);
  }

  function choiceOf(kind: string): JobChoice {
    const mostOfGroup = options.handlers[kind]?.slotsOfGroup;
    return { only: [kind], ...(mostOfGroup !== undefined && { mostOfGroup }) };
  }

  async function takeFree(): Promise<number> {
    if (slots.size === 0) return takeUpTo(concurrency - countRunning());
    let taken = await takeUpTo(concurrency - countRunning(), { except: [...slots.keys()] });
    for (const kind of await jobs.dueKinds([...slots.keys()]))
      taken += await takeUpTo((slots.get(kind) ?? 0) - countRunning(kind), choiceOf(kind));
    return taken;
  }

  async function loop(): Promise<void> {
    for (let failures = 0; !isStopping;) {
      try {
        isWoken = false;
        const taken = await takeFree();
        failures = 0;
        if (taken === 0 || isFull()) {
          await pause();
          // What is committed together ends together: one claim for all the places that become free in this turn.
          await yieldTurn();
        }
      } catch (error) {
        failures += 1;
        log.error("jobs.loop_failed", { error, failures });
        await rest(Math.min(PAUSE_MS * 2 ** Math.min(failures - 1, 8), 30_000));
      }
    }
  }

  async function takeOver(): Promise<void> {
    try {
      const freed = await jobs.reclaim();
      if (freed > 0) log.info("jobs.taken_over", { count: freed });
    } catch (error) {
      // A full disk must not keep the service from starting: their leases run out.
      log.error("jobs.not_taken_over", { error });
    }
  }

  /**
   * Jobs that the last process died with go first, each alone for a while: if this one dies too, only one of them was running.
   * What freezes the process keeps others from beginning beside it in any case.
   */
  async function runSuspects(): Promise<void> {
    try {
      for (;;) {
        const [suspect] = isStopping ? [] : await jobs.claim(worker, 1, leaseMs, { crashed: true });
        if (!suspect) return;
        launch(suspect);
        await leftAlone(suspect);
      }
    } catch (error) {
      log.error("jobs.suspects_not_taken", { error });
    }
  }

  /** Waits until something may have changed: a wake-up, the end of a job, or the time of the next one. */
  async function pause(): Promise<void> {
    if (isWoken) return;
    // What has slots of its own begins beside those that run.
    if (isFull() && slots.size === 0) return rest(leaseMs);
    const due = await jobs.nextDue();
    const waitMs = due ? due.getTime() - clock.now().getTime() : Number.POSITIVE_INFINITY;
    if (isWoken) return;
    if (running.size === 0 && waitMs > 0) releaseIdle();
    await rest(Math.min(Math.max(waitMs, PAUSE_MS), options.looksEveryMs ?? leaseMs / 2));
  }

  async function rest(ms: number): Promise<void> {
    if (isWoken || isStopping) return;
    const controller = new AbortController();
    interrupt = () => controller.abort();
    await sleep(ms, { signal: controller.signal }).catch(() => undefined);
    interrupt = undefined;
  }

  function releaseIdle(): void {
    const waiters = idleWaiters;
    idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  async function shutDown(): Promise<void> {
    isStopping = true;
    for (const one of running.values()) one.abort(stopReason());
    wake();
    await looping;
    await Promise.all([...running.values()].map((one) => one.ended));
    releaseIdle();
  }

  return {
    async start() {
      if (looping || isStopping) throw new Error("A runner is started once.");
      if (options.soleOwner) await takeOver();
      looping = options.soleOwner ? runSuspects().then(loop) : loop();
    },
    wake,
    isFull: () => isStopping || isFull(),
    async idle() {
      if (isStopping) return;
      await new Promise<void>((resolve) => {
        idleWaiters.push(resolve);
        wake();
      });
    },
    stop() {
      stopped ??= shutDown();
      return stopped;
    },
  };
}

function stopReason(): AppError {
  return new AppError("unavailable", "The service is stopping.");
}
