import { describe, expect, test } from "vitest";
import type { Job, JobDraft, JobStore } from "../../src/core/ports.js";
import type { ManualClock } from "../support/clock.js";

const LEASE = 60_000;

/** What every JobStore does with waiting jobs; part of `describeJobStore`. */
export function describeWaitingJobs(opened: () => { readonly jobs: JobStore; readonly clock: ManualClock }): void {
  const note = (text: string, values: Partial<JobDraft> = {}): JobDraft => ({
    kind: "embed",
    payload: text,
    group: "a",
    ...values,
  });
  const take = (jobs: JobStore, limit = 100): Promise<Job[]> => jobs.claim("one", limit, LEASE);
  const takeOne = async (jobs: JobStore): Promise<Job> => {
    const [job] = await take(jobs, 1);
    if (!job) throw new Error("There was no job to take.");
    return job;
  };

  describe("waiting jobs", () => {
    test("are listed by kind and group, oldest first, with how often they failed", async () => {
      const { jobs, clock } = opened();
      await jobs.enqueue([note("running"), note("failed")]);
      const [, failed] = await take(jobs);
      await jobs.enqueue([
        note("late", { runAt: clock.from(60_000) }),
        note("other group", { group: "b" }),
        note("other kind", { kind: "chunk" }),
      ]);
      await jobs.release("one", failed!.id, { runAt: clock.from(1), failed: true, reason: "x" });
      expect(await jobs.waiting("embed", "a")).toEqual([
        { id: failed!.id, payload: "failed", attempt: 1, runAt: clock.from(1) },
        { id: expect.any(Number) as number, payload: "late", attempt: 0, runAt: clock.from(60_000) },
      ]);
    });

    test("are found by their keys, due or not", async () => {
      const { jobs, clock } = opened();
      await jobs.enqueue([note("1", { key: "k:1" })]);
      const running = await takeOne(jobs);
      await jobs.enqueue([note("2", { key: "k:2" }), note("3", { key: "k:3", runAt: clock.from(60_000) })]);
      await jobs.enqueue([note("4", { key: "k:4" })]);
      const found = await jobs.waitingWith(["k:1", "k:2", "k:3", "k:5"]);
      expect(found.map(({ key }) => key).toSorted()).toEqual(["k:2", "k:3"]);
      expect(found.map(({ id }) => id)).not.toContain(running.id);
      expect(await jobs.waitingWith([])).toEqual([]);
    });

    test("for longer than the maximum wait become due", async () => {
      const { jobs, clock } = opened();
      await jobs.enqueue([note("soon", { runAt: clock.from(60_000) }), note("late", { runAt: clock.from(90_000) })]);
      expect(await jobs.hastenAfter(clock.from(60_000))).toBe(1);
      expect((await take(jobs)).map(({ payload }) => payload)).toEqual(["late"]);
    });

    test("are put off with a reason that is reported, and no others are", async () => {
      const { jobs, clock } = opened();
      await jobs.enqueue([
        note("1", { key: "k:1", reason: "patience" }),
        note("2"),
        note("3", { runAt: clock.from(-1) }),
      ]);
      expect(await jobs.reasonOf("k:1")).toBe("patience");
      const running = await takeOne(jobs);
      const ids = (await jobs.waiting("embed", "a")).map(({ id }) => id);
      await jobs.hold([ids[0]!, running.id, 999_999], clock.from(5_000), "more patience");
      expect(await jobs.reasonOf("k:1")).toBe("more patience");
      expect((await take(jobs)).map(({ payload }) => payload)).toEqual(["2"]);
      clock.advance(5_000);
      expect(await take(jobs)).toMatchObject([{ payload: "1", attempt: 1 }]);
      expect(await jobs.complete("one", running.id)).toBe(true);
    });

    test("are dropped, but running ones are not", async () => {
      const { jobs, clock } = opened();
      await jobs.enqueue([note("1", { runAt: clock.from(-1) }), note("2"), note("3")]);
      const running = await takeOne(jobs);
      const [second] = await jobs.waiting("embed", "a");
      await jobs.drop([running.id, second!.id]);
      await jobs.drop([]);
      expect((await jobs.waiting("embed", "a")).map(({ payload }) => payload)).toEqual(["3"]);
      expect(await jobs.complete("one", running.id)).toBe(true);
    });
  });
}
