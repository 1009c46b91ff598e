import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseBounded } from "../../src/lib/bounded-parse.js";

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const record = (count: number): object => Object.fromEntries(names(count).map((name) => [name, 1]));

/** A schema that records when an element is examined. */
function counting() {
  let looks = 0;
  const element = z.custom(() => {
    looks += 1;
    return true;
  });
  return { element, looks: () => looks };
}

describe("values that are too long are refused without examining their elements", () => {
  test.each<[what: string, wrap: (element: z.ZodType) => z.ZodType, value: unknown, message: RegExp]>([
    ["a list with a limit", (of) => z.array(of).max(3), names(4), /^must have at most 3 entries$/],
    [
      "a limit with its own message",
      (of) => z.array(of).min(1).max(3, "must name at most 3"),
      names(4),
      /^must name at most 3$/,
    ],
    ["a list without a limit", (of) => z.array(of), names(10_001), /has 10,001 entries, at most 10,000/],
    ["a record", (of) => z.record(z.string(), of), record(10_001), /has 10,001 fields, at most 10,000/],
    [
      "in a field",
      (of) => z.object({ a: z.array(of).max(3).optional() }),
      { a: names(4) },
      /^must have at most 3 entries$/,
    ],
    [
      "in a list",
      (of) => z.array(z.object({ a: z.array(of).max(3) })),
      [{ a: [] }, { a: names(4) }],
      /^must have at most 3 entries$/,
    ],
    ["in a record", (of) => z.record(z.string(), z.array(of).max(3)), { a: names(4) }, /^must have at most 3 entries$/],
    [
      "one of two alternatives",
      (of) => z.union([z.string(), z.array(of).max(3)]),
      names(4),
      /^must have at most 3 entries$/,
    ],
    [
      "before a transformation",
      (of) => z.array(of).max(3).transform(String),
      names(4),
      /^must have at most 3 entries$/,
    ],
    [
      "after a first transformation",
      (of) => z.preprocess((one) => one, z.array(of).max(3)),
      names(4),
      /^must have at most 3 entries$/,
    ],
    ["with a default", (of) => z.array(of).max(3).default([]), names(4), /^must have at most 3 entries$/],
    [
      "a reference to a later schema",
      (of) => z.lazy(() => z.array(of).max(3)),
      names(4),
      /^must have at most 3 entries$/,
    ],
  ])("%s", (_what, wrap, value, message) => {
    const { element, looks } = counting();
    const result = parseBounded(wrap(element), value);
    expect(result).toEqual({ findings: [{ path: expect.any(Array), message: expect.stringMatching(message) }] });
    expect(looks()).toBe(0);
  });

  test("a value is not too long if another form accepts it", () => {
    const either = z.union([z.array(z.string()).max(1), z.array(z.number())]);
    expect(parseBounded(either, [1, 2])).toEqual({ data: [1, 2] });
  });
});

describe("the report of many mistakes", () => {
  test("has twenty of them, and the number of the others", () => {
    const result = parseBounded(
      z.array(z.string()),
      Array.from({ length: 1_000 }, () => 1),
    );
    if (!("findings" in result)) throw new Error("It was taken");
    expect(result.findings).toHaveLength(21);
    expect(result.findings[1]?.path).toEqual([1]);
    expect(result.findings.at(-1)).toEqual({ path: [], message: "and 980 more like these" });
  });

  test("is shortened", () => {
    const long = { ["x".repeat(100_000)]: 1 };
    for (const schema of [z.record(z.string(), z.string()), z.strictObject({})])
      expect(JSON.stringify(parseBounded(schema, long)).length).toBeLessThan(1_000);
  });

  test("is complete if there are few", () => {
    const result = parseBounded(z.object({ a: z.string(), b: z.array(z.number()) }), { b: [1, "2"] });
    expect(result).toMatchObject({ findings: [{ path: ["a"] }, { path: ["b", 1] }] });
  });
});

describe("a missing field is reported as missing", () => {
  const schema = z.object({
    name: z.string("must be a string"),
    kind: z.enum(["a", "b"], "must be a or b").optional(),
    deep: z.object({ action: z.enum(["move", "delete"], "must be move or delete") }).optional(),
    either: z.union([z.string(), z.number()], "must be text or a number").optional(),
    read: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.object({ a: z.string("must be a string") }))
      .optional(),
  });
  const told = (value: unknown) => {
    const result = parseBounded(schema, value);
    return "findings" in result ? result.findings.map(({ path, message }) => `${path.join(".")}: ${message}`) : [];
  };

  test.each<[value: unknown, messages: readonly string[]]>([
    [{}, ["name: is missing"]],
    [{ name: undefined }, ["name: is missing"]],
    [{ name: 5 }, ["name: must be a string"]],
    [{ name: null }, ["name: must be a string"]],
    [{ name: "x", kind: "c" }, ["kind: must be a or b"]],
    [{ name: "x", deep: {} }, ["deep.action: is missing; it must be move or delete"]],
    [{ name: "x", either: {} }, ["either: must be text or a number"]],
    // The transformed value is not what was sent.
    [{ name: "x", read: '{"a":1}' }, ["read.a: must be a string"]],
  ])("%j", (value, messages) => expect(told(value)).toEqual(messages));
});
