import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { EventLoopScheduler } from "../../src/adapters/store/event-loop-scheduler.js";

/** Keeps the event loop busy for longer than a short slice, and shorter than a long one. */
function work(): void {
  const began = performance.now();
  while (performance.now() - began < 0.5);
}

/** Whether the background may go on after some work, in a turn of its own. */
async function mayGoOn(scheduler: EventLoopScheduler): Promise<boolean> {
  await nextTurn();
  if (scheduler.forBackground() !== undefined) return false;
  work();
  return scheduler.forBackground() === undefined;
}

/** The same of many scheduler: the machine may hold up one or the other. */
async function countGoingOn(scheduler: EventLoopScheduler, before: () => unknown): Promise<number> {
  let count = 0;
  for (let turn = 0; turn < 20; turn++) {
    before();
    if (await mayGoOn(scheduler)) count += 1;
  }
  return count;
}

test("the background goes on while no caller has come for a while", async () => {
  expect(await countGoingOn(new EventLoopScheduler(), () => undefined)).toBeGreaterThan(0);
});

test("the background makes way sooner while callers come one after the other", async () => {
  const scheduler = new EventLoopScheduler();
  expect(await countGoingOn(scheduler, () => scheduler.forCaller())).toBe(0);
});

test("the background rests in a turn that a caller uses, and goes on in the next one", async () => {
  const scheduler = new EventLoopScheduler();
  expect(scheduler.forCaller()).toBeUndefined();
  const rest = scheduler.forBackground();
  expect(rest).toBeInstanceOf(Promise);
  await rest;
});

test("the background gets a slice though callers use every turn", async () => {
  const scheduler = new EventLoopScheduler();
  let isThrough = false;
  void scheduler.forCaller();
  const background = scheduler.forBackground()?.then(() => (isThrough = true));
  const began = performance.now();
  while (!isThrough && performance.now() - began < 2_000) {
    await scheduler.forCaller();
    await nextTurn();
  }
  await background;
  expect(isThrough).toBe(true);
});
