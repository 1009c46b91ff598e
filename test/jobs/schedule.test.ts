import { afterEach, beforeEach, expect, test } from "vitest";
import { createSchedule, type Schedule, type ScheduleOptions } from "../../src/jobs/schedule.js";
import { captureLog } from "../support/captured-log.js";
import { ManualClock } from "../support/clock.js";
import { type JobDatabase, openJobDatabase } from "../support/job-database.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let clock: ManualClock;
let database: JobDatabase;
let log: ReturnType<typeof captureLog>;
let schedules: Schedule[];

beforeEach(async () => {
  clock = new ManualClock();
  database = await openJobDatabase(clock);
  log = captureLog();
  schedules = [];
});
afterEach(async () => {
  await Promise.all(schedules.map((schedule) => schedule.stop()));
  await database.close();
});

function create(options: Partial<ScheduleOptions> = {}): Schedule {
  const schedule = createSchedule({ runs: database.jobs, clock, log, random: () => 0, ...options });
  schedules.push(schedule);
  return schedule;
}

/** A schedule with one entry that counts its runs. */
async function startCounting(recurrence: string | { minutes: number }, options: Partial<ScheduleOptions> = {}) {
  const schedule = create(options);
  const runs: Date[] = [];
  schedule.every("clean-up", recurrence, async () => void runs.push(clock.now()));
  await schedule.start();
  const pass = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await schedule.check();
    return runs.length;
  };
  return { schedule, pass };
}

test("an interval counts from the first start", async () => {
  const { pass } = await startCounting({ minutes: 30 });
  expect(await pass(30 * MINUTE - 1)).toBe(0);
  expect(await pass(1)).toBe(1);
  expect(await pass(0)).toBe(1);
  expect(await pass(30 * MINUTE)).toBe(2);
});

test("a cron pattern runs at its times", async () => {
  const { pass } = await startCounting("0 * * * *");
  // The clock is at 8 minutes and 9 seconds past the hour, in any zone with whole hours.
  expect(await pass(HOUR - (8 * MINUTE + 9_000) - 1)).toBe(0);
  expect(await pass(1)).toBe(1);
  expect(await pass(HOUR)).toBe(2);
});

test("a run missed while the service was off happens once at the next start", async () => {
  const first = await startCounting({ minutes: 10 });
  expect(await first.pass(10 * MINUTE)).toBe(1);
  await first.schedule.stop();
  clock.advance(24 * HOUR);
  const second = await startCounting({ minutes: 10 });
  expect(await second.pass(0)).toBe(1);
  expect(await second.pass(0)).toBe(1);
  expect(await second.pass(10 * MINUTE)).toBe(2);
});

test("a restart does not repeat what is not due", async () => {
  const first = await startCounting({ minutes: 10 });
  expect(await first.pass(10 * MINUTE)).toBe(1);
  await first.schedule.stop();
  const second = await startCounting({ minutes: 10 });
  expect(await second.pass(9 * MINUTE)).toBe(0);
  expect(await second.pass(1 * MINUTE)).toBe(1);
});

test("a last run in the future, from a wrong clock, does not stop the schedule", async () => {
  await database.jobs.setLastRun("clean-up", clock.from(365 * 24 * HOUR));
  const { pass } = await startCounting({ minutes: 10 });
  expect(await pass(10 * MINUTE)).toBe(1);
});

test("jitter is at most a tenth of the interval and never more than a minute", async () => {
  const short = await startCounting({ minutes: 1 }, { random: () => 0.999 });
  expect(await short.pass(MINUTE)).toBe(0);
  expect(await short.pass(6_000)).toBe(1);
  await short.schedule.stop();
  const long = await startCounting({ minutes: 60 }, { random: () => 0.999 });
  expect(await long.pass(HOUR)).toBe(0);
  expect(await long.pass(MINUTE)).toBe(1);
});

test("a failing run is logged, and runs again at its next time, as do others", async () => {
  const schedule = create();
  let runs = 0;
  let others = 0;
  schedule.every("broken", { minutes: 1 }, async () => {
    runs += 1;
    throw new Error("no luck");
  });
  schedule.every("sound", { minutes: 1 }, async () => void (others += 1));
  await schedule.start();
  for (let round = 0; round < 3; round += 1) {
    clock.advance(MINUTE);
    await schedule.check();
  }
  expect([runs, others]).toEqual([3, 3]);
  expect(log.lines.filter((line) => line.event === "a scheduled task failed")).toHaveLength(3);
});

test("a run longer than its interval is not started twice", async () => {
  const schedule = create();
  let runs = 0;
  let finish = (): void => {};
  schedule.every("slow", { minutes: 1 }, async () => {
    runs += 1;
    await new Promise<void>((resolve) => (finish = resolve));
  });
  await schedule.start();
  clock.advance(MINUTE);
  const first = schedule.check();
  clock.advance(MINUTE);
  const meanwhile = schedule.check();
  expect(runs).toBe(1);
  finish();
  await Promise.all([first, meanwhile]);
  const second = schedule.check();
  expect(runs).toBe(2);
  finish();
  await second;
});

test("stop aborts a running task, which runs again at the next start", async () => {
  const schedule = create();
  schedule.every("slow", { minutes: 1 }, async (signal) => {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  await schedule.start();
  clock.advance(MINUTE);
  const running = schedule.check();
  await schedule.stop();
  await running;
  const next = create();
  let runs = 0;
  next.every("slow", { minutes: 1 }, async () => void (runs += 1));
  await next.start();
  await next.check();
  await next.stop();
  expect(runs).toBe(1);
  expect(log.lines.filter((line) => line.event === "a scheduled task failed")).toEqual([]);
});

test("timers start due runs automatically", async () => {
  const present = { now: () => new Date() };
  await database.jobs.setLastRun("soon", new Date(Date.now() - 59_000));
  const schedule = create({ clock: present });
  const ran = new Promise<void>((resolve) => schedule.every("soon", { minutes: 1 }, async () => resolve()));
  await schedule.start();
  await ran;
});

test.each(["not cron", "99 * * * *", ""])("refuses the pattern %j", (pattern) => {
  expect(() => create().every("x", pattern, async () => {})).toThrow();
});

test("refuses an interval of zero and a name that is taken", () => {
  const schedule = create();
  expect(() => schedule.every("x", { minutes: 0 }, async () => {})).toThrow("greater than zero");
  expect(() => schedule.every("x", { minutes: Number.NaN }, async () => {})).toThrow("greater than zero");
  schedule.every("x", { minutes: 1 }, async () => {});
  expect(() => schedule.every("x", { minutes: 1 }, async () => {})).toThrow("already exists");
});

test("runs shared schedules in one process and local schedules in each", async () => {
  const runs: string[] = [];
  const start = async (name: string): Promise<Schedule> => {
    const schedule = create({ isShared: true });
    schedule.every("clean-up", { minutes: 10 }, async () => void runs.push(`clean-up by ${name}`));
    schedule.every("look around", { minutes: 10 }, async () => void runs.push(`look around by ${name}`), "process");
    await schedule.start();
    return schedule;
  };
  const all = [await start("one"), await start("two"), await start("three")];
  for (let round = 1; round <= 3; round += 1) {
    clock.advance(10 * MINUTE);
    await Promise.all(all.map((schedule) => schedule.check()));
    expect(runs.filter((run) => run.startsWith("clean-up"))).toHaveLength(round);
    expect(runs.filter((run) => run.startsWith("look around"))).toHaveLength(3 * round);
  }
});

test("a run taken by a process that ended is taken by another at its next time", async () => {
  const first = await startCounting({ minutes: 10 }, { isShared: true });
  const second = await startCounting({ minutes: 10 }, { isShared: true });
  expect(await first.pass(10 * MINUTE)).toBe(1);
  await first.schedule.stop();
  expect(await second.pass(0)).toBe(0);
  expect(await second.pass(10 * MINUTE)).toBe(1);
});

test("a run recorded in the future by a process with a wrong clock stops no other process", async () => {
  const { pass } = await startCounting({ minutes: 10 }, { isShared: true });
  await database.jobs.setLastRun("clean-up", clock.from(24 * HOUR));
  const later = await startCounting({ minutes: 10 }, { isShared: true });
  expect(await pass(10 * MINUTE)).toBe(1);
  expect(await later.pass(0)).toBe(0);
  expect(await later.pass(10 * MINUTE)).toBe(1);
});

test("a clock slightly ahead does not make other processes repeat its runs", async () => {
  const { pass } = await startCounting({ minutes: 10 }, { isShared: true });
  await database.jobs.setLastRun("clean-up", clock.from(10 * MINUTE + 20_000));
  expect(await pass(10 * MINUTE)).toBe(0);
  expect(await pass(10 * MINUTE)).toBe(0);
  expect(await pass(20_000)).toBe(1);
});
