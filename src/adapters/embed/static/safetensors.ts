import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../../core/errors.js";
import { findDuplicateKey } from "./duplicate-key.js";

/** Bytes of one number, by the name that safetensors gives its type. */
export const BYTES_OF = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const;
export type NumberType = keyof typeof BYTES_OF;

/** One table of numbers inside a file, row by row, little-endian. */
export interface Tensor {
  readonly name: string;
  readonly type: NumberType;
  readonly shape: readonly number[];
  /** Bytes from the start of the file. */
  readonly start: number;
  readonly bytes: number;
}

/** The format allows 100 MB; a static model's header has a few hundred bytes. */
const LONGEST_HEADER = 1024 * 1024;
const LENGTH_BYTES = 8;
const MOST_DIMENSIONS = 8;

const tensorShape = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()).max(MOST_DIMENSIONS),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
const headerShape = z.record(z.string(), z.unknown());

/**
 * The tensors of a safetensors file, with everything in its header checked against the file's size.
 * @throws AppError `invalid`, naming the file, when it is truncated or its header is inconsistent
 */
export async function readTensors(handle: FileHandle, path: string): Promise<ReadonlyMap<string, Tensor>> {
  const reject = (what: string): AppError => brokenFile(path, what);
  const { size } = await handle.stat();
  if (size < LENGTH_BYTES)
    throw reject(`has ${size} bytes, fewer than the ${LENGTH_BYTES} that state the length of its header`);
  const headerBytes = (await readExactly(handle, 0, LENGTH_BYTES)).readBigUInt64LE();
  if (headerBytes < 2n || headerBytes > BigInt(LONGEST_HEADER))
    throw reject(`states that its header has ${headerBytes} bytes, where 2 to ${LONGEST_HEADER} are possible`);
  const dataStart = LENGTH_BYTES + Number(headerBytes);
  if (dataStart > size) throw reject(`ends within its header, after ${size} of ${dataStart} bytes`);
  const header = parseHeader(await readExactly(handle, LENGTH_BYTES, Number(headerBytes)), reject);
  const tensors = Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, entry]) => readTensor(name, entry, dataStart, reject));
  checkPlaces(tensors, { dataStart, size }, reject);
  return new Map(tensors.map((tensor) => [tensor.name, tensor]));
}

/** An error about a file that is not what it should be, with what to do. */
export function brokenFile(path: string, what: string): AppError {
  return new AppError(
    "invalid",
    `The model file ${path} ${what}. Fetch the model again, or name another one in RECOLLECT_EMBEDDING_MODEL.`,
    { paths: [path] },
  );
}

/** @throws Error when the file ends too early, which happens only if it was shortened meanwhile */
export async function readExactly(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) throw new Error(`The file ended after ${start + filled} bytes while it was read.`);
    filled += bytesRead;
  }
  return buffer;
}

function parseHeader(bytes: Buffer, reject: (what: string) => AppError): Record<string, unknown> {
  let text: string;
  let header: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    header = JSON.parse(text);
  } catch {
    throw reject("has a header that is not JSON, so it is not a safetensors file");
  }
  const parsed = headerShape.safeParse(header);
  if (!parsed.success) throw reject("has a header that is not a JSON object, so it is not a safetensors file");
  const twice = findDuplicateKey(text);
  if (twice !== undefined) throw reject(`names ${quote(twice)} twice in its header`);
  return parsed.data;
}

function readTensor(name: string, entry: unknown, dataStart: number, reject: (what: string) => AppError): Tensor {
  const parsed = tensorShape.safeParse(entry);
  if (!parsed.success) throw reject(`describes the tensor ${quote(name)} without a valid type, shape and position`);
  const { dtype, shape, data_offsets: place } = parsed.data;
  if (!isNumberType(dtype)) throw reject(`stores the tensor ${quote(name)} as the unknown type ${quote(dtype)}`);
  const bytes = shape.reduce((product, length) => product * length, BYTES_OF[dtype]);
  if (!Number.isSafeInteger(bytes))
    throw reject(`gives the tensor ${quote(name)} the impossible shape ${shape.join("×")}`);
  if (place[1] - place[0] !== bytes)
    throw reject(
      `gives the tensor ${quote(name)} ${place[1] - place[0]} bytes, where ${dtype} of shape ${shape.join("×")} has ${bytes}`,
    );
  return { name, type: dtype, shape, start: dataStart + place[0], bytes };
}

/** The format leaves no gaps and no rest, so anything else is a file that was truncated or put together wrongly. */
function checkPlaces(
  tensors: readonly Tensor[],
  file: { readonly dataStart: number; readonly size: number },
  reject: (what: string) => AppError,
): void {
  let end = file.dataStart;
  for (const tensor of [...tensors].sort((one, other) => one.start - other.start || one.bytes - other.bytes)) {
    if (tensor.start < end) throw reject(`has the tensor ${quote(tensor.name)} overlapping another one`);
    if (tensor.start > end) throw reject(`has a gap before the tensor ${quote(tensor.name)}`);
    end = tensor.start + tensor.bytes;
  }
  if (end > file.size) throw reject(`is truncated: it has ${file.size} of ${end} bytes`);
  if (end < file.size) throw reject(`has ${file.size - end} bytes more than its header describes`);
}

function isNumberType(text: string): text is NumberType {
  return Object.hasOwn(BYTES_OF, text);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
