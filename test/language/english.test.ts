import { describe, expect, test } from "vitest";
import { backgroundShare } from "../../src/language/english/common-words.js";
import { IRREGULAR_FORMS } from "../../src/language/english/irregular-forms.js";
import { contentRoot, relatedRoots, rootOf } from "../../src/language/english/relations.js";

const relation = (one: string, other: string): number => relatedRoots(rootOf(one)).get(rootOf(other)) ?? 0;

describe("roots", () => {
  test.each([
    ["went", "going"],
    ["children", "child"],
    ["bought", "buys"],
    ["colour", "color"],
    ["postgresql", "postgres"],
  ])("%s and %s have the same root", (one, other) => {
    expect(rootOf(one)).toBe(rootOf(other));
  });

  test("stop words have no root", () => {
    expect(contentRoot("the")).toBe("");
    expect(contentRoot("cities")).toBe(rootOf("city"));
  });

  test("no irregular form belongs to two words", () => {
    const forms = IRREGULAR_FORMS.flatMap((entry) => entry.split(" "));
    expect(forms.filter((form, index) => forms.indexOf(form) !== index)).toEqual([]);
  });
});

describe("related words", () => {
  test.each([
    ["lives", "moved"],
    ["job", "engineer"],
    ["wife", "married"],
    ["pet", "dog"],
    ["database", "postgres"],
    ["birthday", "born"],
  ])("%s and %s are related in both directions", (one, other) => {
    expect(relation(one, other)).toBeGreaterThan(0.3);
    expect(relation(other, one)).toBeCloseTo(relation(one, other));
  });

  test("synonyms are closer than a kind and its examples, and those closer than two examples", () => {
    expect(relation("car", "vehicle")).toBeGreaterThan(relation("vehicle", "truck"));
    expect(relation("vegetable", "carrot")).toBeGreaterThan(relation("carrot", "cabbage"));
  });

  test.each([
    ["lisbon", "peanut"],
    ["database", "wedding"],
    ["qwertz", "car"],
  ])("%s and %s are not related", (one, other) => {
    expect(relation(one, other)).toBe(0);
  });
});

test("everyday words count as common", () => {
  expect(backgroundShare(rootOf("things"))).toBeGreaterThan(backgroundShare(rootOf("meeting")));
  expect(backgroundShare(rootOf("meeting"))).toBeGreaterThan(backgroundShare(rootOf("telescope")));
});
