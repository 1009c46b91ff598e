import * as fc from "fast-check";

/** Texts that are known to break programs. */
export const oddText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\uD800",
    "\uDFFF\uD800",
    "\u202Egnp.exe",
    "\uFEFF",
    "\u200B",
    "e\u0301",
    "ﷺ",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "\r\nSet-Cookie: a=b",
    "' or 1=1 --",
    '"; drop table documents; --',
    '* NEAR/2 "(',
    "{{7*7}}${7*7}",
    "<script>alert(1)</script>",
    "../../../../etc/passwd",
    "%00%2e%2e%2f",
    "__proto__",
    "constructor",
    "null",
    "NaN",
    "1e999",
    "9".repeat(400),
    "%",
    "\\u0000",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.integer({ min: 1, max: 60_000 }).map((length) => "é".repeat(length)),
);

/** Values of every JSON type. */
const anyValue = fc.oneof(
  oddText,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, -0, Number.MAX_SAFE_INTEGER, [], {}, [[]], [null], { a: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A value nested this deep. */
function nest(depth: number, isArray: boolean): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = isArray ? [value] : { AND: [value] };
  return value;
}

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...at, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((part, at) => (String(at) === String(key) ? replaceAt(part, rest, replacement) : part));
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, part]) => [name, name === key ? replaceAt(part, rest, replacement) : part]),
  );
}

function removeAt(value: unknown, path: Path): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  if (Array.isArray(value))
    return value.flatMap((part, at) =>
      String(at) === String(key) ? (rest.length === 0 ? [] : [removeAt(part, rest)]) : [part],
    );
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, part]) =>
      name !== key ? [[name, part]] : rest.length === 0 ? [] : [[name, removeAt(part, rest)]],
    ),
  );
}

/** The same value with one defect: a field missing, of another type, superfluous, too deep or odd. */
export function breakValue(value: unknown): fc.Arbitrary<unknown> {
  const anywhere = fc.constantFrom(...pathsIn(value));
  return fc.oneof(
    fc.tuple(anywhere, anyValue).map(([path, broken]) => replaceAt(value, path, broken)),
    fc.tuple(anywhere, oddText).map(([path, broken]) => replaceAt(value, path, broken)),
    anywhere.map((path) => removeAt(value, path)),
    fc.tuple(oddText, anyValue).map(([name, extra]) => addField(value, name, extra)),
    fc
      .tuple(anywhere, fc.integer({ min: 2, max: 2_000 }), fc.boolean())
      .map(([path, depth, isArray]) => replaceAt(value, path, nest(depth, isArray))),
  );
}

function addField(value: unknown, name: string, extra: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [value, extra];
  return Object.fromEntries([...Object.entries(value), [name, extra]]);
}
