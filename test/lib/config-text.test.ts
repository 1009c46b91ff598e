import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "@decimalturn/toml-patch";
import { type ConfigFormat, ConfigTextError, valueAt } from "../../src/lib/config-text.js";
import { jsoncText } from "../../src/lib/jsonc-text.js";
import { spliceBetween, unsplice, wholeLines } from "../../src/lib/splice.js";
import { tomlText } from "../../src/lib/toml-text.js";

const PATH = ["servers", "ours"];
const VALUE = { command: 'C:\\node "x".exe', args: ["ä\u007f\n", "mcp"], env: { "A.B": "1" } };

const name = fc.oneof(
  fc.constantFrom("servers", "other", "a.b", "ä ö", "constructor", "1"),
  fc.string({ maxLength: 6 }),
);
const leaf = fc.oneof(fc.string(), fc.integer({ min: -1e6, max: 1e6 }), fc.boolean());
const table = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, leaf, fc.array(leaf, { maxLength: 3 }), tie("table")),
  table: fc.dictionary(
    name.filter((key) => key !== "__proto__"),
    tie("value"),
    { maxKeys: 4 },
  ),
})).table as fc.Arbitrary<Record<string, unknown>>;
/** Documents with room for our entry. */
const document = fc
  .tuple(table, fc.option(table, { nil: undefined }))
  .map(([outer, servers]): Record<string, unknown> => {
    const { servers: _dropped, ...others } = outer;
    return plain(servers === undefined ? others : { ...others, servers });
  });

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function withOurs(before: Record<string, unknown>): unknown {
  return { ...before, servers: { ...(before["servers"] as object | undefined), ours: VALUE } };
}

/** Comments after opening brackets and before closing ones, and some trailing commas. */
function decorate(json: string, seed: number): string {
  let count = seed;
  return json.replaceAll(/[{[]\n|\n\s*[}\]]/g, (mark) => {
    count = (count * 31 + 7) % 101;
    if (mark.startsWith("\n")) return count % 3 === 0 ? ` /* k${count} */${mark}` : mark;
    return count % 2 === 0 ? `${mark.trimEnd()} // c${count}\n` : mark;
  });
}

const jsoncDocument = fc
  .tuple(document, fc.constantFrom<string | number | undefined>(undefined, 2, 4, "\t"), fc.nat(100), fc.boolean())
  .map(([value, indent, seed, isWindows]) => {
    const json = JSON.stringify(value, null, indent);
    const text = indent === undefined ? json : decorate(`${json}\n`, seed);
    return { value, text: isWindows ? text.replaceAll("\n", "\r\n") : text };
  });

const tomlDocument = document.map((value) => ({ value, text: `# first\n${stringify(value)}# last\n` }));

const comments = (text: string) => text.match(/\/\/ c\d+|\/\* k\d+ \*\/|^# (first|last)$/gm) ?? [];

describe.each([
  ["JSON with comments", jsoncText, jsoncDocument],
  ["TOML", tomlText, tomlDocument],
] as const)("%s", (_name, format: ConfigFormat, documents) => {
  test("adds an entry and keeps the rest of the text, with its comments", () => {
    fc.assert(
      fc.property(documents, ({ value, text }) => {
        const after = format.set(text, PATH, VALUE);
        expect(format.parse(after)).toEqual(withOurs(value));
        expect(comments(after).toSorted()).toEqual(comments(text).toSorted());
        expect(unsplice(after, spliceBetween(text, after))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("replaces an entry in place, and removes it again", () => {
    fc.assert(
      fc.property(documents, ({ value, text }) => {
        const first = format.set(text, PATH, { command: "old", args: [] });
        const second = format.set(first, PATH, VALUE);
        expect(format.parse(second)).toEqual(withOurs(value));
        const emptied = format.parse(format.remove(second, PATH)) as object | undefined;
        expect({ servers: {}, ...emptied }).toEqual({ servers: {}, ...value });
      }),
      { numRuns: 200 },
    );
  });

  test("leaves a text without the entry unchanged", () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        expect(format.remove(text, PATH)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  test("reads any text or refuses it with a ConfigTextError", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        try {
          format.set(text, PATH, VALUE);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigTextError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("JSON comments", () => {
  test("stay with the line they refer to", () => {
    const text = '{\n  "a": 1, // one\n  "b": 2 // two\n  // the end\n}\n';
    expect(jsoncText.set(text, ["c"], 3)).toBe('{\n  "a": 1, // one\n  "b": 2, // two\n  // the end\n  "c": 3\n}\n');
  });

  test("a trailing comma is kept as the style of the file", () => {
    expect(jsoncText.set('{\n  "a": 1,\n}\n', ["b"], 2)).toBe('{\n  "a": 1,\n  "b": 2,\n}\n');
  });
});

describe("splices", () => {
  test("lead from one text to any other, and back where their text is unique", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const { offset, removed, inserted } = spliceBetween(before, after);
        expect(before.slice(0, offset) + inserted + before.slice(offset + removed.length)).toBe(after);
        const back = unsplice(after, { offset, removed, inserted });
        if (inserted !== "" && after.split(inserted).length === 2) expect(back).toBe(before);
      }),
    );
  });

  test("are shown as whole lines, with long ones shortened", () => {
    const splice = spliceBetween('a\n"b": 1\nc\n', 'a\n"b": 2\nc\n');
    expect(wholeLines('a\n"b": 1\nc\n', splice, 80)).toEqual({ removed: ['"b": 1'], added: ['"b": 2'] });
    const long = "x".repeat(1_000);
    expect(wholeLines(`${long}1`, spliceBetween(`${long}1`, `${long}2`), 80)).toEqual({ removed: ["1"], added: ["2"] });
  });
});

test("a value is found by its own property names only", () => {
  expect(valueAt({ a: {} }, ["a", "constructor"])).toBeUndefined();
  expect(valueAt({ a: { b: 1 } }, ["a", "b"])).toBe(1);
});
