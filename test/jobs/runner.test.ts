import { beforeEach, describe, expect, test } from "vitest";
import { createJobStore } from "../../src/adapters/store/jobs.js";
import { atomically } from "../../src/adapters/store/transact.js";
import type { JobDraft, JobHandler } from "../../src/core/ports.js";
import { sleep } from "../../src/lib/time.js";
import { draft, gate, handler, handlerOf, untilAborted, useWorkshop } from "../support/job-workshop.js";

const HOUR = 3_600_000;
const shop = useWorkshop();

describe("normal operation", () => {
  test("jobs waiting at the start run, and later ones after a wake-up", async () => {
    const done: string[] = [];
    await shop.database.jobs.enqueue([draft("before")]);
    const runner = await shop.startRunner(handlerOf((text) => void done.push(text)));
    await runner.idle();
    await shop.database.jobs.enqueue([draft("after")]);
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["before", "after"]);
    expect(await shop.database.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0, oldestWaitingSeconds: 0 });
  });

  test("idle resolves immediately when there is nothing to do, and does so again", async () => {
    const runner = await shop.startRunner({});
    await runner.idle();
    await runner.idle();
    await Promise.all([runner.idle(), runner.idle()]);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0 });
  });

  test("idle waits for running jobs, but not for those scheduled later", async () => {
    const done: string[] = [];
    const work = gate();
    await shop.database.jobs.enqueue([draft("now"), draft("later", { runAt: shop.clock.from(HOUR) })]);
    const runner = await shop.startRunner(
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

  test("a job runs when it is due", async () => {
    const done: string[] = [];
    const started = Date.now();
    const present = { now: () => new Date() };
    const jobs = createJobStore(shop.database.db, present);
    await jobs.enqueue([draft("in a moment", { runAt: new Date(started + 300) })]);
    const finished = gate();
    const run = (text: string): void => {
      done.push(text);
      finished.open();
    };
    await shop.startRunner(handlerOf(run), { jobs, clock: present });
    await finished.opened;
    expect(Date.now() - started).toBeGreaterThanOrEqual(300);
    expect(done).toEqual(["in a moment"]);
  });

  test("follow-up steps created in the handler's transaction run back to back, one document at a time", async () => {
    const order: string[] = [];
    const step = (next?: string): JobHandler =>
      handler(async (payload, context) => {
        order.push(`${context.job.kind} ${payload}`);
        await atomically(shop.database.db, async (transaction) => {
          const jobs = createJobStore(transaction, shop.clock);
          await context.finish(jobs);
          if (next) await jobs.enqueue([draft(payload, { kind: next, key: payload, runAt: context.job.runAt })]);
        });
      });
    await shop.database.jobs.enqueue(
      ["one", "two"].map((name, at) => draft(name, { kind: "chunk", key: name, runAt: shop.clock.from(at - 10) })),
    );
    const runner = await shop.startRunner(
      { chunk: step("embed"), embed: step("index"), index: step() },
      { concurrency: 1 },
    );
    await runner.idle();
    expect(order).toEqual(["chunk one", "embed one", "index one", "chunk two", "embed two", "index two"]);
  });

  test("never runs more jobs than allowed, nor fewer while there is work", async () => {
    let now = 0;
    let most = 0;
    await shop.database.jobs.enqueue(Array.from({ length: 20 }, (_, at) => draft(`${at}`)));
    const runner = await shop.startRunner(
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

  test("jobs of a kind with its own slots run beside the others, up to that number", async () => {
    const work = gate();
    const ended = gate();
    let reading = 0;
    let most = 0;
    const slow = handler(
      async () => {
        most = Math.max(most, (reading += 1));
        await work.opened;
        reading -= 1;
      },
      { slots: 3 },
    );
    let done = 0;
    const quick = handler(() => {
      done += 1;
      if (done === 20) ended.open();
    });
    await shop.database.jobs.enqueue([
      ...Array.from({ length: 10 }, (_, at) => draft(`slow ${at}`, { kind: "slow", group: `${at}` })),
      ...Array.from({ length: 20 }, (_, at) => draft(`quick ${at}`, { kind: "quick" })),
    ]);
    const runner = await shop.startRunner({ slow, quick }, { concurrency: 1 });
    await ended.opened;
    expect(reading).toBe(3);
    work.open();
    await runner.idle();
    expect(most).toBe(3);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test.each([1, 2])("a job with its own slots starts when it is due, with %i of 2 other slots taken", async (taken) => {
    const work = gate();
    const began = gate();
    const busy = handler(() => work.opened);
    const own = handler(() => began.open(), { slots: 1 });
    await shop.database.jobs.enqueue([
      ...Array.from({ length: taken }, (_, at) => draft(`busy ${at}`, { kind: "busy", group: `${at}` })),
      draft("own", { kind: "own", group: "own", runAt: new Date(shop.clock.now().getTime() + 1_000) }),
    ]);
    const runner = await shop.startRunner({ busy, own }, { concurrency: 2 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    shop.clock.advance(2_000);
    await began.opened;
    work.open();
    await runner.idle();
  });

  test("a job with its own slots goes on after the machine was suspended, however often", async () => {
    const [began, work] = [gate(), gate()];
    const runs: number[] = [];
    const own = handler(
      async (_, { job, signal }) => {
        runs.push(job.attempt);
        began.open();
        await Promise.race([work.opened, untilAborted(signal)]);
      },
      { slots: 1 },
    );
    await shop.database.jobs.enqueue([draft("long", { kind: "own" })]);
    const runner = await shop.startRunner({ own, work: handler(() => undefined) }, { leaseMs: 90 });
    await began.opened;
    for (let night = 0; night < 10; night += 1) {
      shop.clock.advance(HOUR);
      await shop.database.jobs.enqueue([draft("short")]);
      runner.wake();
      await sleep(60);
    }
    work.open();
    await runner.idle();
    expect(runs).toEqual([1]);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test("jobs of one group leave slots to others, however many wait", async () => {
    const work = gate();
    const begun: string[] = [];
    const slow = handler(
      async (text) => {
        begun.push(text);
        await work.opened;
      },
      { slots: 3, slotsOfGroup: 2 },
    );
    const crowd = Array.from({ length: 80 }, (_, at) => draft(`crowd ${at}`, { kind: "slow", group: "crowd" }));
    await shop.database.jobs.enqueue(crowd);
    const runner = await shop.startRunner({ slow }, { concurrency: 1 });
    await expect.poll(() => begun).toHaveLength(2);
    await shop.database.jobs.enqueue([draft("other", { kind: "slow", group: "other" })]);
    runner.wake();
    await expect.poll(() => begun).toEqual(["crowd 0", "crowd 1", "other"]);
    work.open();
    await runner.idle();
    expect(begun).toHaveLength(81);
  });

  test("exclusive jobs of one group run one after the other, beside other jobs", async () => {
    const trail: string[] = [];
    const first = gate();
    const other = gate();
    await shop.database.jobs.enqueue([
      draft("1", { exclusive: true }),
      draft("2", { exclusive: true }),
      draft("other", { group: "b", exclusive: true }),
    ]);
    const runner = await shop.startRunner(
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

describe("time limits and leases", () => {
  test("a run past its limit is aborted and retried", async () => {
    const reasons: unknown[] = [];
    const slow = handler(
      async (_, { signal }) => {
        await untilAborted(signal).catch((reason: unknown) => reasons.push(reason));
      },
      { timeoutMs: 20 },
    );
    const runner = await shop.startRunner({ work: slow });
    await shop.database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    await runner.idle();
    expect(reasons).toEqual([expect.objectContaining({ message: 'The step "work" took longer than 1 second.' })]);
    expect((await shop.database.jobs.dead(1))[0]?.reason).toContain("took longer than 1 second");
  });

  test("a handler that ignores its signal loses its slot and can no longer finish the job", async () => {
    const stuck = gate();
    const finishing: Promise<unknown>[] = [];
    const deaf = handler(
      async (_, context) => {
        await stuck.opened;
        finishing.push(context.finish(shop.database.jobs).catch((error: unknown) => error));
      },
      { timeoutMs: 10 },
    );
    const done: string[] = [];
    const runner = await shop.startRunner(
      { deaf, work: handler((text) => void done.push(text)) },
      { concurrency: 1, graceMs: 10 },
    );
    await shop.database.jobs.enqueue([draft("x", { kind: "deaf" }), draft("next")]);
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["next"]);
    stuck.open();
    await sleep(1);
    expect(String(await finishing[0])).toContain("no longer belongs to this run");
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 1 });
  });

  test("a long run keeps its lease", async () => {
    const present = { now: () => new Date() };
    const jobs = createJobStore(shop.database.db, present);
    const runs: string[] = [];
    const long = handlerOf(async (text) => {
      runs.push(text);
      await sleep(400);
    });
    await jobs.enqueue([draft("x")]);
    const options = { jobs, clock: present, leaseMs: 120 };
    const [one, two] = [await shop.startRunner(long, options), await shop.startRunner(long, options)];
    await Promise.all([one.idle(), two.idle()]);
    expect(runs).toEqual(["x"]);
  });

  test("a run whose job was taken away is aborted", async () => {
    const reasons: string[] = [];
    const begun = gate();
    const aborted = gate();
    const runner = await shop.startRunner(
      handlerOf(async (_, { signal }) => {
        begun.open();
        await untilAborted(signal).catch((reason: unknown) => reasons.push(String(reason)));
        aborted.open();
      }),
      { leaseMs: 30 },
    );
    await shop.database.jobs.enqueue([draft("x")]);
    runner.wake();
    await begun.opened;
    await shop.database.db.updateTable("jobs").set({ worker: "another process" }).execute();
    await aborted.opened;
    await runner.stop();
    expect(reasons).toEqual([expect.stringContaining("was taken over")]);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 1, dead: 0 });
  });

  test("the sole owner immediately takes over the jobs of a dead process", async () => {
    await shop.database.jobs.enqueue([draft("orphan")]);
    await shop.database.jobs.claim("a process that died", 1, HOUR);
    const done: string[] = [];
    const runner = await shop.startRunner(
      handlerOf((text) => void done.push(text)),
      { soleOwner: true },
    );
    await runner.idle();
    expect(done).toEqual(["orphan"]);
  });

  test("finish and effect are atomic: after a rollback the job runs again", async () => {
    let runs = 0;
    const runner = await shop.startRunner(
      handlerOf(async (_, context) => {
        runs += 1;
        await atomically(shop.database.db, async (transaction) => {
          await context.finish(createJobStore(transaction, shop.clock));
          if (runs === 1) throw new Error("the disk is full");
        });
      }),
    );
    await shop.database.jobs.enqueue([draft("x")]);
    await runner.idle();
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 1 });
    shop.clock.advance(HOUR);
    await runner.idle();
    expect(runs).toBe(2);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });
});

describe("stop", () => {
  test("aborts running jobs, puts them back without counting an attempt, and keeps their place in the queue", async () => {
    const begun = gate();
    await shop.database.jobs.enqueue([draft("x", { runAt: shop.clock.from(-5000) })]);
    const runner = await shop.startRunner(
      handlerOf(async (_, { signal }) => {
        begun.open();
        await untilAborted(signal);
      }),
    );
    await begun.opened;
    await runner.stop();
    expect(await shop.database.jobs.claim("the next process", 1, 1000)).toMatchObject([
      { payload: "x", attempt: 1, runAt: shop.clock.from(-5000) },
    ]);
  });

  test("does not wait for a handler that ignores its signal", async () => {
    const begun = gate();
    await shop.database.jobs.enqueue([draft("x")]);
    const runner = await shop.startRunner(
      handlerOf(async () => {
        begun.open();
        await gate().opened;
      }),
    );
    await begun.opened;
    await runner.stop();
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 1, running: 0 });
  });

  test("lets an almost finished run end", async () => {
    const begun = gate();
    await shop.database.jobs.enqueue([draft("x")]);
    const runner = await shop.startRunner(
      handlerOf(async (_, context) => {
        begun.open();
        await sleep(10);
        await context.finish(shop.database.jobs);
      }),
      { graceMs: 2000 },
    );
    await begun.opened;
    await runner.stop();
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test("takes no new jobs, can be called twice, and resolves pending idle calls", async () => {
    const runs: string[] = [];
    const runner = await shop.startRunner(handlerOf((text) => void runs.push(text)));
    await Promise.all([runner.stop(), runner.stop()]);
    await shop.database.jobs.enqueue([draft("x")]);
    runner.wake();
    await runner.idle();
    expect(runs).toEqual([]);
    await expect(runner.start()).rejects.toThrow("started only once");
  });

  test("immediately after the start leaves nothing behind", async () => {
    await shop.database.jobs.enqueue(Array.from({ length: 8 }, (_, at) => draft(`${at}`)));
    const runner = await shop.startRunner(handlerOf((_, { signal }) => untilAborted(signal)));
    await runner.stop();
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 8, running: 0, dead: 0 });
  });
});

test("hundreds of jobs in many groups each run once", async () => {
  const seen = new Map<string, number>();
  await shop.database.jobs.enqueue(Array.from({ length: 600 }, (_, at) => draft(`${at}`, { group: `g${at % 37}` })));
  const runner = await shop.startRunner(
    handlerOf((text) => void seen.set(text, (seen.get(text) ?? 0) + 1)),
    { concurrency: 8 },
  );
  await runner.idle();
  expect(seen.size).toBe(600);
  expect(Math.max(...seen.values())).toBe(1);
}, 30_000);

describe("a job with a follow-up job", () => {
  const done: string[] = [];
  const step = (next: Partial<JobDraft> | null, work?: () => Promise<void>): JobHandler =>
    handler(async (text, context) => {
      await work?.();
      done.push(`${context.job.kind} ${text}`);
      if (next) await context.follow(shop.database.jobs, draft(text, next));
      else await context.finish(shop.database.jobs);
    });

  beforeEach(() => void done.splice(0));

  test("completes it before a younger job starts", async () => {
    await shop.database.jobs.enqueue([draft("one"), draft("two"), draft("three")]);
    const handlers = { work: step({ kind: "second" }), second: step({ kind: "third" }), third: step(null) };
    const runner = await shop.startRunner(handlers, { concurrency: 1 });
    await runner.idle();
    const steps = ["work", "second", "third"];
    expect(done).toEqual(["one", "two", "three"].flatMap((text) => steps.map((kind) => `${kind} ${text}`)));
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
  });

  test.each([
    ["later", { kind: "second", runAt: new Date("2999-01-01") }],
    ["one at a time", { kind: "second", exclusive: true }],
    ["in its own slots", { kind: "slow" }],
  ])("leaves it in the queue when it has to run %s", async (_, next) => {
    await shop.database.jobs.enqueue([draft("one"), draft("two")]);
    const slow = { ...step(null), slots: 1 };
    const runner = await shop.startRunner({ work: step(next), second: step(null), slow }, { concurrency: 1 });
    await runner.idle();
    expect(done.slice(0, 2)).toEqual(["work one", "work two"]);
    const left = "runAt" in next ? 2 : 0;
    expect([done.length, (await shop.database.jobs.counts()).waiting]).toEqual([4 - left, left]);
  });

  test("is not repeated when the follow-up fails: only that is", async () => {
    await shop.database.jobs.enqueue([draft("one")]);
    let failures = 0;
    const failing = step(null, async () => {
      failures += 1;
      if (failures === 1) throw new Error("broken");
    });
    const runner = await shop.startRunner({ work: step({ kind: "second" }), second: failing });
    await runner.idle();
    expect(done).toEqual(["work one"]);
    shop.clock.advance(HOUR);
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["work one", "second one"]);
  });

  test("is put back with it when the service stops in between", async () => {
    await shop.database.jobs.enqueue([draft("one")]);
    const begun = gate();
    const second = handler(async (_, { signal }) => {
      begun.open();
      await untilAborted(signal);
    });
    const runner = await shop.startRunner({ work: step({ kind: "second" }), second });
    await begun.opened;
    await runner.stop();
    const [left] = await shop.database.jobs.claim("other", 1, HOUR);
    expect(left).toMatchObject({ kind: "second", payload: "one", attempt: 1 });
  });
});
