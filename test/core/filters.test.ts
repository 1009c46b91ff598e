import { describe, expect, test } from "vitest";
import { parseFilters } from "../../src/core/search/filters.js";

const CONDITION = { key: "team", value: "red" };
const PARSED = { key: "team", value: "red", type: "metadata", operator: "=", negate: false, ignoreCase: false };

/** A filter with this many nested levels. */
function nested(levels: number): unknown {
  return levels === 1 ? { AND: [CONDITION] } : { OR: [nested(levels - 1)] };
}

describe("a filter may be", () => {
  test("undefined or null, which means no filter", () => {
    expect(parseFilters(undefined)).toBeUndefined();
    expect(parseFilters(null)).toBeUndefined();
  });

  test("AND, OR, or both, which must both match", () => {
    expect(parseFilters({ AND: [CONDITION] })).toEqual({ all: [PARSED] });
    expect(parseFilters({ OR: [CONDITION] })).toEqual({ any: [PARSED] });
    expect(parseFilters({ AND: [CONDITION], OR: [] })).toEqual({ all: [{ all: [PARSED] }, { any: [] }] });
    expect(parseFilters('{"AND":[]}')).toEqual({ all: [] });
  });

  test("nested eight levels deep, as an object or as JSON text", () => {
    expect(parseFilters(nested(8))).toBeDefined();
    expect(parseFilters(JSON.stringify(nested(8)))).toEqual(parseFilters(nested(8)));
  });

  test("two hundred conditions, in any groups", () => {
    const many = Array.from({ length: 200 }, () => CONDITION);
    expect(parseFilters({ AND: many })).toBeDefined();
    expect(parseFilters({ OR: [{ AND: many.slice(100) }, { AND: many.slice(0, 100) }] })).toBeDefined();
  });

  test.each([
    [{ negate: true }, { negate: true }],
    [{ negate: "true" }, { negate: true }],
    [{ negate: "false", ignoreCase: "true" }, { ignoreCase: true }],
    [{ negate: null, filterType: null }, {}],
    [{ value: 7 }, { value: "7" }],
    [{ value: false }, { value: "false" }],
    [{ value: "" }, { value: "" }],
    [{ filterType: "string_contains" }, { type: "string_contains" }],
    [{ value: "x".repeat(19_000) }, { value: "x".repeat(19_000) }],
    [
      { filterType: "numeric", value: "1e3", numericOperator: ">=" },
      { type: "numeric", value: "1e3", operator: ">=" },
    ],
    [{ numericOperator: ">" }, {}],
    [{ numericOperator: "whatever", filterType: "array_contains" }, { type: "array_contains" }],
    [{ comment: "unknown keys are ignored" }, {}],
    [{ key: "sm_scope" }, { key: "sm_scope" }],
    [{ key: "a.b-c_D.9" }, { key: "a.b-c_D.9" }],
  ])("a condition with %j", (sent, read) => {
    expect(parseFilters({ AND: [{ ...CONDITION, ...sent }] })).toEqual({ all: [{ ...PARSED, ...read }] });
  });
});

describe("a filter is rejected, with the place and the rule:", () => {
  test.each<[unknown, RegExp]>([
    [CONDITION, /^filters: must be an object with AND or OR, like {"AND": \[/],
    [[{ AND: [] }], /^filters: must be an object with AND or OR, like {"AND": \[/],
    ["", /^filters: is a string that is not JSON$/],
    ["{", /^filters: is a string that is not JSON$/],
    ["[".repeat(100_000), /^filters: is a string that is not JSON$/],
    ['"AND"', /^filters: must be an object/],
    [7, /^filters: must be an object/],
    [{}, /^filters: must be an object/],
    [{ AND: CONDITION }, /^filters\.AND: must be an array$/],
    [{ OR: null }, /^filters\.OR: must be an array$/],
    [{ AND: [7] }, /^filters\.AND\.0: must be a condition/],
    [{ AND: [{}] }, /^filters\.AND\.0\.key: is missing$/],
    [{ AND: [{ key: "k" }] }, /^filters\.AND\.0\.value: is missing$/],
    [{ AND: [{ key: "k", value: null }] }, /^filters\.AND\.0\.value: must be a string$/],
    [{ AND: [{ key: "k", value: ["v"] }] }, /^filters\.AND\.0\.value: must be a string$/],
    [{ AND: [{ key: "k", value: "a\u0000b" }] }, /^filters\.AND\.0\.value: must not contain the control character/],
    [{ AND: [CONDITION, { key: "k".repeat(65), value: "v" }] }, /^filters\.AND\.1\.key: /],
    [{ AND: [{ ...CONDITION, filterType: "regex" }] }, /^filters\.AND\.0\.filterType: must be one of metadata, /],
    [{ AND: [{ ...CONDITION, filterType: "numeric" }] }, /^filters\.AND\.0\.value: must be a number, because/],
    [
      { AND: [{ key: "n", value: "1", filterType: "numeric", numericOperator: "=>" }] },
      /^filters\.AND\.0\.numericOperator: must be one of/,
    ],
    [{ AND: [{ ...CONDITION, negate: "yes" }] }, /^filters\.AND\.0\.negate: must be true or false$/],
    [{ AND: [{ ...CONDITION, ignoreCase: 1 }] }, /^filters\.AND\.0\.ignoreCase: must be true or false$/],
    [nested(9), /must not be nested deeper than 8 levels$/],
    [nested(60), /must not be nested deeper than 8 levels$/],
    [
      { AND: Array.from({ length: 201 }, () => CONDITION) },
      /^filters\.AND\.200: there must be at most 200 conditions$/,
    ],
    [
      { AND: Array.from({ length: 3 }, () => ({ ...CONDITION, value: "x".repeat(9_000) })) },
      /^filters\.AND\.2: the keys and values of all conditions must have at most 20000 characters together$/,
    ],
    [
      { OR: Array.from({ length: 51 }, () => ({ ...CONDITION, filterType: "string_contains" })) },
      /^filters\.OR\.50: there must be at most 50 conditions whose filterType is string_contains$/,
    ],
    [
      { AND: [{ ...CONDITION, value: "x".repeat(1_001), filterType: "string_contains" }] },
      /^filters\.AND\.0\.value: must have at most 1000 characters, because filterType is string_contains$/,
    ],
    [{ AND: Array.from({ length: 200 }, () => ({ OR: [] })) }, /there must be at most 200 groups$/],
  ])("%j", (filters, message) => {
    expect(() => parseFilters(filters)).toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringMatching(message) }),
    );
  });
});
