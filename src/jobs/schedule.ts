import { Cron } from "croner";
import type { Clock, JobStore, Log } from "../core/ports.js";

export interface ScheduleOptions {
  /** Stores the last runs, so that a restart neither repeats nor forgets one. */
  readonly runs: Pick<JobStore, "lastRun" | "setLastRun" | "takeRun">;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * True when other processes have the same work: each run belongs to one process, and is recorded when it starts.
   * Default false.
   */
  readonly isShared?: boolean;
  /** From 0 up to but not including 1, for jitter; tests pass their own. */
  readonly random?: () => number;
}

/** What recurring work applies to: the shared store, or the memory of each process. */
type Subject = "record" | "process";

/** A cron pattern (five or six fields, local time), or an interval. */
type Recurrence = string | { readonly minutes: number };

export interface Schedule {
  /**
   * Adds recurring work under a name that stays the same across versions. Call it before `start`.
   * @param subject work for the process is done by each of those that share a store. Default `record`
   * @throws when the cron pattern is invalid, or the name is taken
   */
  every(name: string, recurrence: Recurrence, run: (signal: AbortSignal) => Promise<void>, subject?: Subject): void;
  /** Reads the last runs and starts. Work missed while the service was off runs once. */
  start(): Promise<void>;
  /** Runs what is due and waits for everything that is running. Timers call it too; a needless call is harmless. Never throws. */
  check(): Promise<void>;
  /** Aborts what is running and waits for it to end. */
  stop(): Promise<void>;
}

interface Entry {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly following: (last: Date) => Date | null;
  readonly jitterMs: number;
  readonly isShared: boolean;
  last: Date;
  due: Date | null;
  running: Promise<void> | undefined;
}

/** Clocks of machines differ a little. A last run further in the future comes from a clock that was wrong. */
const LARGEST_SKEW_MS = 60_000;
/** Clocks jump and machines sleep, so no timer is trusted for longer. */
const LONGEST_TIMER_MS = 15 * 60_000;
/** Spreads the load of many installations at the same full hour. */
const LARGEST_JITTER_MS = 60_000;

/** Recurring work in this process. A failed run is logged and runs again at its next regular time. */
export function createSchedule(options: ScheduleOptions): Schedule {
  return new RecurringSchedule(options);
}

class RecurringSchedule implements Schedule {
  readonly #runs: ScheduleOptions["runs"];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #isShared: boolean;
  readonly #random: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;

  constructor({ runs, clock, log, isShared = false, random = Math.random }: ScheduleOptions) {
    this.#runs = runs;
    this.#clock = clock;
    this.#log = log;
    this.#isShared = isShared;
    this.#random = random;
  }

  every(
    name: string,
    recurrence: Recurrence,
    run: (signal: AbortSignal) => Promise<void>,
    subject: Subject = "record",
  ): void {
    if (this.#entries.has(name)) throw new Error(`Recurring work "${name}" already exists.`);
    const { following, gapMs } = readRecurrence(recurrence);
    const jitterMs = Math.floor(this.#random() * Math.min(LARGEST_JITTER_MS, gapMs / 10));
    const isShared = this.#isShared && subject === "record";
    const last = this.#clock.now();
    this.#entries.set(name, { name, run, following, jitterMs, isShared, last, due: null, running: undefined });
  }

  async start(): Promise<void> {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) {
      const last = await this.#runs.lastRun(entry.name);
      if (!last) await this.#note(entry.name, now);
      // A last run in the future comes from a clock that was wrong; believing it could mean never running again.
      plan(entry, last && last <= now ? last : now);
    }
    this.#isStarted = true;
    void this.check();
  }

  async check(): Promise<void> {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    const now = this.#clock.now().getTime();
    const due = [...this.#entries.values()].filter(
      (entry) => !entry.running && entry.due && entry.due.getTime() <= now,
    );
    for (const entry of due) entry.running = this.#run(entry).finally(() => (entry.running = undefined));
    this.#setTimer();
    await this.#settle();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort(new Error("The service is stopping."));
    await this.#settle();
  }

  async #run(entry: Entry): Promise<void> {
    const started = this.#clock.now();
    if (entry.isShared && !(await this.#take(entry, started))) return;
    plan(entry, started);
    try {
      await entry.run(this.#stopping.signal);
      this.#log.debug("a scheduled task is done", { name: entry.name });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#log.error("a scheduled task failed", { name: entry.name, error });
    }
    if (!entry.isShared) await this.#note(entry.name, started);
  }

  /** Whether this process does the work that is due now; otherwise its next run is planned. */
  async #take(entry: Entry, at: Date): Promise<boolean> {
    const runs = this.#runs;
    try {
      if (await runs.takeRun(entry.name, { known: entry.last, at })) return true;
      const last = (await runs.lastRun(entry.name)) ?? at;
      const isWrong = last.getTime() - at.getTime() > LARGEST_SKEW_MS;
      if (isWrong && (await runs.takeRun(entry.name, { known: last, at }))) return true;
      plan(entry, isWrong ? at : last);
    } catch (error) {
      this.#log.error("a scheduled task could not be claimed", { name: entry.name, error });
      plan(entry, at);
    }
    return false;
  }

  async #note(name: string, run: Date): Promise<void> {
    try {
      await this.#runs.setLastRun(name, run);
    } catch (error) {
      this.#log.error("the run of a scheduled task could not be recorded", { name, error });
    }
  }

  async #settle(): Promise<void> {
    await Promise.all([...this.#entries.values()].flatMap((entry) => entry.running ?? []));
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const dues = [...this.#entries.values()].flatMap((entry) => (entry.due ? [entry.due.getTime()] : []));
    if (dues.length === 0 || this.#stopping.signal.aborted) return;
    const waitMs = Math.min(...dues) - this.#clock.now().getTime();
    this.#timer = setTimeout(() => void this.check(), Math.min(Math.max(waitMs, 1_000), LONGEST_TIMER_MS));
    this.#timer.unref();
  }
}

function plan(entry: Entry, last: Date): void {
  entry.last = last;
  const following = entry.following(last);
  entry.due = following ? new Date(following.getTime() + entry.jitterMs) : null;
}

function readRecurrence(recurrence: Recurrence): { following: (last: Date) => Date | null; gapMs: number } {
  if (typeof recurrence !== "string") {
    const gapMs = recurrence.minutes * 60_000;
    if (!(gapMs > 0)) throw new Error("An interval must be greater than zero.");
    return { following: (last) => new Date(last.getTime() + gapMs), gapMs };
  }
  const cron = new Cron(recurrence, { paused: true });
  const [first, second] = cron.nextRuns(2);
  const gapMs = first && second ? second.getTime() - first.getTime() : LARGEST_JITTER_MS;
  return { following: (last) => cron.nextRun(last), gapMs };
}
