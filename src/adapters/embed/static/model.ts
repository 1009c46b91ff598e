import { open, readFile, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../core/errors.js";
import { sha256 } from "../../../lib/crypto.js";
import { checkedDigest } from "./checked-files.js";
import { decodeNumbers } from "./numbers.js";
import { brokenFile, readExactly, readTensors, type Tensor } from "./safetensors.js";
import { openTable, type VectorTable } from "./table.js";
import { readTokens, type Tokens } from "./tokens.js";

/** Where a model's files are inside its folder or repository: Model2Vec's own places, then Sentence Transformers'. */
export const LAYOUTS = [
  { tokenizer: "tokenizer.json", tensors: "model.safetensors" },
  { tokenizer: "0_StaticEmbedding/tokenizer.json", tensors: "0_StaticEmbedding/model.safetensors" },
] as const;

/** Size limit of a tokenizer.json; one with half a million tokens has about 20 MB. */
export const LARGEST_TOKENIZER = 128 * 1024 * 1024;
const TABLE_NAMES = ["embeddings", "embedding.weight"];
const MOST_ROWS = 10_000_000;
const MOST_COLUMNS = 8_192;
const MEASURED_ROWS = 256;

/** An open model: its tokens, and the numbers of each. */
export interface StaticModel {
  readonly tokens: Tokens;
  readonly table: VectorTable;
  /** The weight of each token in the mean; undefined when all count alike. */
  readonly weights: Float32Array | undefined;
  /** Row of each token; undefined when the token's id is its row. */
  readonly rowOf: Uint32Array | undefined;
  /** Length of an ordinary token's row, including its weight. */
  readonly usualLength: number;
  /** Changes with anything that affects a vector: 32 hexadecimal digits. */
  readonly digest: string;
  close(): Promise<void>;
}

/**
 * Opens the model in a folder and checks everything in it.
 * @param memoryFolder where to store that the file was checked
 * @throws AppError `invalid`, naming the file, what is wrong and what to do
 */
export async function openModel(folder: string, memoryFolder: string, signal?: AbortSignal): Promise<StaticModel> {
  const { tokenizerPath, tensorsPath } = await findFiles(folder);
  const handle = await openFile(tensorsPath);
  try {
    const tensors = await readTensors(handle, tensorsPath);
    const file = { path: tensorsPath, handle, tensors };
    const main = findMain(tensors, tensorsPath);
    const json = await readTokenizer(tokenizerPath);
    signal?.throwIfAborted();
    const tokens = await readTokens(json, tokenizerPath);
    const weights = await readWeights(file, tokens.vocabularySize);
    const rowOf = await readMapping(file, tokens.vocabularySize, main);
    if (rowOf === undefined && main.shape[0] !== tokens.vocabularySize)
      throw brokenFile(
        tokenizerPath,
        `has ${tokens.vocabularySize} tokens, but the table in model.safetensors has ${main.shape[0]} rows: the two files do not match`,
      );
    const digest = sha256(`${await checkedDigest(file, memoryFolder, signal)} ${sha256(json)}`).slice(0, 32);
    const usualLength = await measureLength(openTable(handle, main), { weights, rowOf, size: tokens.vocabularySize });
    return { tokens, table: openTable(handle, main), weights, rowOf, usualLength, digest, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Numbering {
  readonly weights: Float32Array | undefined;
  readonly rowOf: Uint32Array | undefined;
  readonly size: number;
}

/** The mean length of sample rows from all over the table. */
async function measureLength(table: VectorTable, { weights, rowOf, size }: Numbering): Promise<number> {
  const count = Math.min(size, MEASURED_ROWS);
  const sample = Array.from({ length: count }, (_, at) => Math.floor((at * size) / count));
  const rows = await table.read(sample.map((id) => rowOf?.[id] ?? id));
  const lengths = sample.map((id) => Math.abs(weights?.[id] ?? 1) * Math.hypot(...(rows.get(rowOf?.[id] ?? id) ?? [])));
  return lengths.reduce((sum, length) => sum + length, 0) / count || 1;
}

async function findFiles(folder: string): Promise<{ readonly tokenizerPath: string; readonly tensorsPath: string }> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new AppError(
      "invalid",
      `There is no model folder ${folder}. Correct RECOLLECT_EMBEDDING_MODEL, or put the model there.`,
      { paths: [folder] },
    );
  for (const { tokenizer, tensors } of LAYOUTS) {
    const paths = { tokenizerPath: join(folder, tokenizer), tensorsPath: join(folder, tensors) };
    if ((await isFile(paths.tokenizerPath)) && (await isFile(paths.tensorsPath))) return paths;
  }
  throw new AppError(
    "invalid",
    `The model folder ${folder} lacks tokenizer.json or model.safetensors, so it does not contain a Model2Vec model. Put both files there, or name another folder in RECOLLECT_EMBEDDING_MODEL.`,
    { paths: [folder] },
  );
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function readTokenizer(path: string): Promise<string> {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (size > LARGEST_TOKENIZER)
    throw brokenFile(path, `has ${size} bytes, more than the ${LARGEST_TOKENIZER} that a tokenizer may have`);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new AppError("invalid", `The model file ${path} cannot be read${reason}. Check its permissions.`, {
    paths: [path],
    cause,
  });
}

function findMain(tensors: ReadonlyMap<string, Tensor>, path: string): Tensor {
  const main = TABLE_NAMES.map((name) => tensors.get(name)).find((tensor) => tensor !== undefined);
  if (main === undefined)
    throw brokenFile(
      path,
      `has no tensor named "embeddings", so it is not a static model (Model2Vec), though it may be another kind of model`,
    );
  const [rows = 0, columns = 0, ...more] = main.shape;
  if (more.length > 0 || rows < 1 || columns < 1)
    throw brokenFile(
      path,
      `has a table of shape ${main.shape.join("×") || "none"}, where tokens × dimensions is expected`,
    );
  if (rows > MOST_ROWS || columns > MOST_COLUMNS)
    throw brokenFile(
      path,
      `has a table of ${rows}×${columns}; up to ${MOST_ROWS} tokens and ${MOST_COLUMNS} dimensions are supported`,
    );
  if (!["F64", "F32", "F16", "BF16", "I8"].includes(main.type))
    throw brokenFile(path, `stores its table as ${main.type}; F32, F16, BF16, F64 and I8 are supported`);
  return main;
}

interface OpenTensors {
  readonly path: string;
  readonly handle: FileHandle;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

async function readWeights({ path, handle, tensors }: OpenTensors, tokens: number): Promise<Float32Array | undefined> {
  const tensor = tensors.get("weights");
  if (tensor === undefined) return undefined;
  checkOnePerToken(tensor, tokens, path);
  if (!["F64", "F32", "F16", "BF16"].includes(tensor.type))
    throw brokenFile(path, `stores its weights as ${tensor.type}`);
  return decodeNumbers(await readExactly(handle, tensor.start, tensor.bytes), tensor.type);
}

async function readMapping(
  { path, handle, tensors }: OpenTensors,
  tokens: number,
  main: Tensor,
): Promise<Uint32Array | undefined> {
  const tensor = tensors.get("mapping");
  if (tensor === undefined) return undefined;
  checkOnePerToken(tensor, tokens, path);
  if (!["I64", "I32", "I16"].includes(tensor.type)) throw brokenFile(path, `stores its mapping as ${tensor.type}`);
  // There are fewer than 2^24 rows, so single precision holds them exactly; whatever it rounds is too large anyway.
  const rows = decodeNumbers(await readExactly(handle, tensor.start, tensor.bytes), tensor.type);
  const wrong = rows.findIndex((row) => row < 0 || row >= (main.shape[0] ?? 0));
  if (wrong >= 0)
    throw brokenFile(path, `maps the token ${wrong} to the row ${rows[wrong]}, which its table does not have`);
  return Uint32Array.from(rows);
}

function checkOnePerToken(tensor: Tensor, tokens: number, path: string): void {
  const [length, ...more] = tensor.shape;
  if (length !== tokens || more.some((other) => other !== 1))
    throw brokenFile(
      path,
      `has ${tensor.name} of shape ${tensor.shape.join("×") || "none"} for a vocabulary of ${tokens} tokens`,
    );
}
