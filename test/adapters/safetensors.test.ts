import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDuplicateKey } from "../../src/adapters/embed/static/duplicate-key.js";
import { findUnusable, decodeNumbers } from "../../src/adapters/embed/static/numbers.js";
import { readTensors } from "../../src/adapters/embed/static/safetensors.js";
import { safetensors, safetensorsOf } from "../support/static-model.js";

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-tensors-"));
  path = join(folder, "model.safetensors");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Uint8Array) {
  await writeFile(path, bytes);
  const handle = await open(path, "r");
  try {
    return await readTensors(handle, path);
  } finally {
    await handle.close();
  }
}

const EIGHT = new Uint8Array(8);
const table = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({ embeddings: { dtype: "F32", shape: [2, 1], data_offsets: [0, 8], ...changes } });

test("a valid file is read", async () => {
  const tensors = await read(
    safetensors({
      embeddings: { type: "F32", shape: [2, 2], numbers: [1, 2, 3, 4] },
      weights: { type: "F64", shape: [2], numbers: [0.5, 1] },
      empty: { type: "I8", shape: [0, 5], numbers: [] },
    }),
  );
  expect([...tensors.keys()].sort()).toEqual(["embeddings", "empty", "weights"]);
  const embeddings = tensors.get("embeddings")!;
  expect(embeddings).toMatchObject({ type: "F32", shape: [2, 2], bytes: 16 });
  expect(tensors.get("weights")).toMatchObject({ type: "F64", start: embeddings.start + 16, bytes: 16 });
});

test("tensors may be listed in the header in any order", async () => {
  const header = {
    later: { dtype: "F32", shape: [1], data_offsets: [4, 8] },
    earlier: { dtype: "F32", shape: [1], data_offsets: [0, 4] },
  };
  expect((await read(safetensorsOf(JSON.stringify(header), EIGHT))).size).toBe(2);
});

const valid = safetensors({ embeddings: { type: "F32", shape: [2, 2], numbers: [1, 2, 3, 4] } });

test.each<[string, Uint8Array, string]>([
  ["nothing at all", new Uint8Array(), "has 0 bytes"],
  ["seven bytes", new Uint8Array(7), "has 7 bytes"],
  ["no header", new Uint8Array(8), "states that its header has 0 bytes"],
  [
    "a header of 2^63 bytes",
    safetensorsOf("{}", EIGHT, 2n ** 63n),
    "states that its header has 9223372036854775808 bytes",
  ],
  [
    "a header of 2 MB",
    safetensorsOf("{}", new Uint8Array(2_100_000), 2_097_152n),
    "states that its header has 2097152 bytes",
  ],
  ["half a header", valid.subarray(0, 40), "ends within its header, after 40 of"],
  ["half its data", valid.subarray(0, -5), "is truncated"],
  ["more than its data", Buffer.concat([valid, EIGHT]), "has 8 bytes more than its header describes"],
  ["text as a header", safetensorsOf("no JSON", EIGHT), "not JSON"],
  ["bytes that are not text", Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0x28]), EIGHT]), "not JSON"],
  ["a list as a header", safetensorsOf("[]", EIGHT), "not a JSON object"],
  [
    "a deeply nested header",
    safetensorsOf(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, EIGHT),
    "without a valid type",
  ],
  [
    "the same name twice",
    safetensorsOf(`{"a":1,${table().slice(1, -1)},${table().slice(1)}`, EIGHT),
    'names "embeddings" twice',
  ],
  [
    "the same property twice",
    safetensorsOf(table().replace('"shape"', '"dtype":"I8","shape"'), EIGHT),
    'names "dtype" twice',
  ],
  ["a tensor without a type", safetensorsOf(table({ dtype: undefined }), EIGHT), "without a valid type"],
  ["an unknown type", safetensorsOf(table({ dtype: "F13" }), EIGHT), 'unknown type "F13"'],
  ["a type from the prototype", safetensorsOf(table({ dtype: "toString" }), EIGHT), 'unknown type "toString"'],
  ["a negative length", safetensorsOf(table({ shape: [-2, -1] }), EIGHT), "without a valid type"],
  ["a broken length", safetensorsOf(table({ shape: [0.5, 4] }), EIGHT), "without a valid type"],
  ["nine dimensions", safetensorsOf(table({ shape: [2, 1, 1, 1, 1, 1, 1, 1, 1] }), EIGHT), "without a valid type"],
  ["a shape too large for numbers", safetensorsOf(table({ shape: [2 ** 40, 2 ** 40] }), EIGHT), "impossible shape"],
  [
    "fewer bytes than its shape needs",
    safetensorsOf(table({ shape: [3, 1] }), EIGHT),
    "8 bytes, where F32 of shape 3×1 has 12",
  ],
  ["an end before its beginning", safetensorsOf(table({ data_offsets: [8, 0] }), EIGHT), "-8 bytes, where"],
  ["an offset beyond the file", safetensorsOf(table({ data_offsets: [8, 16] }), EIGHT), "has a gap before"],
  ["a negative offset", safetensorsOf(table({ data_offsets: [-8, 0] }), EIGHT), "without a valid type"],
  [
    "tensors that overlap",
    safetensorsOf(
      JSON.stringify({
        one: { dtype: "I8", shape: [6], data_offsets: [0, 6] },
        other: { dtype: "I8", shape: [4], data_offsets: [4, 8] },
      }),
      EIGHT,
    ),
    'has the tensor "other" overlapping',
  ],
])("%s is refused, and the error names the file", async (_what, bytes, problem) => {
  const refused = read(bytes);
  await expect(refused).rejects.toMatchObject({ name: "AppError", kind: "invalid" });
  const text = await refused.then(
    () => "",
    (error: Error) => error.message,
  );
  expect(text).toContain(`The model file ${path} `);
  expect(text).toContain(problem);
  expect(text).toMatch(/RECOLLECT_EMBEDDING_MODEL\.$/);
  expect(text.length).toBeLessThan(500);
});

test("a file truncated at any byte is refused", async () => {
  for (let end = 0; end < valid.length; end++)
    await expect(read(valid.subarray(0, end)), `${end} bytes`).rejects.toMatchObject({ kind: "invalid" });
});

test("a changed byte in the header ends in a table within the file, or in an error that names the file", async () => {
  const outcomes = { tables: 0, errors: 0 };
  const dataAt = valid.length - 16;
  const changes = [0x01, 0x02, 0x04, 0x15].flatMap((bits) => Array.from({ length: dataAt }, (_, at) => ({ at, bits })));
  for (const { at, bits } of changes) {
    const changed = Buffer.from(valid);
    changed[at] = (changed[at] ?? 0) ^ bits;
    const outcome = await read(changed).catch((error: unknown) => error);
    if (outcome instanceof Map) {
      // Only the name of the tensor can be another one.
      expect([...outcome.values()], `byte ${at}`).toMatchObject([
        { type: "F32", shape: [2, 2], start: dataAt, bytes: 16 },
      ]);
      outcomes.tables += 1;
    } else {
      const message = expect.stringContaining(`The model file ${path} `) as string;
      expect(outcome, `byte ${at}`).toMatchObject({ name: "AppError", kind: "invalid", message });
      outcomes.errors += 1;
    }
  }
  expect(outcomes.tables).toBeGreaterThan(0);
  expect(outcomes.errors).toBeGreaterThan(0);
});

describe("numbers", () => {
  const bytesOf = (values: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(values.buffer);

  test.each<[Parameters<typeof decodeNumbers>[1], Uint8Array, number[]]>([
    ["F64", bytesOf(Float64Array.of(0.1, -2)), [Math.fround(0.1), -2]],
    ["F32", bytesOf(Float32Array.of(0.5, -1e30)), [0.5, Math.fround(-1e30)]],
    [
      "F16",
      bytesOf(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000, 0x3555)),
      [1, -2, 2 ** -24, 65_504, -0, 0.333251953125],
    ],
    ["BF16", bytesOf(Uint16Array.of(0x3f80, 0xc000, 0x4049)), [1, -2, 3.140625]],
    ["I8", bytesOf(Int8Array.of(-128, 0, 127)), [-128, 0, 127]],
    ["U8", bytesOf(Uint8Array.of(0, 255)), [0, 255]],
    ["I16", bytesOf(Int16Array.of(-300, 300)), [-300, 300]],
    ["I32", bytesOf(Int32Array.of(-70_000, 70_000)), [-70_000, 70_000]],
    ["I64", bytesOf(BigInt64Array.of(-5n, 5n)), [-5, 5]],
  ])("%s is read exactly, at any alignment in memory", (type, bytes, expected) => {
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect([...decodeNumbers(bytes, type)]).toEqual(expected);
    expect([...decodeNumbers(shifted.subarray(1), type)]).toEqual(expected);
  });

  test.each<[Parameters<typeof findUnusable>[1], Uint8Array, number]>([
    ["F32", bytesOf(Float32Array.of(1, -3e38, 0)), -1],
    ["F32", bytesOf(Float32Array.of(1, Number.NaN)), 1],
    ["F32", bytesOf(Float32Array.of(-Infinity)), 0],
    ["F64", bytesOf(Float64Array.of(1, 1e300)), 1],
    ["F64", bytesOf(Float64Array.of(1, 1e30)), -1],
    ["F16", bytesOf(Uint16Array.of(0x7bff, 0xfc00)), 1],
    ["F16", bytesOf(Uint16Array.of(0x7bff, 0xfbff)), -1],
    ["BF16", bytesOf(Uint16Array.of(0x3f80, 0x7fc0)), 1],
    ["I8", bytesOf(Int8Array.of(-1, 127)), -1],
  ])("in %s of %j the first unusable number is %j", (type, bytes, place) => {
    expect(findUnusable(bytes, type)).toBe(place);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(findUnusable(shifted.subarray(1), type)).toBe(place);
  });
});

test.each<[string, string | undefined]>([
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', undefined],
  ['{"a":1,"b":2,"a":3}', "a"],
  ['{"x":{"k":1,"\\u006b":2}}', "k"],
  ['{"a":"b\\":{","b":["a","a"]}', undefined],
  ['["a","a"]', undefined],
  ["{}", undefined],
])("in %s the duplicate key is %j", (json, key) => {
  expect(findDuplicateKey(json)).toBe(key);
});
