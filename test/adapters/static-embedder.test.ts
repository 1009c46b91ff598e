import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareStaticEmbedder, type StaticEmbedder } from "../../src/adapters/embed/static.js";
import { describeEmbedder, type OpenedEmbedder } from "../contract/embedder.js";
import { captureLog } from "../support/captured-log.js";
import {
  modelFiles,
  PIECES,
  rowsFor,
  unigramTokenizer,
  wordPieceTokenizer,
  writeModel,
  type ModelFiles,
} from "../support/static-model.js";

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "recollect-static-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const newFolder = (): string => join(root, `model-${(count += 1)}`);

async function prepare(folder: string, modelsDirectory = join(root, "models")): Promise<StaticEmbedder> {
  const hub = { baseUrl: "http://127.0.0.1:9", token: undefined };
  return prepareStaticEmbedder({ model: folder, modelsDirectory, offline: true, hub, log: captureLog() });
}

async function openWith(files: Readonly<Record<string, Buffer>>): Promise<StaticEmbedder> {
  const folder = newFolder();
  await writeModel(folder, files);
  return prepare(folder);
}

const opened = async (files: ModelFiles): Promise<OpenedEmbedder> => {
  const embedder = await openWith(modelFiles(files));
  return { embedder, close: () => embedder.close() };
};

/** A model whose rows can be written by hand. */
const tiny = (words: readonly string[], files: ModelFiles): Record<string, Buffer> =>
  modelFiles({ tokenizer: wordPieceTokenizer(words), ...files });

async function embedOne(embedder: StaticEmbedder, text: string): Promise<number[]> {
  const [vector] = await embedder.embed([text], "document");
  return [...vector!];
}

const cosine = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, value, at) => sum + value * right[at]!, 0);

describeEmbedder("static, F32", () => opened({}));
describeEmbedder("static, F16", () => opened({ type: "F16" }));
describeEmbedder("static, BF16", () => opened({ type: "BF16" }));
describeEmbedder("static, I8", () => opened({ type: "I8" }));

const UNIGRAM: readonly (readonly [string, number])[] = [
  ["<unk>", 0],
  ...PIECES.filter((piece) => /^[a-z]/.test(piece)).map((piece): [string, number] => [`▁${piece}`, -6]),
  ..."abcdefghijklmnopqrstuvwxyz".split("").map((letter): [string, number] => [letter, -12]),
  ["▁", -8],
  ...["我", "喜欢", "在", "早上", "喝", "咖啡", "القهوة", "▁في", "▁الصباح"].map((piece): [string, number] => [
    piece,
    -7,
  ]),
];

describeEmbedder("static, unigram with weights and a mapping", () => {
  const pieces = UNIGRAM.map(([piece]) => piece);
  const rows = rowsFor(pieces, 32);
  return opened({
    tokenizer: unigramTokenizer(UNIGRAM),
    tensors: {
      embeddings: { type: "F16", shape: [pieces.length, 32], numbers: rows },
      weights: { type: "F64", shape: [pieces.length], numbers: pieces.map((piece) => (piece.length > 3 ? 1 : 0.3)) },
      mapping: { type: "I64", shape: [pieces.length], numbers: pieces.map((_, at) => pieces.length - 1 - at) },
    },
  });
});

describe("vectors", () => {
  const words = ["[PAD]", "[UNK]", "red", "green", "##er", "blue"];

  test("are the mean of the token rows, scaled to length 1", async () => {
    const numbers = [9, 9, 8, 8, 1, 0, 0, 1, 0, 3, -1, 0];
    const embedder = await openWith(tiny(words, { tensors: { embeddings: { type: "F32", shape: [6, 2], numbers } } }));
    expect(await embedOne(embedder, "Red")).toEqual([1, 0]);
    expect(await embedOne(embedder, "red green")).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
    expect(await embedOne(embedder, "red red green")).toEqual([2, 1].map((value) => Math.fround(value / Math.sqrt(5))));
    expect(await embedOne(embedder, "GREENER réd")).toEqual([1, 4].map((value) => Math.fround(value / Math.sqrt(17))));
    await embedder.close();
  });

  test("weight each token when the model has weights, and find its row when it has a mapping", async () => {
    const embedder = await openWith(
      tiny(words, {
        tensors: {
          embeddings: { type: "F32", shape: [2, 2], numbers: [1, 0, 0, 1] },
          weights: { type: "F32", shape: [6, 1], numbers: [1, 1, 3, 4, 1, 0] },
          mapping: { type: "I32", shape: [6], numbers: [0, 0, 0, 1, 0, 0] },
        },
      }),
    );
    expect(await embedOne(embedder, "red green")).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    await embedder.close();
  });

  test("are the same whether the table contains large, small or half-precision numbers", async () => {
    const numbers = [0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0];
    for (const [type, scale] of [
      ["F64", 1e-30],
      ["F32", 1e38 / 4],
      ["F32", 1e-38],
      ["F16", 1],
      ["BF16", 1],
      ["I8", 1],
    ] as const) {
      const scaled = numbers.map((value) => value * scale);
      const embedder = await openWith(
        tiny(words, { tensors: { embeddings: { type, shape: [6, 2], numbers: scaled } } }),
      );
      const [x, y] = await embedOne(embedder, "red");
      expect(x, type).toBeCloseTo(0.6, 5);
      expect(y, type).toBeCloseTo(0.8, 5);
      await embedder.close();
    }
  });

  test("of texts without a known token are far apart, and equal for equal texts", async () => {
    const embedder = await openWith(modelFiles());
    const [one, same, other, empty, blank] = await embedder.embed(
      ["東京に行きました。", "東京に行きました。", "寿司が好きです。", "", " "],
      "document",
    );
    expect(one).toEqual(same);
    expect(empty).toEqual(blank);
    expect(Math.abs(cosine([...one!], [...other!]))).toBeLessThan(0.4);
    expect(Math.abs(cosine([...one!], [...empty!]))).toBeLessThan(0.4);
    await embedder.close();
  });

  test("of foreign texts do not depend only on their commas", async () => {
    const embedder = await openWith(modelFiles());
    const [one, other] = await embedder.embed(
      ["Завтра, вечером, дома, поезд.", "Сегодня, утром, кофе, молоко."],
      "document",
    );
    expect(cosine([...one!], [...other!])).toBeLessThan(0.7);
    await embedder.close();
  });

  test("of rows that cancel out, or are zero, still have length 1", async () => {
    const numbers = [0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0];
    const embedder = await openWith(tiny(words, { tensors: { embeddings: { type: "F32", shape: [6, 2], numbers } } }));
    for (const text of ["red green", "blue"]) expect(Math.hypot(...(await embedOne(embedder, text)))).toBeCloseTo(1, 5);
    await embedder.close();
  });

  test("are correct for large batches, in any order, during concurrent calls", async () => {
    const embedder = await openWith(modelFiles());
    const texts = Array.from(
      { length: 600 },
      (_, at) => PIECES.slice(at % 60, (at % 60) + 9).join(" ") + " note".repeat(at % 7),
    );
    const alone = [];
    for (const text of texts) alone.push(await embedOne(embedder, text));
    const together = await Promise.all([
      embedder.embed(texts, "document"),
      embedder.embed([...texts].reverse(), "query"),
    ]);
    expect(together[0].map((vector) => [...vector])).toEqual(alone);
    expect(together[1].reverse().map((vector) => [...vector])).toEqual(alone);
    await embedder.close();
  });

  test("are not computed further once the signal has fired", async () => {
    const embedder = await openWith(modelFiles());
    const stop = new AbortController();
    const work = embedder.embed(
      Array.from({ length: 50_000 }, (_, at) => `note number ${at} about coffee`),
      "document",
      stop.signal,
    );
    setImmediate(() => stop.abort(new Error("enough")));
    await expect(work).rejects.toThrow("enough");
    await embedder.close();
  });
});

describe("the fingerprint", () => {
  test("depends on the content: the same in another folder, different for other numbers or words", async () => {
    const other = rowsFor(PIECES, 64);
    other[100] = 0.5;
    const embedders = await Promise.all([
      openWith(modelFiles()),
      openWith(modelFiles()),
      openWith(modelFiles({ tensors: { embeddings: { type: "F32", shape: [PIECES.length, 64], numbers: other } } })),
      openWith(modelFiles({ tokenizer: wordPieceTokenizer([...PIECES.slice(0, -2), PIECES.at(-1)!, PIECES.at(-2)!]) })),
      openWith(modelFiles({ type: "F16" })),
    ]);
    const fingerprints = embedders.map(({ fingerprint }) => fingerprint);
    expect(fingerprints[0]).toBe(fingerprints[1]);
    expect(new Set(fingerprints).size).toBe(4);
    await Promise.all(embedders.map((embedder) => embedder.close()));
  });

  test("of a large table is computed once, and again when the file changes", async () => {
    const folder = newFolder();
    const models = newFolder();
    const path = join(folder, "model.safetensors");
    const memory = async (): Promise<string> => readFile(join(models, "checked-files.json"), "utf8");
    await writeModel(folder);
    const first = await prepare(folder, models);
    // The stored note decides now: the file is not read again.
    await writeFile(
      join(models, "checked-files.json"),
      (await memory()).replace(/"sha256": "[^"]*"/, `"sha256": "${"0".repeat(64)}"`),
    );
    const second = await prepare(folder, models);
    expect(second.fingerprint).not.toBe(first.fingerprint);
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    const third = await prepare(folder, models);
    expect(third.fingerprint).toBe(first.fingerprint);
    await Promise.all([first, second, third].map((embedder) => embedder.close()));
  });

  test.each(["", "{", "[]", '{"/x":{"size":"many"}}', "null"])(
    "is computed when the stored note is %j",
    async (text) => {
      const folder = newFolder();
      const models = newFolder();
      await writeModel(folder);
      await mkdir(models, { recursive: true });
      await writeFile(join(models, "checked-files.json"), text);
      const embedder = await prepare(folder, models);
      const again = await openWith(modelFiles());
      expect(embedder.fingerprint).toBe(again.fingerprint);
      await Promise.all([embedder.close(), again.close()]);
    },
  );
});

describe("the name", () => {
  test("is the name of the folder", async () => {
    const folder = join(root, "tiny words");
    await writeModel(folder);
    const embedder = await prepare(folder);
    expect(embedder.name).toBe("static tiny words");
    await embedder.close();
  });
});

test("finds models in Sentence Transformers folders", async () => {
  const { "model.safetensors": _, "tokenizer.json": tokenizer, ...rest } = modelFiles();
  const { "model.safetensors": table } = modelFiles({
    tensors: { "embedding.weight": { type: "F32", shape: [PIECES.length, 64], numbers: rowsFor(PIECES, 64) } },
  });
  const nested = await openWith({
    ...rest,
    "0_StaticEmbedding/model.safetensors": table!,
    "0_StaticEmbedding/tokenizer.json": tokenizer!,
  });
  const usual = await openWith(modelFiles());
  expect(await embedOne(nested, "The cat sat.")).toEqual(await embedOne(usual, "The cat sat."));
  await Promise.all([nested.close(), usual.close()]);
});

test("a closed embedder refuses to embed and says so", async () => {
  const embedder = await openWith(modelFiles());
  await embedder.close();
  await expect(embedder.embed(["coffee in the morning"], "query")).rejects.toMatchObject({ kind: "unavailable" });
});

test("a table truncated while in use is an error, not a wrong vector", async () => {
  const folder = newFolder();
  await writeModel(folder);
  const embedder = await prepare(folder);
  await writeFile(join(folder, "model.safetensors"), "short");
  await expect(embedder.embed(["bananas"], "query")).rejects.toMatchObject({ kind: "unavailable" });
  await embedder.close();
});

const shaped = (shape: readonly number[], more: ModelFiles["tensors"] = {}): Record<string, Buffer> =>
  modelFiles({
    tensors: {
      embeddings: { type: "F32", shape, numbers: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 0.5) },
      ...more,
    },
  });
const rows = PIECES.length;
const one = (changes: Record<string, unknown>): Record<string, Buffer> =>
  modelFiles({ tokenizer: { ...wordPieceTokenizer(), ...changes } });
const withTokenizer = (text: string): Record<string, Buffer> => ({
  ...modelFiles(),
  "tokenizer.json": Buffer.from(text),
});
const bad = (value: number): Record<string, Buffer> =>
  modelFiles({
    tensors: {
      embeddings: {
        type: "F32",
        shape: [rows, 2],
        numbers: Array.from({ length: rows * 2 }, (_, at) => (at === 77 ? value : 1)),
      },
    },
  });

test.each<[string, Record<string, Buffer>, string]>([
  [
    "without a table",
    { "tokenizer.json": modelFiles()["tokenizer.json"]! },
    "lacks tokenizer.json or model.safetensors",
  ],
  [
    "without a tokenizer",
    { "model.safetensors": modelFiles()["model.safetensors"]! },
    "lacks tokenizer.json or model.safetensors",
  ],
  [
    "of another kind",
    modelFiles({ tensors: { "encoder.weight": { type: "F32", shape: [1], numbers: [1] } } }),
    'no tensor named "embeddings"',
  ],
  ["with a vector as its table", shaped([rows]), `shape ${rows}, where tokens × dimensions`],
  ["with a cube as its table", shaped([rows, 2, 2]), `shape ${rows}×2×2`],
  ["with an empty table", shaped([0, 4]), "shape 0×4"],
  ["with empty rows", shaped([rows, 0]), `shape ${rows}×0`],
  ["with absurdly long rows", shaped([1, 8_193]), "a table of 1×8193"],
  [
    "with a table of integers",
    modelFiles({
      tensors: { embeddings: { type: "I64", shape: [rows, 1], numbers: rowsFor(PIECES, 1).map(Math.round) } },
    }),
    "stores its table as I64",
  ],
  [
    "with one row too few",
    shaped([rows - 1, 2]),
    `has ${rows} tokens, but the table in model.safetensors has ${rows - 1} rows`,
  ],
  ["with one row too many", shaped([rows + 1, 2]), `has ${rows + 1} rows: the two files do not match`],
  ["with a NaN", bad(Number.NaN), "infinite or not a number (value 78)"],
  ["with an infinite number", bad(-Infinity), "infinite or not a number (value 78)"],
  [
    "with too few weights",
    shaped([rows, 2], { weights: { type: "F32", shape: [3], numbers: [1, 1, 1] } }),
    `has weights of shape 3 for a vocabulary of ${rows}`,
  ],
  [
    "with weights that are text",
    shaped([rows, 2], { weights: { type: "I8", shape: [rows], numbers: rowsFor(PIECES, 1) } }),
    "its weights as I8",
  ],
  [
    "with a mapping of fractions",
    shaped([2, 2], { mapping: { type: "F32", shape: [rows], numbers: rowsFor(PIECES, 1) } }),
    "its mapping as F32",
  ],
  [
    "with a mapping beyond its table",
    shaped([2, 2], { mapping: { type: "I64", shape: [rows], numbers: PIECES.map((_, at) => (at === 5 ? 2 : 1)) } }),
    "maps the token 5 to the row 2",
  ],
  [
    "with a mapping before its table",
    shaped([2, 2], { mapping: { type: "I32", shape: [rows], numbers: PIECES.map((_, at) => (at === 5 ? -1 : 1)) } }),
    "maps the token 5 to the row -1",
  ],
  ["with a tokenizer that is not JSON", withTokenizer("{"), "is not JSON"],
  ["with an empty tokenizer", withTokenizer(""), "is not JSON"],
  ["with a list as its tokenizer", withTokenizer("[]"), "is not a supported kind of tokenizer"],
  [
    "with a deeply nested tokenizer",
    withTokenizer(`{"model":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    "is not a supported kind of tokenizer at model",
  ],
  [
    "with an unsupported kind of tokenizer",
    one({ model: { type: "Neural", vocab: {} } }),
    "is not a supported kind of tokenizer at model",
  ],
  [
    "with a vocabulary of texts",
    one({ model: { type: "WordPiece", unk_token: "[UNK]", vocab: { a: "0" } } }),
    "at model.vocab",
  ],
  [
    "with a negative token",
    one({ model: { type: "WordPiece", unk_token: "[UNK]", vocab: { a: -1 } } }),
    "at model.vocab",
  ],
  [
    "with an enormous token",
    one({ model: { type: "WordPiece", unk_token: "[UNK]", vocab: { a: 2 ** 53 } } }),
    "at model.vocab",
  ],
  [
    "with gaps in its vocabulary",
    one({ added_tokens: [], model: { type: "WordLevel", vocab: { a: 0, b: 7 } } }),
    "none with the number 1",
  ],
  [
    "with an unknown normalizer",
    one({ normalizer: { type: "Magic" } }),
    "cannot be used (Unknown Normalizer type: Magic)",
  ],
  ["with a normalizer that is a number", one({ normalizer: 5 }), "at normalizer"],
  ["with endlessly nested steps", withTokenizer(nestedTokenizer(30_000)), "describes a tokenizer that cannot be used"],
  [
    "with a broken pattern",
    one({ pre_tokenizer: { type: "Split", pattern: { Regex: "(" }, behavior: "Isolated", invert: false } }),
    "cannot be used",
  ],
])("a model %s is refused, and the error names the folder", async (_what, files, problem) => {
  const folder = newFolder();
  await writeModel(folder, files);
  const refused = prepare(folder);
  await expect(refused).rejects.toMatchObject({ name: "AppError", kind: "invalid" });
  const text = await refused.then(
    () => "",
    (error: Error) => error.message,
  );
  expect(text).toContain(folder);
  expect(text).toContain(problem);
  expect(text).toMatch(/RECOLLECT_EMBEDDING_MODEL\.$/);
});

/** Written as text, since objects nested this deep cannot be serialised. */
function nestedTokenizer(depth: number): string {
  const step = '{"type":"Sequence","normalizers":[';
  const steps = `${step.repeat(depth)}{"type":"Lowercase"}${"]}".repeat(depth)}`;
  return JSON.stringify({ ...wordPieceTokenizer(), normalizer: "steps" }).replace('"steps"', steps);
}

test("a missing folder is named", async () => {
  await expect(prepare(join(root, "nowhere"))).rejects.toMatchObject({
    kind: "invalid",
    message: `There is no model folder ${join(root, "nowhere")}. Correct RECOLLECT_EMBEDDING_MODEL, or put the model there.`,
  });
});

test.skipIf(process.getuid?.() === 0)(
  "an unreadable file is named (skipped as root, who may read everything)",
  async () => {
    const folder = newFolder();
    await writeModel(folder);
    await chmod(join(folder, "tokenizer.json"), 0);
    await expect(prepare(folder)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("(EACCES)") as string,
    });
  },
);

test("an unwritable folder for notes does not prevent the start", async () => {
  const blocked = join(root, "a file");
  await appendFile(blocked, "in the way");
  const folder = newFolder();
  await writeModel(folder);
  const embedder = await prepare(folder, blocked);
  expect(await embedOne(embedder, "coffee")).toHaveLength(64);
  await embedder.close();
});
