import { beforeEach, describe, expect, test } from "vitest";
import { familyOf } from "../../../src/language/english/families.js";
import { forgetRoots, isKept, keepRoot, LikelyRoots, looseRoot } from "../../../src/core/search/roots.js";

const WORDS = "garden gardener bake bakery baker piano run runner teach teacher school write writer letter".split(" ");

beforeEach(() => forgetRoots());

describe("which roots can have something of a question", () => {
  test("those with one of its texts, and those of one of its families, and no others that are kept", () => {
    const roots = WORDS.map(keepRoot);
    const families = [...new Set(WORDS.map(familyOf))];
    for (const text of WORDS)
      for (const family of families) {
        const likely = new LikelyRoots([text, "unheard-of"], [family]);
        for (const root of roots)
          expect(likely.has(root), `${root.text} for ${text} and ${family}`).toBe(
            root.text === text || root.family === family,
          );
      }
  });

  test("more of them than bits of a number fit", () => {
    const roots = Array.from({ length: 200 }, (_, at) => keepRoot(`word${"x".repeat(at)}`));
    const likely = new LikelyRoots([roots[40]!.text, roots[199]!.text], []);
    expect(roots.filter((root) => likely.has(root))).toEqual([roots[40], roots[199]]);
  });

  test("of roots that are not kept, came later, or are forgotten it is not known", () => {
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

test("a kept root is the same object until all are forgotten; another one is another each time", () => {
  const root = keepRoot("garden");
  expect(keepRoot("garden")).toBe(root);
  expect(looseRoot("garden")).toBe(root);
  expect(isKept(root)).toBe(true);
  expect(looseRoot("1984", "1984")).not.toBe(looseRoot("1984", "1984"));
  expect(isKept(looseRoot("1984", "1984"))).toBe(false);
  forgetRoots();
  expect(keepRoot("garden")).not.toBe(root);
});
