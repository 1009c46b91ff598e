import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../src/lib/concurrency-limit.js";

const FOR_EVER = 60_000;

async function run<T>(limit: ConcurrencyLimit, work: () => Promise<T>): Promise<T> {
  const leave = await limit.enter();
  try {
    return await work();
  } finally {
    leave();
  }
}

/** Work that runs until it is told to end. */
function openWork(names: string[], name: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<string> => {
    names.push(name);
    await ended;
    return name;
  };
  return { work, end };
}

test("runs up to the limit, and the rest in order of arrival", async () => {
  const limit = createConcurrencyLimit({ most: 2, patienceMs: FOR_EVER });
  const began: string[] = [];
  const works = ["a", "b", "c", "d"].map((name) => openWork(began, name));
  const answers = works.map(({ work }) => run(limit, work));
  await sleep(5);
  expect(began).toEqual(["a", "b"]);
  works[1]?.end();
  expect(await answers[1]).toBe("b");
  await expect.poll(() => began).toEqual(["a", "b", "c"]);
  works[0]?.end();
  await answers[0];
  await expect.poll(() => began).toEqual(["a", "b", "c", "d"]);
  works[2]?.end();
  works[3]?.end();
  expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d"]);
});

test("a late caller does not overtake a waiting one", async () => {
  const limit = createConcurrencyLimit({ most: 1, patienceMs: FOR_EVER });
  const began: string[] = [];
  const works = ["first", "waits", "late"].map((name) => openWork(began, name));
  for (const { end } of works) end();
  const first = run(limit, works[0]!.work);
  const waits = run(limit, works[1]!.work);
  await first;
  await Promise.all([waits, run(limit, works[2]!.work)]);
  expect(began).toEqual(["first", "waits", "late"]);
});

test("failed work frees its slot too", async () => {
  const limit = createConcurrencyLimit({ most: 1, patienceMs: FOR_EVER });
  const failed = run(limit, () => Promise.reject(new Error("no")));
  const next = run(limit, () => Promise.resolve("next"));
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("no caller waits longer than the patience for hanging work, whose late result is still returned", async () => {
  const limit = createConcurrencyLimit({ most: 1, patienceMs: 20 });
  const began: string[] = [];
  const hangs = openWork(began, "hangs");
  const hanging = run(limit, hangs.work);
  const impatient = openWork(began, "impatient");
  const second = run(limit, impatient.work);
  await expect.poll(() => began).toEqual(["hangs", "impatient"]);
  const third = openWork(began, "third");
  third.end();
  const last = run(limit, third.work);
  impatient.end();
  await second;
  hangs.end();
  expect(await Promise.all([hanging, last])).toEqual(["hangs", "third"]);
  expect(await run(limit, () => Promise.resolve("after"))).toBe("after");
});

test("the caller with the least work running goes first, however many others wait", async () => {
  const limit = createConcurrencyLimit({ most: 2, patienceMs: FOR_EVER });
  const began: string[] = [];
  const enter = async (caller: string, name: string): Promise<() => void> => {
    const leave = await limit.enter(caller);
    began.push(name);
    return leave;
  };
  const many = ["a1", "a2", "a3", "a4"].map((name) => enter("a", name));
  const one = ["b1", "b2"].map((name) => enter("b", name));
  (await many[0]!)();
  (await one[0]!)();
  (await many[1]!)();
  await Promise.all([...many, ...one].slice(0, 3));
  expect(began.slice(0, 3)).toEqual(["a1", "a2", "b1"]);
  for (const left of [many[2]!, one[1]!, many[3]!]) (await left)();
  expect(began.toSorted()).toEqual(["a1", "a2", "a3", "a4", "b1", "b2"]);
});

test("a caller with much work does not exceed the limit while work progresses", async () => {
  const limit = createConcurrencyLimit({ most: 2, patienceMs: 40 });
  let running = 0;
  let highest = 0;
  const work = async (): Promise<void> => {
    highest = Math.max(highest, (running += 1));
    await sleep(10);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 30 }, () => run(limit, work)));
  expect(highest).toBe(2);
});

test("a caller with nothing running waits no longer than the patience", async () => {
  const limit = createConcurrencyLimit({ most: 1, patienceMs: 20 });
  const hangs = await limit.enter("a");
  const leave = await limit.enter("b");
  leave();
  hangs();
});

test("work of several callers gets its turn although one of them is always busy", async () => {
  const limit = createConcurrencyLimit({ most: 2, patienceMs: FOR_EVER });
  const all = ["a", "b", "c", "d"];
  let isOver = false;
  let turns = 0;
  const busy = all.map(async (caller) => {
    while (!isOver && turns < 10_000) {
      const leave = await limit.enter(caller);
      turns += 1;
      await setImmediate();
      leave();
    }
  });
  await setImmediate();
  const leave = await limit.enter(all);
  isOver = true;
  leave();
  await Promise.all(busy);
  expect(turns).toBeLessThan(200);
});
