import { afterEach, beforeEach } from "vitest";
import { z } from "zod";
import type { JobContext, JobDraft, JobHandler } from "../../src/core/ports.js";
import { createRunner, type Runner, type RunnerOptions } from "../../src/jobs/runner.js";
import { captureLog } from "./captured-log.js";
import { ManualClock } from "./clock.js";
import { type JobDatabase, openJobDatabase } from "./job-database.js";

/** Helpers for tests of the runner; new for each test. */
export interface Workshop {
  clock: ManualClock;
  database: JobDatabase;
  log: ReturnType<typeof captureLog>;
  startRunner(handlers: Record<string, JobHandler>, more?: Partial<RunnerOptions>): Promise<Runner>;
}

/** Opens a workshop before each test of the file, and afterwards stops its runners and removes its store. */
export function useWorkshop(): Workshop {
  const runners: Runner[] = [];
  const shop = {} as Workshop;
  beforeEach(async () => {
    shop.clock = new ManualClock();
    shop.database = await openJobDatabase(shop.clock);
    shop.log = captureLog();
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    await shop.database.close();
  });
  shop.startRunner = async (handlers, more = {}) => {
    const { clock, log } = shop;
    const basics = { jobs: shop.database.jobs, handlers, concurrency: 2, clock, log, graceMs: 50, random: () => 1 };
    const runner = createRunner({ ...basics, ...more });
    runners.push(runner);
    await runner.start();
    return runner;
  };
  return shop;
}

type Run = (payload: string, context: JobContext) => Promise<void> | void;

/** A handler whose payload is a text. */
export function handler(run: Run, more: Partial<JobHandler<string>> = {}): JobHandler<string> {
  return { schema: z.string(), run: async (payload, context) => run(payload, context), ...more };
}

/** Handlers with one kind, `work`. */
export function handlerOf(run: Run): Record<string, JobHandler> {
  return { work: handler(run) };
}

/** A job of the kind `work` in the group `a`. */
export function draft(payload: unknown, more: Partial<JobDraft> = {}): JobDraft {
  return { kind: "work", group: "a", payload, ...more };
}

/** A promise to be settled from outside. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Rejects with the signal's reason when it aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
