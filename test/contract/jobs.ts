import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Job, JobDraft, JobStore } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { describeJobLeases } from "./job-leases.js";
import { describeWaitingJobs } from "./waiting-jobs.js";

export interface OpenedJobStore {
  readonly jobs: JobStore;
  /** Lets so many milliseconds of every lease pass where the clock that the store was opened with does not decide. */
  elapse?(ms: number): Promise<void>;
  close(): Promise<void>;
}

const LEASE = 60_000;

/** What every JobStore must do. */
export function describeJobStore(name: string, open: (clock: ManualClock) => Promise<OpenedJobStore>): void {
  describe(`job store: ${name}`, () => {
    let clock: ManualClock;
    let store: OpenedJobStore;
    let jobs: JobStore;

    beforeEach(async () => {
      clock = new ManualClock();
      store = await open(clock);
      jobs = store.jobs;
    });
    afterEach(() => store.close());

    const elapse = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await store.elapse?.(ms);
    };
    const draft = (values: Partial<JobDraft> = {}): JobDraft => ({
      kind: "embed",
      payload: {},
      group: "a",
      ...values,
    });
    const note = (text: string, values: Partial<JobDraft> = {}): JobDraft => draft({ payload: text, ...values });
    const take = (limit = 100, worker = "one"): Promise<Job[]> => jobs.claim(worker, limit, LEASE);
    const payloads = (taken: readonly Job[]): unknown[] => taken.map((job) => job.payload);
    const takeOne = async (worker = "one"): Promise<Job> => {
      const [job] = await take(1, worker);
      if (!job) throw new Error("There was no job to take.");
      return job;
    };

    test("returns a job as it was written", async () => {
      const payload = { text: "ö\u0000\ud83d\ude00", list: [1, null, { deep: true }] };
      await jobs.enqueue([draft({ payload, exclusive: true, maxAttempts: 3, runAt: clock.from(-5) })]);
      expect(await take()).toEqual([
        {
          id: expect.any(Number) as number,
          kind: "embed",
          payload,
          group: "a",
          exclusive: true,
          attempt: 1,
          maxAttempts: 3,
          crashes: 0,
          runAt: clock.from(-5),
        },
      ]);
    });

    test("returns an empty list when there is nothing to claim", async () => {
      expect(await take()).toEqual([]);
      expect(await jobs.nextDue()).toBeNull();
      await jobs.enqueue([]);
      await jobs.enqueue([draft()]);
      expect(await take(0)).toEqual([]);
    });

    test("claims no more jobs of a group and kind than may run at the same time", async () => {
      const choice = { only: ["embed"], mostOfGroup: 2 };
      await jobs.enqueue(["1", "2", "3", "4"].map((text) => note(text)));
      await jobs.enqueue([note("other", { group: "b" }), note("kind", { kind: "draw" })]);
      const first = await jobs.claim("one", 1, LEASE, choice);
      expect(payloads([...first, ...(await jobs.claim("two", 100, LEASE, choice))])).toEqual(["1", "other", "2"]);
      expect(await jobs.claim("one", 100, LEASE, choice)).toEqual([]);
      await jobs.complete("one", first[0]?.id ?? 0);
      expect(payloads(await jobs.claim("one", 100, LEASE, choice))).toEqual(["3"]);
    });

    test("reports which kinds have due jobs", async () => {
      const kinds = ["embed", "read", "draw"];
      expect(await jobs.dueKinds(kinds)).toEqual([]);
      await jobs.enqueue([draft({ kind: "draw" }), draft({ kind: "embed" }), draft({ kind: "sing" })]);
      await jobs.enqueue([draft({ kind: "read", runAt: clock.from(60_000) })]);
      expect(await jobs.dueKinds(kinds)).toEqual(["embed", "draw"]);
      expect(await jobs.dueKinds([])).toEqual([]);
      clock.advance(60_000);
      expect(await jobs.dueKinds(kinds)).toEqual(kinds);
      await take();
      expect(await jobs.dueKinds(kinds)).toEqual([]);
    });

    test("hasten makes the waiting jobs of one kind due", async () => {
      await jobs.enqueue(["embed", "read"].map((kind) => draft({ kind, runAt: clock.from(60_000) })));
      await jobs.hasten("embed");
      expect((await take()).map(({ kind }) => kind)).toEqual(["embed"]);
    });

    test("accepts thousands of drafts in one call", async () => {
      await jobs.enqueue(Array.from({ length: 2_345 }, (_, at) => draft({ payload: at, key: `key ${at}` })));
      expect((await jobs.counts()).waiting).toBe(2_345);
    });

    describe("order", () => {
      test("oldest first", async () => {
        await jobs.enqueue([note("third", { runAt: clock.from(-1) }), note("first", { runAt: clock.from(-3) })]);
        await jobs.enqueue([note("second", { runAt: clock.from(-3) })]);
        expect(payloads(await take())).toEqual(["first", "second", "third"]);
      });

      test("groups take turns", async () => {
        await jobs.enqueue(["a1", "a2", "a3"].map((text) => note(text, { runAt: clock.from(-1000) })));
        await jobs.enqueue([note("b1", { group: "b" }), note("b2", { group: "b" }), note("c1", { group: "c" })]);
        const taken = payloads(await take());
        expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
      });

      test("groups take turns across claims of one job each", async () => {
        await jobs.enqueue(["a1", "a2", "a3"].map((text) => note(text, { runAt: clock.from(-1000) })));
        await jobs.enqueue([note("b1", { group: "b" }), note("b2", { group: "b" })]);
        const order: unknown[] = [];
        for (let turn = 0; turn < 5; turn += 1) {
          const job = await takeOne();
          order.push(job.payload);
          await jobs.complete("one", job.id);
        }
        expect(order).toEqual(["a1", "b1", "a2", "b2", "a3"]);
      });

      test("the group with the fewest running jobs goes first", async () => {
        await jobs.enqueue(["a1", "a2"].map((text) => note(text)));
        expect(payloads(await take())).toEqual(["a1", "a2"]);
        await jobs.enqueue([note("b1", { group: "b" })]);
        expect(payloads(await take())).toEqual(["b1"]);
        await jobs.enqueue([note("a3"), note("b2", { group: "b" })]);
        expect(payloads(await take(1))).toEqual(["b2"]);
      });

      test("a large backlog in one group blocks neither another group nor another kind", async () => {
        const crowd = Array.from({ length: 1_000 }, (_, at) =>
          note(`m${at}`, { group: "m", exclusive: true, runAt: clock.from(-1000) }),
        );
        await jobs.enqueue(crowd);
        const others = ["a", "b", "x", "y"].flatMap((group) => [
          note(`${group}1`, { group }),
          note(`${group}2`, { group }),
        ]);
        await jobs.enqueue([...others, note("other kind", { group: "m", kind: "remember" })]);
        const taken: unknown[] = [];
        for (let found = await take(3); found.length > 0; found = await take(3)) taken.push(...payloads(found));
        expect(taken.map(String).toSorted()).toEqual([
          "a1",
          "a2",
          "b1",
          "b2",
          "m0",
          "other kind",
          "x1",
          "x2",
          "y1",
          "y2",
        ]);
      });

      test("many groups with a backlog all get their turn long before the queue is empty", async () => {
        const groups = Array.from({ length: 120 }, (_, at) => `group ${String(at).padStart(3, "0")}`);
        await jobs.enqueue(groups.flatMap((group) => [1, 2, 3].map((number) => note(`${number}`, { group }))));
        const served = new Map<string, number>();
        for (let turn = 0; turn < 40; turn += 1) {
          for (const job of await take(4)) {
            served.set(job.group, (served.get(job.group) ?? 0) + 1);
            await jobs.complete("one", job.id);
          }
        }
        expect(served.size).toBe(120);
      });
    });

    describe("time", () => {
      test("a job does not run before its time", async () => {
        await jobs.enqueue([note("later", { runAt: clock.from(1000) })]);
        expect(await take()).toEqual([]);
        expect(await jobs.nextDue()).toEqual(clock.from(1000));
        clock.advance(1000);
        expect(payloads(await take())).toEqual(["later"]);
        expect(await jobs.nextDue()).toBeNull();
      });

      test("nextDue returns the earliest time", async () => {
        await jobs.enqueue([5000, 1000, 3000].map((ms) => draft({ runAt: clock.from(ms) })));
        expect(await jobs.nextDue()).toEqual(clock.from(1000));
      });
    });

    describe("keys", () => {
      test("a key is not queued again while its job waits or runs", async () => {
        await jobs.enqueue([note("first", { key: "k" }), note("twin", { key: "k" })]);
        await jobs.enqueue([note("later twin", { key: "k" }), note("other", { key: "l" })]);
        const taken = await take();
        expect(payloads(taken)).toEqual(["first", "other"]);
        await jobs.enqueue([note("while running", { key: "k" })]);
        expect(await take()).toEqual([]);
      });

      test("a key is free again once its job is completed or dead", async () => {
        for (const end of ["complete", "bury"] as const) {
          await jobs.enqueue([note("first", { key: end })]);
          const job = await takeOne();
          if (end === "complete") await jobs.complete("one", job.id);
          else await jobs.bury("one", job.id, "broken");
          await jobs.enqueue([note("second", { key: end })]);
          expect(payloads(await take())).toEqual(["second"]);
        }
      });
    });

    describe("exclusive", () => {
      test("never runs two exclusive jobs of one group and kind", async () => {
        await jobs.enqueue(["1", "2"].map((text) => note(text, { exclusive: true })));
        const first = await take();
        expect(payloads(first)).toEqual(["1"]);
        expect(await take(100, "two")).toEqual([]);
        await jobs.complete("one", first[0]!.id);
        expect(payloads(await take(100, "two"))).toEqual(["2"]);
      });

      test("other kinds and other groups continue", async () => {
        await jobs.enqueue([
          note("1", { exclusive: true }),
          note("other kind", { exclusive: true, kind: "index" }),
          note("other group", { exclusive: true, group: "b" }),
        ]);
        expect(
          payloads(await take())
            .map(String)
            .toSorted(),
        ).toEqual(["1", "other group", "other kind"]);
      });

      test("an exclusive job waits for a shared one of its lane, and vice versa", async () => {
        await jobs.enqueue([note("shared"), note("exclusive", { exclusive: true }), note("shared too")]);
        const first = await take();
        expect(payloads(first)).toEqual(["shared", "shared too"]);
        for (const job of first) await jobs.complete("one", job.id);
        const second = await take();
        expect(payloads(second)).toEqual(["exclusive"]);
        await jobs.enqueue([note("shared again")]);
        expect(await take()).toEqual([]);
      });
    });

    describeJobLeases(() => ({ jobs, clock, elapse }));

    describe("failure", () => {
      test("release after a failure counts the attempt, release without one does not", async () => {
        await jobs.enqueue([draft()]);
        const attempts: number[] = [];
        for (const failed of [true, false, false, true]) {
          const job = await takeOne();
          attempts.push(job.attempt);
          await jobs.release("one", job.id, { runAt: clock.now(), failed, reason: "no" });
        }
        expect(attempts).toEqual([1, 2, 2, 2]);
        expect((await takeOne()).attempt).toBe(3);
      });

      test("jobs can be claimed by kind", async () => {
        const crowd = Array.from({ length: 100 }, (_, at) => note(`slow ${at}`, { kind: "slow", group: `g${at}` }));
        await jobs.enqueue([...crowd, note("quick", { kind: "quick" })]);
        expect(payloads(await jobs.claim("one", 5, LEASE, { except: ["slow"] }))).toEqual(["quick"]);
        expect(payloads(await jobs.claim("one", 2, LEASE, { only: ["slow"] }))).toHaveLength(2);
        expect(await jobs.claim("one", 5, LEASE, { except: ["slow"] })).toEqual([]);
        expect(await jobs.claim("one", 5, LEASE, { only: [] })).toEqual([]);
        expect(await jobs.claim("one", 10, LEASE, { except: [] })).toHaveLength(10);
      });

      test("a released job has a reason until it is done", async () => {
        await jobs.enqueue([draft({ key: "k" }), draft({ key: "other" })]);
        expect(await jobs.reasonOf("k")).toBeNull();
        const job = await takeOne();
        await jobs.release("one", job.id, { runAt: clock.now(), failed: false, reason: "nobody is there" });
        expect(await jobs.reasonOf("k")).toBe("nobody is there");
        expect(await jobs.reasonOf("other")).toBeNull();
        expect(await jobs.reasonOf("never")).toBeNull();
        await jobs.complete("one", (await takeOne()).id);
        expect(await jobs.reasonOf("k")).toBeNull();
      });

      test("jobs put off are found by their keys", async () => {
        await jobs.enqueue([draft({ key: "k" }), draft({ key: "later", runAt: clock.from(9_000) })]);
        const { id } = await takeOne();
        expect(await jobs.putOff(["k", "later", "never"])).toEqual([]);
        await jobs.release("one", id, { runAt: clock.from(5_000), failed: false, reason: "nobody is there" });
        const putOff = { id, runAt: clock.from(5_000), reason: "nobody is there" };
        expect(await jobs.putOff(["k", "later", "never"])).toEqual([putOff]);
        expect(await jobs.putOff(["later"])).toEqual([]);
        clock.advance(5_000);
        expect(await jobs.putOff(["k"])).toEqual([]);
      });

      test("a released job waits for its time", async () => {
        await jobs.enqueue([draft()]);
        const job = await takeOne();
        await jobs.release("one", job.id, { runAt: clock.from(5000), failed: true, reason: "no" });
        expect(await take()).toEqual([]);
        expect(await jobs.nextDue()).toEqual(clock.from(5000));
      });

      test("dead jobs stay visible with their reason, newest first", async () => {
        await jobs.enqueue([note("1", { kind: "chunk" }), note("2")]);
        for (const job of await take()) await jobs.bury("one", job.id, `no use: ${String(job.payload)}`);
        expect(await jobs.dead(10)).toEqual([
          expect.objectContaining({ kind: "embed", payload: "2", group: "a", reason: "no use: 2" }),
          {
            id: expect.any(Number) as number,
            kind: "chunk",
            payload: "1",
            group: "a",
            reason: "no use: 1",
          },
        ]);
        expect(await jobs.dead(1)).toHaveLength(1);
        expect(await jobs.nextDue()).toBeNull();
      });

      test("revive makes all or some jobs due again with fresh attempts", async () => {
        await jobs.enqueue(["1", "2", "3"].map((text) => note(text, { maxAttempts: 1 })));
        const taken = await take();
        for (const job of taken) await jobs.bury("one", job.id, "broken");
        expect(await jobs.revive([taken[1]!.id, 999_999])).toBe(1);
        expect(await take()).toMatchObject([{ payload: "2", attempt: 1 }]);
        expect(await jobs.revive([])).toBe(0);
        expect(await jobs.revive()).toBe(2);
        expect(payloads(await take())).toEqual(["1", "3"]);
        expect(await jobs.dead(10)).toEqual([]);
      });

      test("drops the dead jobs of one subject, and keeps those of others and living ones", async () => {
        await jobs.enqueue([note("1", { key: "embed:abc:1" }), note("2", { key: "embed:abcd:1" }), note("3")]);
        for (const job of await take()) await jobs.bury("one", job.id, "broken");
        await jobs.enqueue([note("4", { key: "embed:abc:2" })]);
        expect(await jobs.dropDead("abc")).toBe(1);
        expect((await jobs.dead(10)).map((job) => job.payload)).toEqual(["3", "2"]);
        expect(payloads(await take())).toEqual(["4"]);
      });

      test("revive restores a key only once", async () => {
        const bury = async (text: string, key: string): Promise<number> => {
          await jobs.enqueue([note(text, { key })]);
          const job = await takeOne();
          await jobs.bury("one", job.id, "broken");
          return job.id;
        };
        await bury("old", "k");
        await bury("new", "k");
        await bury("superseded", "l");
        await jobs.enqueue([note("living", { key: "l" })]);
        expect(await jobs.revive()).toBe(1);
        expect(payloads(await take())).toEqual(["new", "living"]);
        expect(await jobs.dead(10)).toEqual([]);
      });
    });

    test("counts include the numbers of jobs and how long the oldest has been due", async () => {
      await jobs.enqueue([1, 2, 3, 4].map((at) => draft({ payload: at })));
      const taken = await take(2);
      await jobs.bury("one", taken[0]!.id, "broken");
      await jobs.enqueue([draft({ runAt: clock.from(60_000) })]);
      clock.advance(42_999);
      expect(await jobs.counts()).toEqual({ waiting: 3, running: 1, dead: 1, oldestWaitingSeconds: 42 });
    });

    describeWaitingJobs(() => ({ jobs, clock }));

    describe("a job that replaces another", () => {
      test("is already claimed, on its first attempt, and a job like any other", async () => {
        await jobs.enqueue([draft({ key: "first", maxAttempts: 3, reason: "patience" })]);
        const first = await takeOne();
        await jobs.release("one", first.id, { runAt: clock.from(0), failed: true, reason: "broken" });
        const second = await takeOne();
        const next = draft({
          kind: "remember",
          payload: { text: "ö" },
          group: "b",
          key: "next",
          runAt: clock.from(-5),
        });
        const replaced = await jobs.replace("one", second.id, next, LEASE);
        if (!replaced || replaced === "gone") throw new Error("It was not replaced.");
        expect(replaced).toMatchObject({
          kind: "remember",
          payload: { text: "ö" },
          group: "b",
          attempt: 1,
          maxAttempts: 8,
        });
        expect(replaced.runAt).toEqual(clock.from(-5));
        expect([await take(), await jobs.counts()]).toEqual([[], expect.objectContaining({ waiting: 0, running: 1 })]);
        expect(await jobs.reasonOf("next")).toBeNull();
        await jobs.enqueue([draft({ key: "first" })]);
        expect(await take()).toHaveLength(1);
        await elapse(LEASE + 1);
        const again = [...(await take(100, "two")), ...(await take(100, "two"))];
        expect(again.map(({ kind }) => kind).toSorted()).toEqual(["embed", "remember"]);
        expect(await jobs.complete("one", replaced.id)).toBe(false);
      });

      test("is not created when a living job has its key; the finished one is removed", async () => {
        await jobs.enqueue([draft(), draft({ kind: "remember", key: "next", runAt: clock.from(1_000) })]);
        const first = await takeOne();
        expect(await jobs.replace("one", first.id, draft({ kind: "remember", key: "next" }), LEASE)).toBeNull();
        expect(await jobs.counts()).toMatchObject({ waiting: 1, running: 0 });
      });

      test("is not created for a worker that has lost the first", async () => {
        await jobs.enqueue([draft()]);
        const first = await takeOne();
        await elapse(LEASE + 1);
        await takeOne("two");
        expect(await jobs.replace("one", first.id, draft({ kind: "remember" }), LEASE)).toBe("gone");
        expect(await jobs.complete("two", first.id)).toBe(true);
      });
    });

    test("the last run of recurring work is stored by name", async () => {
      expect(await jobs.lastRun("clean-up")).toBeNull();
      await jobs.setLastRun("clean-up", clock.from(1));
      await jobs.setLastRun("clean-up", clock.from(2));
      await jobs.setLastRun("expiry", clock.from(3));
      expect(await jobs.lastRun("clean-up")).toEqual(clock.from(2));
    });

    test("a run of recurring work is taken by exactly one of those who know the last run", async () => {
      const [known, at] = [clock.from(1), clock.from(2)];
      expect(await jobs.takeRun("clean-up", { known, at })).toBe(false);
      await jobs.setLastRun("clean-up", known);
      const taken = await Promise.all([1, 2, 3].map(() => jobs.takeRun("clean-up", { known, at })));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await jobs.lastRun("clean-up")).toEqual(at);
    });
  });
}
