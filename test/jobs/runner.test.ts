import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createJobStore } from "../../src/adapters/store/jobs.js";
import { AppError, RetryLater } from "../../src/core/errors.js";
import type { Job, JobContext, JobDraft, JobHandler } from "../../src/core/ports.js";
import { createRunner, type Runner, type RunnerOptions } from "../../src/jobs/runner.js";
import { sleep } from "../../src/lib/time.js";
import { captureLog } from "../support/captured-log.js";
import { ManualClock } from "../support/clock.js";
import { type JobDatabase, openJobDatabase } from "../support/job-database.js";

const HOUR = 3_600_000;

let clock: ManualClock;
let database: JobDatabase;
let log: ReturnType<typeof captureLog>;
let runners: Runner[];

beforeEach(async () => {
  clock = new ManualClock();
  database = await openJobDatabase(clock);
  log = captureLog();
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop()));
  await database.close();
});

type Run = (payload: string, context: JobContext) => Promise<void> | void;

const handler = (run: Run, more: Partial<JobHandler<string>> = {}): JobHandler => {
  const typed: JobHandler<string> = {
    schema: z.string(),
    run: async (payload, context) => run(payload, context),
    ...more,
  };
  return typed as JobHandler;
};
const handlerOf = (run: Run): Record<string, JobHandler> => ({ work: handler(run) });
const draft = (payload: unknown, more: Partial<JobDraft> = {}): JobDraft => ({
  kind: "work",
  group: "a",
  payload,
  ...more,
});

async function startRunner(handlers: Record<string, JobHandler>, more: Partial<RunnerOptions> = {}): Promise<Runner> {
  const runner = createRunner({
    jobs: database.jobs,
    handlers,
    concurrency: 2,
    clock,
    log,
    graceMs: 50,
    random: () => 1,
    ...more,
  });
  runners.push(runner);
  await runner.start();
  return runner;
}

/** A promise to be settled from outside. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

describe("the ordinary course", () => {
  test("jobs that wait at the start run, and later ones after a wake-up", async () => {
    const done: string[] = [];
    await database.jobs.enqueue([draft("before")]);
    const runner = await startRunner(handlerOf((text) => void done.push(text)));
    await runner.idle();
    await database.jobs.enqueue([draft("after")]);
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["before", "after"]);
    expect(await database.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0, oldestWaitingSeconds: 0 });
  });

  test("idle resolves at once when there is nothing to do, and again later", async () => {
    const runner = await startRunner({});
    await runner.idle();
    await runner.idle();
    await Promise.all([runner.idle(), runner.idle()]);
    expect(await database.jobs.counts()).toMatchObject({ waiting: 0 });
  });

  test("idle waits for running jobs, but not for those of a later time", async () => {
    const done: string[] = [];
    const work = gate();
    await database.jobs.enqueue([draft("now"), draft("later", { runAt: clock.from(HOUR) })]);
    const runner = await startRunner(
      handlerOf(async (text) => {
        await work.opened;
        done.push(text);
      }),
    );
    let isIdle = false;
    const idle = runner.idle().then(() => (isIdle = true));
    await sleep(20);
    expect(isIdle).toBe(false);
    work.open();
    await idle;
    expect(done).toEqual(["now"]);
  });

  test("a job runs when its time comes", async () => {
    const done: string[] = [];
    const started = Date.now();
    const present = { now: () => new Date() };
    const jobs = createJobStore(database.db, present);
    await jobs.enqueue([draft("in a moment", { runAt: new Date(started + 300) })]);
    const finished = gate();
    const run = (text: string): void => {
      done.push(text);
      finished.open();
    };
    await startRunner(handlerOf(run), { jobs, clock: present });
    await finished.opened;
    expect(Date.now() - started).toBeGreaterThanOrEqual(300);
    expect(done).toEqual(["in a moment"]);
  });

  test("steps that follow in the handler's transaction run back to back, a document at a time", async () => {
    const order: string[] = [];
    const step = (next?: string): JobHandler =>
      handler(async (payload, context) => {
        order.push(`${context.job.kind} ${payload}`);
        await database.db.transaction().execute(async (transaction) => {
          const jobs = createJobStore(transaction, clock);
          await context.finish(jobs);
          if (next) await jobs.enqueue([draft(payload, { kind: next, key: payload, runAt: context.job.runAt })]);
        });
      });
    await database.jobs.enqueue(
      ["one", "two"].map((name, at) => draft(name, { kind: "chunk", key: name, runAt: clock.from(at - 10) })),
    );
    const runner = await startRunner({ chunk: step("embed"), embed: step("index"), index: step() }, { concurrency: 1 });
    await runner.idle();
    expect(order).toEqual(["chunk one", "embed one", "index one", "chunk two", "embed two", "index two"]);
  });

  test("never more at once than allowed, and no fewer when there is work", async () => {
    let now = 0;
    let most = 0;
    await database.jobs.enqueue(Array.from({ length: 20 }, (_, at) => draft(`${at}`)));
    const runner = await startRunner(
      handlerOf(async () => {
        most = Math.max(most, (now += 1));
        await sleep(2);
        now -= 1;
      }),
      { concurrency: 3 },
    );
    await runner.idle();
    expect(most).toBe(3);
  });

  test("exclusive jobs of one group run one after the other while others go on", async () => {
    const trail: string[] = [];
    const first = gate();
    const other = gate();
    await database.jobs.enqueue([
      draft("1", { exclusive: true }),
      draft("2", { exclusive: true }),
      draft("other", { group: "b", exclusive: true }),
    ]);
    const runner = await startRunner(
      handlerOf(async (text) => {
        trail.push(`${text} begins`);
        if (text === "1") await first.opened;
        if (text === "other") other.open();
        trail.push(`${text} ends`);
      }),
      { concurrency: 4 },
    );
    await other.opened;
    await sleep(20);
    first.open();
    await runner.idle();
    expect(trail.filter((line) => !line.startsWith("other"))).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);
    expect(trail.indexOf("other ends")).toBeLessThan(trail.indexOf("1 ends"));
  });
});

describe("failure", () => {
  test("is retried with growing waits and then dead with a reason for people", async () => {
    const attempts: number[] = [];
    const died: [Job, string][] = [];
    const runner = await startRunner(
      handlerOf((_, { job }) => {
        attempts.push(job.attempt);
        throw new AppError("internal", "The page could not be laid out.");
      }),
      { onDead: async (job, reason) => void died.push([job, reason]) },
    );
    await database.jobs.enqueue([draft("x", { maxAttempts: 3 })]);
    const waits: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      await runner.idle();
      const due = await database.jobs.nextDue();
      if (due) waits.push(due.getTime() - clock.now().getTime());
      clock.advance(HOUR);
    }
    const reason = "Gave up after 3 attempts. The page could not be laid out.";
    expect(attempts).toEqual([1, 2, 3]);
    expect(waits).toEqual([1000, 2000]);
    expect(await database.jobs.dead(10)).toMatchObject([{ kind: "work", payload: "x", group: "a", reason }]);
    expect(died).toEqual([[expect.objectContaining({ payload: "x", attempt: 3 }), reason]]);
  });

  test("of an unexpected kind shows no detail to people and all of it in the log", async () => {
    const runner = await startRunner(
      handlerOf(() => {
        throw new TypeError("cannot read password hunter2");
      }),
    );
    await database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    await runner.idle();
    const [dead] = await database.jobs.dead(1);
    const line = log.lines.find((entry) => entry.event === "job.dead");
    expect(dead?.reason).toMatch(/^Gave up after 1 attempt\. The step "work" failed unexpectedly/);
    expect(dead?.reason).not.toContain("hunter2");
    expect(dead?.reason).toContain(line?.["errorId"]);
    expect(line?.["error"]).toContain("hunter2");
  });

  test.each(["invalid", "not_found", "unauthorized", "forbidden", "too_large", "unsupported_type"] as const)(
    "%s is final: no second attempt",
    async (kind) => {
      const runner = await startRunner(
        handlerOf(() => {
          throw new AppError(kind, "No.", { retryAfter: 5 });
        }),
      );
      await database.jobs.enqueue([draft("x")]);
      await runner.idle();
      expect(await database.jobs.dead(10)).toMatchObject([{ reason: "No." }]);
    },
  );

  test("an outage is waited for longer than a hiccup", async () => {
    const runner = await startRunner(
      handlerOf(() => {
        throw new AppError("unavailable", "The provider is down.");
      }),
    );
    await database.jobs.enqueue([draft("x")]);
    let waited = 0;
    for (let round = 1; round <= 8; round += 1) {
      await runner.idle();
      const due = await database.jobs.nextDue();
      const wait = due ? due.getTime() - clock.now().getTime() : 0;
      waited += wait;
      clock.advance(wait);
    }
    expect(waited).toBeGreaterThan(HOUR);
    expect(await database.jobs.dead(10)).toHaveLength(1);
  });

  test.each([
    ["RetryLater", () => new RetryLater(90, "The container is not quiet yet.")],
    ["an AppError with retryAfter", () => new AppError("rate_limited", "Slow down.", { retryAfter: 90 })],
  ])("%s waits as long as it says and counts no attempt", async (_name, error) => {
    const attempts: number[] = [];
    const runner = await startRunner(
      handlerOf((_, { job }) => {
        attempts.push(job.attempt);
        if (attempts.length < 4) throw error();
      }),
    );
    await database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    for (let round = 1; round <= 3; round += 1) {
      await runner.idle();
      expect(await database.jobs.nextDue()).toEqual(clock.from(90_000));
      clock.advance(90_000);
    }
    await runner.idle();
    expect(attempts).toEqual([1, 1, 1, 1]);
    expect(await database.jobs.counts()).toMatchObject({ waiting: 0, dead: 0 });
  });

  test("a wait that a provider asks for is at most a day, and grows when it asks for none again and again", async () => {
    const seconds = [10_000_000, ...Array.from({ length: 12 }, () => 0)];
    const waits: number[] = [];
    const runner = await startRunner(
      handlerOf(() => {
        throw new RetryLater(seconds[waits.length] ?? 0, "Later.");
      }),
    );
    await database.jobs.enqueue([draft("x")]);
    while (waits.length < 10) {
      await runner.idle();
      const due = await database.jobs.nextDue();
      waits.push(due!.getTime() - clock.now().getTime());
      clock.advance(waits.at(-1)!);
    }
    expect(waits[0]).toBe(24 * HOUR);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(16_000);
  });

  test("one failing job does not stop the others", async () => {
    const done: string[] = [];
    const names = Array.from({ length: 10 }, (_, at) => `${at}`);
    await database.jobs.enqueue(names.map((name) => draft(name)));
    const runner = await startRunner(
      handlerOf((text) => {
        if (Number(text) % 2 === 0) throw new Error("even");
        done.push(text);
      }),
    );
    await runner.idle();
    expect(done.toSorted()).toEqual(["1", "3", "5", "7", "9"]);
    expect(await database.jobs.counts()).toMatchObject({ waiting: 5 });
  });

  test.each([
    ["a payload of the wrong type", draft({ not: "text" }), /payload of the job does not fit "work"/],
    ["a kind that nothing handles", draft("x", { kind: "toString" }), /Nothing handles jobs of the kind "toString"/],
  ])("%s is dead at once with a reason", async (_name, bad, reason) => {
    const runs: string[] = [];
    const runner = await startRunner(handlerOf((text) => void runs.push(text)));
    await database.jobs.enqueue([bad, draft("good")]);
    runner.wake();
    await runner.idle();
    expect((await database.jobs.dead(10)).map((job) => job.reason)).toEqual([expect.stringMatching(reason)]);
    expect(runs).toEqual(["good"]);
  });

  test("a job that ended the process too often is dead instead of ending it again", async () => {
    await database.jobs.enqueue([draft("poison", { maxAttempts: 2 })]);
    for (let crash = 1; crash <= 2; crash += 1) {
      await database.jobs.claim("a process that died", 1, 1000);
      await database.jobs.reclaim();
    }
    const runs: string[] = [];
    const runner = await startRunner(handlerOf((text) => void runs.push(text)));
    await runner.idle();
    expect(runs).toEqual([]);
    expect((await database.jobs.dead(1))[0]?.reason).toContain("ended in the middle of this job 2 times");
  });

  test("the job is buried even when the death cannot be told", async () => {
    const runner = await startRunner(
      handlerOf(() => {
        throw new AppError("invalid", "Broken.");
      }),
      {
        onDead: async () => {
          throw new Error("the document is gone");
        },
      },
    );
    await database.jobs.enqueue([draft("x")]);
    await runner.idle();
    expect((await database.jobs.dead(1))[0]?.reason).toMatch(/^Broken\. \(The failure could not be noted/);
    expect(log.lines.map((line) => line.event)).toContain("job.death_not_told");
  });

  test("revived jobs run again", async () => {
    let isBroken = true;
    const done: string[] = [];
    const runner = await startRunner(
      handlerOf((text) => {
        if (isBroken) throw new AppError("invalid", "Wrong key.");
        done.push(text);
      }),
    );
    await database.jobs.enqueue([draft("x")]);
    await runner.idle();
    isBroken = false;
    await database.jobs.revive();
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["x"]);
  });

  test("a store that fails for a while does not end the loop", async () => {
    const done: string[] = [];
    let failures = 2;
    const { jobs } = database;
    const flaky = {
      ...jobs,
      claim: async (...args: Parameters<typeof jobs.claim>) => {
        failures -= 1;
        if (failures >= 0) throw new AppError("unavailable", "The store is locked by another program.");
        return jobs.claim(...args);
      },
    };
    await jobs.enqueue([draft("x")]);
    const runner = await startRunner(
      handlerOf((text) => void done.push(text)),
      { jobs: flaky },
    );
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["x"]);
    expect(log.lines.filter((line) => line.event === "jobs.loop_failed")).toHaveLength(2);
  });
});

describe("time limits and leases", () => {
  test("a run past its limit is aborted and tried again", async () => {
    const reasons: unknown[] = [];
    const slow = handler(
      async (_, { signal }) => {
        await untilAborted(signal).catch((reason: unknown) => reasons.push(reason));
      },
      { timeoutMs: 20 },
    );
    const runner = await startRunner({ work: slow });
    await database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    await runner.idle();
    expect(reasons).toEqual([expect.objectContaining({ message: 'The step "work" took longer than 1 second.' })]);
    expect((await database.jobs.dead(1))[0]?.reason).toContain("took longer than 1 second");
  });

  test("a handler that ignores its signal gives its place free and cannot finish the job any more", async () => {
    const stuck = gate();
    const finishing: Promise<unknown>[] = [];
    const deaf = handler(
      async (_, context) => {
        await stuck.opened;
        finishing.push(context.finish(database.jobs).catch((error: unknown) => error));
      },
      { timeoutMs: 10 },
    );
    const done: string[] = [];
    const runner = await startRunner(
      { deaf, work: handler((text) => void done.push(text)) },
      { concurrency: 1, graceMs: 10 },
    );
    await database.jobs.enqueue([draft("x", { kind: "deaf" }), draft("next")]);
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["next"]);
    stuck.open();
    await sleep(1);
    expect(String(await finishing[0])).toContain("no longer belongs to this run");
    expect(await database.jobs.counts()).toMatchObject({ waiting: 1 });
  });

  test("a long run keeps its lease", async () => {
    const present = { now: () => new Date() };
    const jobs = createJobStore(database.db, present);
    const runs: string[] = [];
    const long = handlerOf(async (text) => {
      runs.push(text);
      await sleep(400);
    });
    await jobs.enqueue([draft("x")]);
    const options = { jobs, clock: present, leaseMs: 120 };
    const [one, two] = [await startRunner(long, options), await startRunner(long, options)];
    await Promise.all([one.idle(), two.idle()]);
    expect(runs).toEqual(["x"]);
  });

  test("a job that was taken away aborts the run", async () => {
    const reasons: string[] = [];
    const begun = gate();
    const aborted = gate();
    const runner = await startRunner(
      handlerOf(async (_, { signal }) => {
        begun.open();
        await untilAborted(signal).catch((reason: unknown) => reasons.push(String(reason)));
        aborted.open();
      }),
      { leaseMs: 30 },
    );
    await database.jobs.enqueue([draft("x")]);
    runner.wake();
    await begun.opened;
    await database.db.updateTable("jobs").set({ worker: "another process" }).execute();
    await aborted.opened;
    await runner.stop();
    expect(reasons).toEqual([expect.stringContaining("was taken away")]);
    expect(await database.jobs.counts()).toMatchObject({ waiting: 0, running: 1, dead: 0 });
  });

  test("the sole owner takes over at once what a dead process had", async () => {
    await database.jobs.enqueue([draft("orphan")]);
    await database.jobs.claim("a process that died", 1, HOUR);
    const done: string[] = [];
    const runner = await startRunner(
      handlerOf((text) => void done.push(text)),
      { soleOwner: true },
    );
    await runner.idle();
    expect(done).toEqual(["orphan"]);
  });

  test("finish and effect are one: when the transaction rolls back, the job runs again", async () => {
    let runs = 0;
    const runner = await startRunner(
      handlerOf(async (_, context) => {
        runs += 1;
        await database.db.transaction().execute(async (transaction) => {
          await context.finish(createJobStore(transaction, clock));
          if (runs === 1) throw new Error("the disk is full");
        });
      }),
    );
    await database.jobs.enqueue([draft("x")]);
    await runner.idle();
    expect(await database.jobs.counts()).toMatchObject({ waiting: 1 });
    clock.advance(HOUR);
    await runner.idle();
    expect(runs).toBe(2);
    expect(await database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });
});

describe("stop", () => {
  test("aborts what runs, puts it back without counting, and keeps its place in the line", async () => {
    const begun = gate();
    await database.jobs.enqueue([draft("x", { runAt: clock.from(-5000) })]);
    const runner = await startRunner(
      handlerOf(async (_, { signal }) => {
        begun.open();
        await untilAborted(signal);
      }),
    );
    await begun.opened;
    await runner.stop();
    expect(await database.jobs.claim("the next process", 1, 1000)).toMatchObject([
      { payload: "x", attempt: 1, runAt: clock.from(-5000) },
    ]);
  });

  test("does not wait for a handler that ignores its signal", async () => {
    const begun = gate();
    await database.jobs.enqueue([draft("x")]);
    const runner = await startRunner(
      handlerOf(async () => {
        begun.open();
        await gate().opened;
      }),
    );
    await begun.opened;
    await runner.stop();
    expect(await database.jobs.counts()).toMatchObject({ waiting: 1, running: 0 });
  });

  test("lets a run end that was nearly done", async () => {
    const begun = gate();
    await database.jobs.enqueue([draft("x")]);
    const runner = await startRunner(
      handlerOf(async (_, context) => {
        begun.open();
        await sleep(10);
        await context.finish(database.jobs);
      }),
      { graceMs: 2000 },
    );
    await begun.opened;
    await runner.stop();
    expect(await database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test("takes nothing more, can be called twice, and frees those who wait for idle", async () => {
    const runs: string[] = [];
    const runner = await startRunner(handlerOf((text) => void runs.push(text)));
    await Promise.all([runner.stop(), runner.stop()]);
    await database.jobs.enqueue([draft("x")]);
    runner.wake();
    await runner.idle();
    expect(runs).toEqual([]);
    await expect(runner.start()).rejects.toThrow("started once");
  });

  test("at the very start leaves nothing behind", async () => {
    await database.jobs.enqueue(Array.from({ length: 8 }, (_, at) => draft(`${at}`)));
    const runner = await startRunner(handlerOf((_, { signal }) => untilAborted(signal)));
    await runner.stop();
    expect(await database.jobs.counts()).toMatchObject({ waiting: 8, running: 0, dead: 0 });
  });
});

test("thousands of jobs in many groups all run once", async () => {
  const seen = new Map<string, number>();
  await database.jobs.enqueue(Array.from({ length: 2_000 }, (_, at) => draft(`${at}`, { group: `g${at % 37}` })));
  const runner = await startRunner(
    handlerOf((text) => void seen.set(text, (seen.get(text) ?? 0) + 1)),
    { concurrency: 8 },
  );
  await runner.idle();
  expect(seen.size).toBe(2_000);
  expect(Math.max(...seen.values())).toBe(1);
});
