import { describe, expect, test } from "vitest";
import type { Job, JobDraft, JobStore } from "../../src/core/ports.js";
import type { ManualClock } from "../support/clock.js";

const LEASE = 60_000;

interface LeaseFixture {
  readonly jobs: JobStore;
  readonly clock: ManualClock;
  /** Lets so many milliseconds of every lease pass. */
  readonly elapse: (ms: number) => Promise<void>;
}

/** What every JobStore does with leases; part of `describeJobStore`. */
export function describeJobLeases(opened: () => LeaseFixture): void {
  const draft = (values: Partial<JobDraft> = {}): JobDraft => ({ kind: "embed", payload: {}, group: "a", ...values });
  const take = (jobs: JobStore, limit = 100, worker = "one"): Promise<Job[]> => jobs.claim(worker, limit, LEASE);
  const takeOne = async (jobs: JobStore, worker = "one"): Promise<Job> => {
    const [job] = await take(jobs, 1, worker);
    if (!job) throw new Error("There was no job to take.");
    return job;
  };

  describe("leases", () => {
    test("a claimed job is not claimed again, even by a simultaneous claim", async () => {
      const { jobs } = opened();
      await jobs.enqueue(Array.from({ length: 20 }, (_, at) => draft({ payload: at })));
      const claims = await Promise.all(["one", "two", "three"].map((worker) => take(jobs, 10, worker)));
      const ids = claims.flat().map((job) => job.id);
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
    });

    test("another worker's expired lease makes its job due and counts as a crash instead of an attempt", async () => {
      const { jobs, clock, elapse } = opened();
      await jobs.enqueue([draft()]);
      const first = await takeOne(jobs, "one");
      await elapse(LEASE + 1);
      const second = await takeOne(jobs, "two");
      expect(second).toEqual({ ...first, crashes: 1 });
      expect(await jobs.extend("one", first.id, LEASE)).toBe(false);
      expect(await jobs.complete("one", first.id)).toBe(false);
      await jobs.release("one", first.id, { runAt: clock.now(), failed: true, reason: "late" });
      await jobs.bury("one", first.id, "late");
      expect(await jobs.counts()).toMatchObject({ waiting: 0, running: 1, dead: 0 });
      expect(await jobs.complete("two", first.id)).toBe(true);
    });

    test("a worker's own expired lease counts as an attempt: it slept and did not crash", async () => {
      const { jobs, elapse } = opened();
      await jobs.enqueue([draft()]);
      const first = await takeOne(jobs);
      await elapse(LEASE + 1);
      expect(await takeOne(jobs)).toEqual({ ...first, attempt: 2 });
    });

    test("a worker that was suspended keeps a job that it is still running", async () => {
      const { jobs, elapse } = opened();
      await jobs.enqueue([draft(), draft()]);
      const [first, second] = await take(jobs, 2);
      await elapse(10 * LEASE);
      const running = [first?.id ?? 0];
      const taken = await jobs.claim("one", 100, LEASE, { except: [], running });
      expect(taken).toMatchObject([{ id: second?.id, attempt: 2 }]);
      expect(await jobs.extend("one", first?.id ?? 0, LEASE)).toBe(true);
      expect(await jobs.claim("two", 100, LEASE, { except: [], running })).toEqual([]);
    });

    test("extend keeps a lease", async () => {
      const { jobs, elapse } = opened();
      await jobs.enqueue([draft()]);
      const job = await takeOne(jobs);
      await elapse(LEASE - 10_000);
      expect(await jobs.extend("one", job.id, LEASE)).toBe(true);
      await elapse(LEASE - 10_000);
      expect(await take(jobs, 1, "two")).toEqual([]);
    });

    test("reclaim frees the jobs of workers that are gone", async () => {
      const { jobs } = opened();
      await jobs.enqueue([draft(), draft()]);
      await take(jobs);
      expect(await take(jobs)).toEqual([]);
      expect(await jobs.reclaim()).toBe(2);
      // One at a time, so that another crash can be attributed to one job.
      for (const worker of ["one", "two"])
        expect((await take(jobs, 2, worker)).map(({ attempt, crashes }) => `${attempt} ${crashes}`)).toEqual(["1 1"]);
    });

    test("complete removes the job once", async () => {
      const { jobs } = opened();
      await jobs.enqueue([draft()]);
      const job = await takeOne(jobs);
      expect(await jobs.complete("two", job.id)).toBe(false);
      expect(await jobs.complete("one", job.id)).toBe(true);
      expect(await jobs.complete("one", job.id)).toBe(false);
      expect(await jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0, oldestWaitingSeconds: 0 });
    });
  });
}
