import { expect, test } from "vitest";
import { createId, isId } from "../../src/lib/ids.js";

test("an id is 22 characters of base58", () => {
  const id = createId();
  expect(id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
  expect(isId(id)).toBe(true);
});

test("ids do not repeat", () => {
  expect(new Set(Array.from({ length: 20_000 }, createId)).size).toBe(20_000);
});

test("every character is equally likely: no modulo bias", () => {
  const counts = new Map<string, number>();
  const characters = Array.from({ length: 20_000 }, createId).join("");
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  const expected = characters.length / 58;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(58);
  // 57 degrees of freedom: above 150 happens once in 10^9 runs; taking bytes modulo 58 gives about 19,000.
  expect(chiSquare).toBeLessThan(150);
});

test.each([
  ["empty", ""],
  ["too short", "1".repeat(21)],
  ["too long", "1".repeat(23)],
  ["has a zero", "0".repeat(22)],
  ["has an I", "I".repeat(22)],
  ["ends with a line break", `${"1".repeat(22)}\n`],
])("%s is not an id", (_why, text) => {
  expect(isId(text)).toBe(false);
});
