import { expect, test } from "vitest";
import { backoff, retry } from "../../src/lib/retry.js";

const options = { baseMs: 100, maximumMs: 10_000 };
const fast = { attempts: 3, baseMs: 1, maximumMs: 2 };

test("backoff doubles up to the maximum", () => {
  const waits = [1, 2, 3, 8, 500].map((attempt) => backoff(attempt, { ...options, random: () => 1 }));
  expect(waits).toEqual([100, 200, 400, 10_000, 10_000]);
});

test("backoff jitters over the upper half", () => {
  expect(backoff(2, { ...options, random: () => 0 })).toBe(100);
  expect(backoff(2, { ...options, random: () => 0.5 })).toBe(150);
});

test("retry returns the first success", async () => {
  const attempts: number[] = [];
  const answer = await retry(
    async (attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error("not yet");
      return "done";
    },
    { ...fast, judge: () => true },
  );
  expect(answer).toBe("done");
  expect(attempts).toEqual([1, 2, 3]);
});

test("retry throws the last error after the last attempt", async () => {
  let calls = 0;
  const work = async (): Promise<never> => {
    calls += 1;
    throw new Error(`failure ${calls}`);
  };
  await expect(retry(work, { ...fast, judge: () => true })).rejects.toThrow("failure 3");
});

test("retry gives up immediately when the judge says so", async () => {
  let calls = 0;
  const work = async (): Promise<never> => {
    calls += 1;
    throw new Error("for good");
  };
  await expect(retry(work, { ...fast, judge: () => false })).rejects.toThrow("for good");
  expect(calls).toBe(1);
});

test("retry stops waiting once the signal aborts", async () => {
  const controller = new AbortController();
  const work = async (): Promise<never> => {
    setImmediate(() => controller.abort(new Error("stopped")));
    throw new Error("failed");
  };
  const running = retry(work, { ...fast, judge: () => 60_000, signal: controller.signal });
  await expect(running).rejects.toThrow("stopped");
});
