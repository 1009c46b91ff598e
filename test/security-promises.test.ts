import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The rows of the tables of SECURITY.md, without their headings. */
const promises = read("SECURITY.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (Promise|---)/.test(line))
  .map((line) => line.split(" | "))
  .map(([promise = "", tests = ""]) => ({ promise: promise.slice(2), tests: namedTests(tests) }));

/** Reads `path`: "title", "title"; `path`: … */
function namedTests(text: string): { path: string; titles: string[] }[] {
  return [...text.matchAll(/`([^`]+)`:((?: "[^"]+",?)+)/g)].map(([, path = "", titles = ""]) => ({
    path,
    titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }));
}

test("SECURITY.md makes promises", () => {
  expect(promises.length).toBeGreaterThan(20);
});

test.each(promises.map(({ promise, tests }) => [promise, tests] as const))("%s: its tests are there", (_, tests) => {
  expect(tests.length).toBeGreaterThan(0);
  for (const { path, titles } of tests) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    const source = read(path);
    expect(titles, path).not.toEqual([]);
    for (const title of titles)
      expect(
        source.split("\n").some((line) => /\b(test|it|describe)\b|^\s*[`"]/.test(line) && line.includes(title)),
        `${path}: ${title}`,
      ).toBe(true);
  }
});
