import { expect, test } from "vitest";
import { groupBy } from "../../src/lib/group-by.js";

test("items and groups keep their order; keys may be any value", () => {
  expect([...groupBy(["bee", "ant", "beetle", "aphid"], (word) => word[0])]).toEqual([
    ["b", ["bee", "beetle"]],
    ["a", ["ant", "aphid"]],
  ]);
  expect([...groupBy([1, 2, 3], (number) => number > 9)]).toEqual([[false, [1, 2, 3]]]);
  expect(groupBy([], String).size).toBe(0);
});
