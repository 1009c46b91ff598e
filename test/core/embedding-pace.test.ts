import { expect, test } from "vitest";
import { createPace } from "../../src/core/embeddings/pace.js";

function pacedFrom(start: number, tokensPerMinute: number) {
  const clock = { now: start };
  return { clock, pace: createPace(tokensPerMinute, () => clock.now) };
}

test("what was sent is waited for, evenly", () => {
  const { clock, pace } = pacedFrom(5_000, 600);
  expect(pace.waitMs()).toBe(0);
  pace.note(10);
  expect(pace.waitMs()).toBe(1_000);
  clock.now += 400;
  expect(pace.waitMs()).toBe(600);
  pace.note(20);
  expect(pace.waitMs()).toBe(2_600);
});

test("a pause is no credit for a rush", () => {
  const { clock, pace } = pacedFrom(5_000, 600);
  pace.note(10);
  clock.now += 3_600_000;
  expect(pace.waitMs()).toBe(0);
  pace.note(10);
  expect(pace.waitMs()).toBe(1_000);
});

test("no limit is no wait", () => {
  const { pace } = pacedFrom(5_000, 0);
  pace.note(1_000_000);
  expect(pace.waitMs()).toBe(0);
});
