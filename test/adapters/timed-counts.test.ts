import { beforeEach, describe, expect, test } from "vitest";
import type { CountCache } from "../../src/adapters/store/text-cache.js";
import { createTimedCounts } from "../../src/adapters/store/timed-counts.js";

let now: number;
let counts: CountCache;
let asked: string[];

beforeEach(() => {
  now = 0;
  asked = [];
  counts = createTimedCounts(() => now);
});

async function totalOf(scope: string, total: number): Promise<number> {
  const counted = await counts.counted(scope, async () => {
    asked.push(scope);
    return total;
  });
  return counted.total;
}

describe("counts of scopes that others may change", () => {
  test("a small scope is counted every time", async () => {
    expect([await totalOf("a", 0), await totalOf("a", 9_999), await totalOf("a", 3)]).toEqual([0, 9_999, 3]);
  });

  test("a large scope is counted once in ten seconds, each scope separately", async () => {
    expect(await totalOf("a", 10_000)).toBe(10_000);
    now = 9_999;
    expect([await totalOf("a", 20_000), await totalOf("b", 30_000)]).toEqual([10_000, 30_000]);
    now = 10_000;
    expect(await totalOf("a", 20_000)).toBe(20_000);
    expect(asked).toEqual(["a", "b", "a"]);
  });

  test("word counts expire with the count of their scope", async () => {
    const count = async () => 10_000;
    (await counts.counted("a", count)).words.set("bees", 4_000);
    expect((await counts.counted("a", count)).words.get("bees")).toBe(4_000);
    now = 10_000;
    expect((await counts.counted("a", count)).words.size).toBe(0);
  });

  test("of hundreds of scopes, the oldest are forgotten", async () => {
    for (let scope = 0; scope <= 200; scope += 1) await totalOf(String(scope), 10_000);
    asked = [];
    expect([await totalOf("1", 11_000), await totalOf("0", 11_000)]).toEqual([10_000, 11_000]);
    expect(asked).toEqual(["0"]);
  });

  test("a scope with thousands of containers is counted every time", async () => {
    const scope = "m1 | ".repeat(5_000);
    expect([await totalOf(scope, 10_000), await totalOf(scope, 20_000)]).toEqual([10_000, 20_000]);
  });
});
