import { beforeEach, describe, expect, test } from "vitest";
import { familyOf } from "../../../src/language/english/families.js";
import { forgetRoots, isKept, keepRoot, LikelyRoots, looseRoot } from "../../../src/core/search/roots.js";

const WORDS = "garden gardener bake bakery baker piano run runner teach teacher school write writer letter".split(" ");

beforeEach(() => forgetRoots());

describe("the roots that may match a question", () => {
  test("are the cached ones with one of its texts or families, and no other cached ones", () => {
    const roots = WORDS.map(keepRoot);
    const families = [...new Set(WORDS.map(familyOf))];
    expect(roots).not.toEqual([]);
    for (const text of WORDS)
      for (const family of families) {
        const likely = new LikelyRoots([text, "unheard-of"], [family]);
        for (const root of roots)
          expect(likely.has(root), `${root.text} for ${text} and ${family}`).toBe(
            root.text === text || root.family === family,
          );
      }
  });

  test("may be more than the bits of a number", () => {
    const roots = Array.from({ length: 200 }, (_, at) => keepRoot(`word${"x".repeat(at)}`));
    const likely = new LikelyRoots([roots[40]!.text, roots[199]!.text], []);
    expect(roots.filter((root) => likely.has(root))).toEqual([roots[40], roots[199]]);
  });

  test("include all roots that are not cached, were added later or were dropped", () => {
    const forgotten = keepRoot("garden");
    forgetRoots();
    const kept = keepRoot("piano");
    const likely = new LikelyRoots([], []);
    expect(likely.has(kept)).toBe(false);
    expect(likely.has(forgotten)).toBe(true);
    expect(likely.has(looseRoot("a7f3"))).toBe(true);
    expect(likely.has(keepRoot("bakery"))).toBe(true);
  });
});

test("a cached root is the same object until the cache is cleared; an uncached one is always a new object", () => {
  const root = keepRoot("garden");
  expect(keepRoot("garden")).toBe(root);
  expect(looseRoot("garden")).toBe(root);
  expect(isKept(root)).toBe(true);
  expect(looseRoot("1984", "1984")).not.toBe(looseRoot("1984", "1984"));
  expect(isKept(looseRoot("1984", "1984"))).toBe(false);
  forgetRoots();
  expect(keepRoot("garden")).not.toBe(root);
});
