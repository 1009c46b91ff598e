import { describe, expect, test } from "vitest";
import * as z from "zod";
import { AppError, RetryLater } from "../../src/core/errors.js";
import type { Job, JobHandler } from "../../src/core/ports.js";
import { draft, gate, handlerOf, useWorkshop } from "../support/job-workshop.js";
import { withMethods } from "../support/with-methods.js";

const HOUR = 3_600_000;
const shop = useWorkshop();

describe("a failure", () => {
  test("is retried with growing waits, and then dead with a readable reason", async () => {
    const attempts: number[] = [];
    const died: [Job, string][] = [];
    const runner = await shop.startRunner(
      handlerOf((_, { job }) => {
        attempts.push(job.attempt);
        throw new AppError("internal", "The page could not be laid out.");
      }),
      { onDead: async (job, reason) => void died.push([job, reason]) },
    );
    await shop.database.jobs.enqueue([draft("x", { maxAttempts: 3 })]);
    const waits: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      await runner.idle();
      const due = await shop.database.jobs.nextDue();
      if (due) waits.push(due.getTime() - shop.clock.now().getTime());
      shop.clock.advance(HOUR);
    }
    const reason = "Gave up after 3 attempts. The page could not be laid out.";
    expect(attempts).toEqual([1, 2, 3]);
    expect(waits).toEqual([1000, 2000]);
    expect(await shop.database.jobs.dead(10)).toMatchObject([{ kind: "work", payload: "x", group: "a", reason }]);
    expect(died).toEqual([[expect.objectContaining({ payload: "x", attempt: 3 }), reason]]);
  });

  test("of an unexpected kind shows users no detail, and logs all of it", async () => {
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw new TypeError("cannot read password hunter2");
      }),
    );
    await shop.database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    await runner.idle();
    const [dead] = await shop.database.jobs.dead(1);
    const line = shop.log.lines.find((entry) => entry.event === "a job was given up");
    expect(dead?.reason).toMatch(/^Gave up after 1 attempt\. The step "work" failed unexpectedly/);
    expect(dead?.reason).not.toContain("hunter2");
    expect(dead?.reason).toContain(line?.["errorId"]);
    expect(line?.["error"]).toContain("hunter2");
  });

  test.each(["invalid", "not_found", "unauthorized", "forbidden", "too_large", "unsupported_type"] as const)(
    "%s is final: no second attempt",
    async (kind) => {
      const runner = await shop.startRunner(
        handlerOf(() => {
          throw new AppError(kind, "No.", { retryAfter: 5 });
        }),
      );
      await shop.database.jobs.enqueue([draft("x")]);
      await runner.idle();
      expect(shop.log.lines.find((entry) => entry.event === "a job was given up")).toMatchObject({
        level: "info",
        reason: "No.",
      });
      expect(await shop.database.jobs.dead(10)).toMatchObject([{ reason: "No." }]);
    },
  );

  test("an outage is waited for longer than a single error", async () => {
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw new AppError("unavailable", "The provider is down.");
      }),
    );
    await shop.database.jobs.enqueue([draft("x")]);
    let waited = 0;
    for (let round = 1; round <= 8; round += 1) {
      await runner.idle();
      const due = await shop.database.jobs.nextDue();
      const wait = due ? due.getTime() - shop.clock.now().getTime() : 0;
      waited += wait;
      shop.clock.advance(wait);
    }
    expect(waited).toBeGreaterThan(HOUR);
    expect(await shop.database.jobs.dead(10)).toHaveLength(1);
  });

  test.each([
    ["RetryLater", () => new RetryLater(90, "The container is not quiet yet.")],
    ["an AppError with retryAfter", () => new AppError("rate_limited", "Slow down.", { retryAfter: 90 })],
  ])("%s waits as long as stated and counts no attempt", async (_name, error) => {
    const attempts: number[] = [];
    const runner = await shop.startRunner(
      handlerOf((_, { job }) => {
        attempts.push(job.attempt);
        if (attempts.length < 4) throw error();
      }),
    );
    await shop.database.jobs.enqueue([draft("x", { maxAttempts: 1 })]);
    for (let round = 1; round <= 3; round += 1) {
      await runner.idle();
      expect(await shop.database.jobs.nextDue()).toEqual(shop.clock.from(90_000));
      shop.clock.advance(90_000);
    }
    await runner.idle();
    expect(attempts).toEqual([1, 1, 1, 1]);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 0, dead: 0 });
  });

  test("a wait requested by a provider is at most a day, and grows with repeated requests for no wait", async () => {
    const seconds = [10_000_000, ...Array.from({ length: 12 }, () => 0)];
    const waits: number[] = [];
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw new RetryLater(seconds[waits.length] ?? 0, "Later.");
      }),
    );
    await shop.database.jobs.enqueue([draft("x")]);
    while (waits.length < 10) {
      await runner.idle();
      const due = await shop.database.jobs.nextDue();
      waits.push(due!.getTime() - shop.clock.now().getTime());
      shop.clock.advance(waits.at(-1)!);
    }
    expect(waits[0]).toBe(24 * HOUR);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(16_000);
  });

  test("one failing job does not stop the others", async () => {
    const done: string[] = [];
    const names = Array.from({ length: 10 }, (_, at) => `${at}`);
    await shop.database.jobs.enqueue(names.map((name) => draft(name)));
    const runner = await shop.startRunner(
      handlerOf((text) => {
        if (Number(text) % 2 === 0) throw new Error("even");
        done.push(text);
      }),
    );
    await runner.idle();
    expect(done.toSorted()).toEqual(["1", "3", "5", "7", "9"]);
    expect(await shop.database.jobs.counts()).toMatchObject({ waiting: 5 });
  });

  test.each([
    ["a payload of the wrong type", draft({ not: "text" }), /payload of the job does not match "work"/],
    ["a kind that nothing handles", draft("x", { kind: "toString" }), /does not handle jobs of the kind "toString"/],
  ])("%s is dead immediately, with a reason", async (_name, bad, reason) => {
    const runs: string[] = [];
    const runner = await shop.startRunner(handlerOf((text) => void runs.push(text)));
    await shop.database.jobs.enqueue([bad, draft("good")]);
    runner.wake();
    await runner.idle();
    expect((await shop.database.jobs.dead(10)).map((job) => job.reason)).toEqual([expect.stringMatching(reason)]);
    expect(runs).toEqual(["good"]);
  });

  test("a job that was running in two crashes is set aside, and runs again on request", async () => {
    await shop.database.jobs.enqueue([draft("poison")]);
    for (let crash = 1; crash <= 2; crash += 1) {
      await shop.database.jobs.claim("a process that died", 1, 1000);
      await shop.database.jobs.reclaim();
    }
    const runs: string[] = [];
    const runner = await shop.startRunner(
      handlerOf((text) => void runs.push(text)),
      { soleOwner: true },
    );
    await runner.idle();
    expect(runs).toEqual([]);
    expect((await shop.database.jobs.dead(1))[0]?.reason).toMatch(
      /ended in the middle of this step 2 times.*set aside/,
    );
    await shop.database.jobs.revive();
    runner.wake();
    await runner.idle();
    expect(runs).toEqual(["poison"]);
  });

  test("a job that resumes where it stopped survives many crashes, but not all, and reports that itself", async () => {
    const { jobs } = shop.database;
    const crash = async (): Promise<void> => {
      await jobs.claim("a process that died", 1, 1000);
      await jobs.reclaim();
    };
    await jobs.enqueue([draft("long", { maxAttempts: 2 })]);
    for (let count = 0; count < 19; count += 1) await crash();
    const runs: string[] = [];
    const told: string[] = [];
    const work: JobHandler<string> = {
      schema: z.string(),
      resumes: true,
      run: async (text) => void runs.push(text),
      giveUp: async (text, reason) => void told.push(`${text}: ${reason}`),
    };
    const runner = await shop.startRunner({ work });
    await runner.idle();
    expect([runs, told]).toEqual([["long"], []]);
    await jobs.enqueue([draft("poison", { runAt: shop.clock.from(1_000) })]);
    shop.clock.advance(1_000);
    for (let count = 0; count < 20; count += 1) await crash();
    runner.wake();
    await runner.idle();
    expect(runs).toEqual(["long"]);
    expect(told).toEqual([expect.stringMatching(/^poison: .*20 times.*Nothing was lost\.$/)]);
    expect(await jobs.dead(1)).toEqual([]);
  });

  test("a job that was running in one crash runs again, and its next step starts with no crashes counted", async () => {
    const { jobs } = shop.database;
    await jobs.enqueue([draft("large")]);
    await jobs.claim("a process that died", 1, 1000);
    await jobs.reclaim();
    const [second] = await jobs.claim("the next process", 1, 1000);
    expect(second).toMatchObject({ attempt: 1, crashes: 1 });
    expect(await jobs.replace("the next process", second!.id, draft("next step"), 1000)).toMatchObject({ crashes: 0 });
  });

  test("jobs from a crash first run alone, so that those beside the culprit are not set aside", async () => {
    const { jobs } = shop.database;
    await jobs.enqueue(["poison", "neighbour", "other"].map((text) => draft(text)));
    await jobs.claim("a process that died", 3, 1000);
    await jobs.enqueue([draft("younger")]);
    const atOnce: string[][] = [];
    const running = new Set<string>();
    const { opened, open } = gate();
    const runner = await shop.startRunner(
      handlerOf(async (text) => {
        running.add(text);
        atOnce.push([...running]);
        if (text === "poison") await opened;
        running.delete(text);
      }),
      { soleOwner: true },
    );
    await expect.poll(() => atOnce).toEqual([["poison"]]);
    // If the process crashes now, only this job was running.
    expect(await jobs.counts()).toMatchObject({ running: 1, waiting: 3 });
    open();
    await runner.idle();
    expect(atOnce.slice(0, 3)).toEqual([["poison"], ["neighbour"], ["other"]]);
    expect(atOnce.at(-1)).toEqual(["younger"]);
  });

  test("where processes share the work, a job in five crashes is set aside, and those beside it are done", async () => {
    const { jobs } = shop.database;
    await jobs.enqueue(["poison", "neighbour"].map((text) => draft(text)));
    /** The jobs claimed by each node, which then crashes on the poison. */
    const taken: string[][] = [];
    for (const node of ["first", "second", "third", "fourth", "fifth"]) {
      const got = await jobs.claim(node, 2, 1000);
      taken.push(got.map(({ payload }) => String(payload)));
      shop.clock.advance(1001);
    }
    expect(taken).toEqual([["poison", "neighbour"], ...Array.from({ length: 4 }, () => ["poison"])]);
    const done: string[] = [];
    const runner = await shop.startRunner(handlerOf((text) => void done.push(text)));
    await runner.idle();
    expect(done).toEqual(["neighbour"]);
    expect((await jobs.dead(10)).map(({ payload, reason }) => `${String(payload)}: ${reason}`)).toEqual([
      expect.stringMatching(/^poison: The process ended in the middle of this step 5 times/),
    ]);
  });

  test("other jobs do not wait long for a slow job from a crash", async () => {
    const { jobs } = shop.database;
    await jobs.enqueue([draft("slow")]);
    await jobs.claim("a process that died", 1, 1000);
    await jobs.enqueue([draft("quick")]);
    const { opened, open } = gate();
    const done: string[] = [];
    const runner = await shop.startRunner(
      handlerOf(async (text) => {
        if (text === "slow") await opened;
        done.push(text);
      }),
      { soleOwner: true },
    );
    await expect.poll(() => done, { timeout: 10_000 }).toEqual(["quick"]);
    open();
    await runner.idle();
  });

  test("a job that ends normally, successful or not, is cleared of an earlier crash", async () => {
    const { jobs } = shop.database;
    await jobs.enqueue([draft("failing")]);
    await jobs.claim("a process that died", 1, 1000);
    await jobs.reclaim();
    const [again] = await jobs.claim("the next process", 1, 1000, { crashed: true });
    await jobs.release("the next process", again!.id, { runAt: shop.clock.now(), failed: true, reason: "No network." });
    expect(await jobs.claim("the next process", 1, 1000, { crashed: true })).toEqual([]);
    expect((await jobs.claim("the next process", 1, 1000))[0]).toMatchObject({ crashes: 0, attempt: 2 });
  });

  test("a job is dead even when its death cannot be reported", async () => {
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw new AppError("invalid", "Broken.");
      }),
      {
        onDead: async () => {
          throw new Error("the document is gone");
        },
      },
    );
    await shop.database.jobs.enqueue([draft("x")]);
    await runner.idle();
    expect((await shop.database.jobs.dead(1))[0]?.reason).toMatch(/^Broken\. \(The failure could not be recorded/);
    expect(shop.log.lines.map((line) => line.event)).toContain("the failure of a job could not be reported");
  });

  const storeIsAway = () => new AppError("unavailable", "The database cannot be reached.");

  test("a job whose outcome cannot be written at first is not counted as running in a crash", async () => {
    const { jobs } = shop.database;
    let failures = 2;
    const flaky = withMethods(jobs, {
      release: async (...args) => {
        if (failures-- > 0) throw storeIsAway();
        return jobs.release(...args);
      },
    });
    await jobs.enqueue([draft("x")]);
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw storeIsAway();
      }),
      { jobs: flaky },
    );
    await runner.idle();
    expect(failures).toBeLessThan(0);
    expect(shop.log.lines.map((line) => line.event)).not.toContain("the outcome of a job could not be written");
    shop.clock.advance(HOUR);
    expect(await jobs.claim("another", 1, 1000)).toMatchObject([{ payload: "x", crashes: 0 }]);
  });

  test("a death that cannot be reported while the store is unavailable is reported later", async () => {
    const told: string[] = [];
    const runner = await shop.startRunner(
      handlerOf(() => {
        throw new AppError("invalid", "Broken.");
      }),
      {
        onDead: async (_, reason) => {
          told.push(reason);
          if (told.length < 3) throw storeIsAway();
        },
      },
    );
    await shop.database.jobs.enqueue([draft("x")]);
    await runner.idle();
    expect(told).toEqual(["Broken.", "Broken.", "Broken."]);
    expect((await shop.database.jobs.dead(1))[0]?.reason).toBe("Broken.");
  });

  test("revived jobs run again", async () => {
    let isBroken = true;
    const done: string[] = [];
    const runner = await shop.startRunner(
      handlerOf((text) => {
        if (isBroken) throw new AppError("invalid", "Wrong key.");
        done.push(text);
      }),
    );
    await shop.database.jobs.enqueue([draft("x")]);
    await runner.idle();
    isBroken = false;
    await shop.database.jobs.revive();
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["x"]);
  });

  test("a store that fails temporarily does not end the loop", async () => {
    const done: string[] = [];
    let failures = 2;
    const { jobs } = shop.database;
    const flaky = withMethods(jobs, {
      claim: async (...args) => {
        failures -= 1;
        if (failures >= 0) throw new AppError("unavailable", "The store is locked by another program.");
        return jobs.claim(...args);
      },
    });
    await jobs.enqueue([draft("x")]);
    const runner = await shop.startRunner(
      handlerOf((text) => void done.push(text)),
      { jobs: flaky },
    );
    runner.wake();
    await runner.idle();
    expect(done).toEqual(["x"]);
    expect(shop.log.lines.filter((line) => line.event === "jobs could not be claimed")).toHaveLength(2);
  });
});
