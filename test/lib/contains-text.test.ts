import { describe, expect, test } from "vitest";
import { containsText } from "../../src/lib/contains-text.js";
import { seededRandom } from "../support/vectors.js";

describe("finding a text in another", () => {
  test("agrees with String.includes, for texts of few letters that nearly repeat", () => {
    const random = seededRandom(7);
    const text = (length: number): string => Array.from({ length }, () => (random() < 0.9 ? "a" : "b")).join("");
    const found = { yes: 0, no: 0 };
    for (let round = 0; round < 3_000; round += 1) {
      const whole = text(200);
      const from = Math.floor(random() * 150);
      const wanted = random() < 0.5 ? whole.slice(from, from + 33 + Math.floor(random() * 60)) : text(33 + (round % 8));
      expect(containsText(whole, wanted), `${wanted} in ${whole}`).toBe(whole.includes(wanted));
      found[whole.includes(wanted) ? "yes" : "no"] += 1;
    }
    expect(found.yes).toBeGreaterThan(500);
    expect(found.no).toBeGreaterThan(500);
  });

  test.each([
    ["", "", true],
    ["", "a", false],
    ["abc", "", true],
    ["abc", "abc", true],
    ["ab", "abc", false],
    ["x".repeat(40), "x".repeat(40), true],
    ["x".repeat(40), "x".repeat(41), false],
    [`${"é".repeat(50)}🙂`, `${"é".repeat(40)}🙂`, true],
  ])("of %j and %j: %s", (text, wanted, isThere) => {
    expect(containsText(text, wanted)).toBe(isThere);
  });
});
