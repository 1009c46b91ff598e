import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { yieldTurn } from "../../../lib/time.js";
import { findUnusable } from "./numbers.js";
import { brokenFile, BYTES_OF, readExactly, type Tensor } from "./safetensors.js";

/** Large tables are read in full once; afterwards their size and times show whether they are unchanged. */
const MEMORY_FILE = "checked-files.json";
const MOST_REMEMBERED = 50;
/** Bytes per read: hashing them takes about a millisecond. A multiple of every number's size. */
const PIECE = 1024 * 1024;

const memoryShape = z.record(
  z.string(),
  z.object({ size: z.number(), modified: z.number(), inode: z.number(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
);
type Memory = z.infer<typeof memoryShape>;

/** An open safetensors file and the content of its header. */
export interface TensorFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/**
 * SHA-256 of a file whose numbers are all usable. Computed once: the result is stored in the folder, under the file's path, size
 * and times.
 * @throws AppError `invalid` when a number in it is infinite or NaN
 */
export async function checkedDigest(file: TensorFile, memoryFolder: string, signal?: AbortSignal): Promise<string> {
  const memoryPath = join(memoryFolder, MEMORY_FILE);
  const { size, mtimeMs: modified, ino: inode } = await file.handle.stat();
  const memory = await readMemory(memoryPath);
  const known = memory[file.path];
  if (known?.size === size && known.modified === modified && known.inode === inode) return known.sha256;
  const sha256 = await readThrough(file, size, signal);
  const others = Object.entries(memory).filter(([path]) => path !== file.path);
  const kept = [...others.slice(1 - MOST_REMEMBERED), [file.path, { size, modified, inode, sha256 }] as const];
  await writeMemory(memoryPath, Object.fromEntries(kept));
  return sha256;
}

async function readThrough({ path, handle, tensors }: TensorFile, size: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const ordered = [...tensors.values()].sort((one, other) => one.start - other.start || one.bytes - other.bytes);
  hash.update(await readExactly(handle, 0, ordered[0]?.start ?? size));
  for (const { name, type, start, bytes } of ordered) {
    for (let done = 0; done < bytes; done += PIECE) {
      const piece = await readExactly(handle, start + done, Math.min(PIECE, bytes - done));
      hash.update(piece);
      const unusable = findUnusable(piece, type);
      if (unusable >= 0)
        throw brokenFile(
          path,
          `contains a value in the tensor ${JSON.stringify(name)} that is infinite or not a number (value ${done / BYTES_OF[type] + unusable + 1})`,
        );
      await yieldTurn(signal);
    }
  }
  return hash.digest("hex");
}

async function readMemory(path: string): Promise<Memory> {
  try {
    return memoryShape.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return {};
  }
}

/** Without it, the file is merely read again next time. */
async function writeMemory(path: string, memory: Memory): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, `${JSON.stringify(memory, null, 2)}\n`);
    await rename(draft, path);
  } catch {
    // The folder may be read-only.
  }
}
