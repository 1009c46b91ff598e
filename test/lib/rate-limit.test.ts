import { expect, test } from "vitest";
import { createRateLimiter, type Rate } from "../../src/lib/rate-limit.js";

const THREE_A_MINUTE: Rate = { requests: 3, windowMs: 60_000 };

function openLimiter(options: { maxNames?: number } = {}) {
  const clock = { ms: 0 };
  return { clock, limiter: createRateLimiter({ ...options, now: () => clock.ms }) };
}

test("allows the rate in one burst, then none, and states the wait for the next request", () => {
  const { limiter } = openLimiter();
  const taken = [1, 2, 3, 4].map(() => limiter.take("a", THREE_A_MINUTE));
  expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
  expect(taken.map(({ waitMs }) => waitMs)).toEqual([0, 0, 0, 20_000]);
  expect(taken.at(-1)?.fullMs).toBe(60_000);
});

test("refused requests do not count, so that retrying does not prolong the wait", () => {
  const { clock, limiter } = openLimiter();
  for (let i = 0; i < 100; i++) limiter.take("a", THREE_A_MINUTE);
  clock.ms = 19_999;
  expect(limiter.take("a", THREE_A_MINUTE).allowed).toBe(false);
  clock.ms = 20_000;
  expect(limiter.take("a", THREE_A_MINUTE).allowed).toBe(true);
  expect(limiter.take("a", THREE_A_MINUTE).allowed).toBe(false);
});

test("idle time earns no more than the rate", () => {
  const { clock, limiter } = openLimiter();
  limiter.take("a", THREE_A_MINUTE);
  clock.ms = 1e12;
  expect(limiter.take("a", THREE_A_MINUTE).remaining).toBe(2);
});

test("names have separate limits", () => {
  const { limiter } = openLimiter();
  for (let i = 0; i < 4; i++) limiter.take("a", THREE_A_MINUTE);
  expect(limiter.take("b", THREE_A_MINUTE).allowed).toBe(true);
});

test("a changed rate applies from then on", () => {
  const { clock, limiter } = openLimiter();
  limiter.take("a", { requests: 100, windowMs: 1_000 });
  expect(limiter.take("a", { requests: 2, windowMs: 1_000 }).remaining).toBe(1);
  expect(limiter.take("a", { requests: 2, windowMs: 1_000 }).allowed).toBe(true);
  expect(limiter.take("a", { requests: 2, windowMs: 1_000 }).allowed).toBe(false);
  clock.ms = 500;
  expect(limiter.take("a", { requests: 2, windowMs: 1_000 }).allowed).toBe(true);
});

test("a limited number of names is remembered, and the longest idle are dropped first", () => {
  const { limiter } = openLimiter({ maxNames: 2 });
  const once: Rate = { requests: 1, windowMs: 1_000 };
  limiter.take("a", once);
  limiter.take("b", once);
  limiter.take("a", once);
  limiter.take("c", once);
  expect(limiter.size).toBe(2);
  expect(limiter.take("a", once).allowed).toBe(false);
  expect(limiter.take("b", once).allowed).toBe(true);
});

test("over any period allows no more than the rate and one burst", () => {
  const { clock, limiter } = openLimiter();
  let allowed = 0;
  for (; clock.ms < 600_000; clock.ms += 137) if (limiter.take("a", THREE_A_MINUTE).allowed) allowed++;
  expect(allowed).toBeGreaterThanOrEqual(30);
  expect(allowed).toBeLessThanOrEqual(33);
});
