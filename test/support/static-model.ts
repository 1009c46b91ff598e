import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { NumberType } from "../../src/adapters/embed/static/safetensors.js";

/** A tensor to be written: numbers of a type, row by row. */
export interface WrittenTensor {
  readonly type: NumberType;
  readonly shape: readonly number[];
  readonly numbers: readonly number[];
}

/** The bytes of a safetensors file. */
export function safetensors(tensors: Readonly<Record<string, WrittenTensor>>): Buffer {
  const parts = Object.entries(tensors).map(([name, tensor]) => ({ name, tensor, bytes: encodeNumbers(tensor) }));
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let end = 0;
  for (const { name, tensor, bytes } of parts) {
    header[name] = { dtype: tensor.type, shape: tensor.shape, data_offsets: [end, end + bytes.length] };
    end += bytes.length;
  }
  return safetensorsOf(JSON.stringify(header), Buffer.concat(parts.map(({ bytes }) => bytes)));
}

/** A file with any text as its header, valid or not. @param length the header length stated in the file */
export function safetensorsOf(header: string, data: Uint8Array, length?: bigint): Buffer {
  const text = Buffer.from(header);
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, " ")]);
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(length ?? BigInt(padded.length));
  return Buffer.concat([start, padded, data]);
}

function encodeNumbers({ type, numbers }: WrittenTensor): Buffer {
  switch (type) {
    case "F64":
      return Buffer.from(Float64Array.from(numbers).buffer);
    case "F32":
      return Buffer.from(Float32Array.from(numbers).buffer);
    case "BF16":
      return Buffer.from(
        Uint16Array.from(new Uint32Array(Float32Array.from(numbers).buffer), (bits) => bits >>> 16).buffer,
      );
    case "F16":
      return Buffer.from(Uint16Array.from(numbers, toHalf).buffer);
    case "I64":
      return Buffer.from(BigInt64Array.from(numbers, (value) => BigInt(value)).buffer);
    case "I32":
      return Buffer.from(Int32Array.from(numbers).buffer);
    case "I16":
      return Buffer.from(Int16Array.from(numbers).buffer);
    default:
      return Buffer.from(Int8Array.from(numbers).buffer);
  }
}

/** Half precision, truncated and not rounded; very small numbers become 0. */
function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (Number.isNaN(value)) return 0x7e00;
  if (!Number.isFinite(value)) return sign | 0x7c00;
  const size = Math.abs(value);
  const exponent = Math.floor(Math.log2(size));
  if (size === 0 || exponent < -14) return sign | Math.floor(size * 2 ** 24);
  return sign | ((exponent + 15) << 10) | Math.floor((size / 2 ** exponent - 1) * 1024);
}

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".split("");
const MARKS = "!\"#$%&'()*+,-./:;<=>?@[]^_{|}~".split("");

/** Words of the small model, the most frequent first. */
export const WORDS = (
  "the a of to and in is it at when does do what where who i we you he she they my our team meeting weekly starts start " +
  "nine every monday bananas contain potassium cat sat on mat stock prices fell sharply today coffee tea morning drink " +
  "likes love lives berlin paris city dog park walks note number about topic word train station leaves house garden"
).split(" ");

/** A small vocabulary like BERT's: special tokens, punctuation, letters at the beginning and inside of words, words. */
export const PIECES: readonly string[] = [
  ...new Set([...SPECIAL, ...MARKS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), "##s", "##ing", ...WORDS]),
];

/** A tokenizer.json like those of English models. */
export function wordPieceTokenizer(pieces: readonly string[] = PIECES): Record<string, unknown> {
  const numbers = new Map(pieces.map((piece, at) => [piece, at]));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.filter((token) => numbers.has(token)).map((content) =>
      specialToken(numbers.get(content) ?? 0, content),
    ),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(numbers),
    },
  };
}

/** A tokenizer.json like those of multilingual models. The first piece stands for unknown ones. */
export function unigramTokenizer(pieces: readonly (readonly [string, number])[]): Record<string, unknown> {
  return {
    version: "1.0",
    added_tokens: [specialToken(0, pieces[0]?.[0] ?? "<unk>")],
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Precompiled", precompiled_charsmap: "" },
        ...MARKS.map((mark) => ({ type: "Replace", pattern: { String: mark }, content: ` ${mark} ` })),
        { type: "Replace", pattern: { Regex: "\\s+" }, content: " " },
        { type: "Strip", strip_left: false, strip_right: true },
      ],
    },
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false },
    post_processor: null,
    decoder: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: false },
    model: { type: "Unigram", unk_id: 0, vocab: pieces },
  };
}

function specialToken(id: number, content: string): Record<string, unknown> {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}

/**
 * A separate direction for every piece, always the same; letters and punctuation weigh little, frequent words less than
 * rare ones.
 */
export function rowsFor(pieces: readonly string[], columns: number): number[] {
  return pieces.flatMap((piece, at) => {
    const isLetter = piece.replace(/^##|^▁/, "").length < 2;
    const weight = isLetter ? 0.05 : Math.min(1, 0.2 + Math.max(0, WORDS.indexOf(piece)) / 40);
    return Array.from(
      { length: columns },
      (_, column) => weight * Math.sin((at + 1) * 12.9898 + (column + 1) * 78.233 * (1 + at)),
    );
  });
}

export interface ModelFiles {
  readonly tokenizer?: Record<string, unknown>;
  readonly tensors?: Readonly<Record<string, WrittenTensor>>;
  readonly config?: Record<string, unknown>;
  /** Type of the table; F32 by default. */
  readonly type?: NumberType;
}

const COLUMNS = 64;

/** The files of a small English model in the Model2Vec format, by name. */
export function modelFiles({ tokenizer, tensors, config, type = "F32" }: ModelFiles = {}): Record<string, Buffer> {
  const numbers = rowsFor(PIECES, COLUMNS).map((value) => (type === "I8" ? Math.round(value * 127) : value));
  return {
    "model.safetensors": safetensors(tensors ?? { embeddings: { type, shape: [PIECES.length, COLUMNS], numbers } }),
    "tokenizer.json": Buffer.from(JSON.stringify(tokenizer ?? wordPieceTokenizer())),
    "config.json": Buffer.from(
      JSON.stringify(
        config ?? { model_type: "model2vec", architectures: ["StaticModel"], normalize: true, apply_zipf: true },
      ),
    ),
  };
}

/** Writes files into a new folder. */
export async function writeModel(
  folder: string,
  files: Readonly<Record<string, Buffer>> = modelFiles(),
): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}
