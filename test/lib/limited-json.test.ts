import { describe, expect, test } from "vitest";
import { JsonLimitError, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseLimitedJson } from "../../src/lib/limited-json.js";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const list = (entries: number): string => `[${Array.from({ length: entries }, () => "1").join()}]`;

describe("parses JSON within the limits", () => {
  test.each([
    "null",
    "3",
    '"text"',
    "[]",
    '{"a":[1,2,{"b":"c"}]}',
    '"[[[[,,,::: \\" {{{ \\\\"',
    '{"a\\"[,":"\\\\\\"]"}',
    JSON.stringify({ text: "[,".repeat(MAX_JSON_VALUES) }),
    JSON.stringify("\\".repeat(1_000) + '"' + ",[".repeat(MAX_JSON_VALUES)),
    nested(MAX_JSON_DEPTH),
    list(MAX_JSON_VALUES - 2),
  ])("%.60s", (text) => {
    expect(parseLimitedJson(text)).toEqual(JSON.parse(text));
  });

  test.each(["", "{", '"open', '"\\', "[1,]", "]]]]", "\\"])("refuses %j, which is not JSON", (text) => {
    expect(() => parseLimitedJson(text)).toThrow(SyntaxError);
  });
});

describe("refuses JSON beyond the limits before parsing it", () => {
  test.each([
    ["too many levels", nested(MAX_JSON_DEPTH + 1)],
    ["levels without an end", "[".repeat(1_000_000)],
    ["levels of objects", '{"a":'.repeat(1_000_000)],
    ["levels after a text with brackets", `{"a":"]]]]","b":${nested(MAX_JSON_DEPTH)}}`],
    ["too many values", list(MAX_JSON_VALUES + 1)],
    [
      "too many fields",
      JSON.stringify(Object.fromEntries(Array.from({ length: MAX_JSON_VALUES }, (_, i) => [`k${i}`, i]))),
    ],
    ["too many empty lists", `[${Array.from({ length: MAX_JSON_VALUES }, () => "[]").join()}]`],
  ])("%s", (_what, text) => {
    expect(() => parseLimitedJson(text)).toThrow(JsonLimitError);
  });
});
