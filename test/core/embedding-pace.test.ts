import { expect, test } from "vitest";
import { createPace } from "../../src/core/embeddings/pace.js";

function pacedFrom(start: number, tokensPerMinute: number) {
  const clock = { now: start };
  return { clock, pace: createPace(tokensPerMinute, () => clock.now) };
}

test("waits evenly for what was sent", () => {
  const { clock, pace } = pacedFrom(5_000, 600);
  expect(pace.waitMs()).toBe(0);
  pace.note(10);
  expect(pace.waitMs()).toBe(1_000);
  clock.now += 400;
  expect(pace.waitMs()).toBe(600);
  pace.note(20);
  expect(pace.waitMs()).toBe(2_600);
});

test("does not save up idle time for a burst", () => {
  const { clock, pace } = pacedFrom(5_000, 600);
  pace.note(10);
  clock.now += 3_600_000;
  expect(pace.waitMs()).toBe(0);
  pace.note(10);
  expect(pace.waitMs()).toBe(1_000);
});

test("does not wait without a limit", () => {
  const { pace } = pacedFrom(5_000, 0);
  pace.note(1_000_000);
  expect(pace.waitMs()).toBe(0);
});
