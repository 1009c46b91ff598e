import { expect, test } from "vitest";
import { sleep } from "../../src/lib/time.js";
import { draft, gate, handlerOf, useWorkshop } from "../support/job-workshop.js";

const HOUR = 3_600_000;
const shop = useWorkshop();

test("onFull is called when a due job has to wait for a slot, and not before", async () => {
  const work = gate();
  let told = 0;
  const full = gate();
  const runner = await shop.startRunner(
    handlerOf(async () => work.opened),
    {
      concurrency: 1,
      onFull: () => {
        told += 1;
        full.open();
      },
    },
  );
  await shop.database.jobs.enqueue([draft("first"), draft("later", { runAt: shop.clock.from(HOUR) })]);
  runner.wake();
  await sleep(50);
  expect(told).toBe(0);
  await shop.database.jobs.enqueue([draft("second")]);
  runner.wake();
  await full.opened;
  work.open();
  await runner.idle();
});

test("work offered by another process is looked for only while there is a free slot", async () => {
  const done: string[] = [];
  const work = gate();
  let told = 0;
  const runner = await shop.startRunner(
    handlerOf(async (text) => {
      if (text !== "early") await work.opened;
      done.push(text);
    }),
    { concurrency: 1, onFull: () => (told += 1) },
  );
  await shop.database.jobs.enqueue([draft("early")]);
  runner.offer();
  await runner.idle();
  expect(done).toEqual(["early"]);
  await shop.database.jobs.enqueue([draft("first"), draft("second")]);
  runner.wake();
  await expect.poll(() => told).toBeGreaterThan(0);
  const before = told;
  for (let offered = 0; offered < 20; offered += 1) {
    runner.offer();
    await sleep(5);
  }
  // It polls on its own four times a second.
  expect(told - before).toBeLessThan(3);
  work.open();
  await runner.idle();
  expect(done).toEqual(["early", "first", "second"]);
});
