import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "../../src/adapters/store/sqlite-turns.js";

/** Keeps the event loop busy for longer than a short slice, and shorter than a long one. */
function work(): void {
  const began = performance.now();
  while (performance.now() - began < 0.5);
}

/** Whether the background may go on after some work, in a turn of its own. */
async function mayGoOn(turns: Turns): Promise<boolean> {
  await nextTurn();
  if (turns.forBackground() !== undefined) return false;
  work();
  return turns.forBackground() === undefined;
}

/** The same of many turns: the machine may hold up one or the other. */
async function countGoingOn(turns: Turns, before: () => unknown): Promise<number> {
  let count = 0;
  for (let turn = 0; turn < 20; turn++) {
    before();
    if (await mayGoOn(turns)) count += 1;
  }
  return count;
}

test("the background goes on while no caller has come for a while", async () => {
  expect(await countGoingOn(new Turns(), () => undefined)).toBeGreaterThan(0);
});

test("the background makes way sooner while callers come one after the other", async () => {
  const turns = new Turns();
  expect(await countGoingOn(turns, () => turns.forCaller())).toBe(0);
});

test("the background rests in a turn that a caller uses, and goes on in the next one", async () => {
  const turns = new Turns();
  expect(turns.forCaller()).toBeUndefined();
  const rest = turns.forBackground();
  expect(rest).toBeInstanceOf(Promise);
  await rest;
});

test("the background gets a slice though callers use every turn", async () => {
  const turns = new Turns();
  let isThrough = false;
  void turns.forCaller();
  const background = turns.forBackground()?.then(() => (isThrough = true));
  const began = performance.now();
  while (!isThrough && performance.now() - began < 2_000) {
    await turns.forCaller();
    await nextTurn();
  }
  await background;
  expect(isThrough).toBe(true);
});
