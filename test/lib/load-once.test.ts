import { expect, test } from "vitest";
import { loadOnce } from "../../src/lib/load-once.js";

test("returns the first loaded value to all callers, even those who ask meanwhile", async () => {
  let loads = 0;
  const load = loadOnce(async () => (loads += 1));
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test("reports a failure to those who waited for it, and the next call tries again", async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error("too many open files");
    return loads;
  });
  const both = [load(), load()];
  for (const one of both) await expect(one).rejects.toThrow("too many open files");
  expect(await load()).toBe(2);
  expect(await load()).toBe(2);
});
