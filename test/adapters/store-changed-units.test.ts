import { describe, expect, test } from "vitest";
import { ChangedUnits } from "../../src/adapters/store/changed-units.js";

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

describe("changed units", () => {
  test("are reported since any count, each once", () => {
    const changed = new ChangedUnits();
    changed.note([1, 2]);
    const count = changed.count;
    changed.note([3, 2, 3]);
    expect([...(changed.since(count) ?? [])]).toEqual([3, 2]);
    expect([...(changed.since(0) ?? [])]).toEqual([1, 2, 3]);
    expect([...(changed.since(changed.count) ?? [1])]).toEqual([]);
  });

  test("are not reported when some are no longer remembered, and never partially", () => {
    const changed = new ChangedUnits();
    for (let from = 0; from < 95_000; from += 1_000) changed.note(numbers(from, from + 1_000));
    expect(changed.count).toBe(95_000);
    expect(changed.since(0)).toBeNull();
    expect(changed.since(70_000)).toBeNull();
    expect([...(changed.since(90_000) ?? [])]).toEqual(numbers(90_000, 95_000));
    changed.note(numbers(0, 100_000));
    expect(changed.since(95_000)).toBeNull();
    expect(changed.since(changed.count)?.size).toBe(0);
  });
});
