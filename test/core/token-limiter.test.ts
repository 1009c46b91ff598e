import { expect, test } from "vitest";
import { createTokenLimiter } from "../../src/core/embeddings/token-limiter.js";

function limiterFrom(start: number, tokensPerMinute: number) {
  const clock = { now: start };
  return { clock, limiter: createTokenLimiter(tokensPerMinute, () => clock.now) };
}

test("waits evenly for what was sent", () => {
  const { clock, limiter } = limiterFrom(5_000, 600);
  expect(limiter.waitMs()).toBe(0);
  limiter.note(10);
  expect(limiter.waitMs()).toBe(1_000);
  clock.now += 400;
  expect(limiter.waitMs()).toBe(600);
  limiter.note(20);
  expect(limiter.waitMs()).toBe(2_600);
});

test("does not save up idle time for a burst", () => {
  const { clock, limiter } = limiterFrom(5_000, 600);
  limiter.note(10);
  clock.now += 3_600_000;
  expect(limiter.waitMs()).toBe(0);
  limiter.note(10);
  expect(limiter.waitMs()).toBe(1_000);
});

test("does not wait without a limit", () => {
  const { limiter } = limiterFrom(5_000, 0);
  limiter.note(1_000_000);
  expect(limiter.waitMs()).toBe(0);
});
