import { type FileHandle, open } from "node:fs/promises";
import { HEAD_BYTES, ZIP } from "./recognise-format.js";
import { MOST_DIRECTORY_BYTES } from "./zip-kind.js";

/**
 * As much of a file as identifies its format: its beginning and, for an archive, also the end, which lists the names of its
 * entries.
 */
export async function sampleFile(path: string): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const head = await readAt(file, 0, Math.min(size, HEAD_BYTES));
    if (!head.toString("latin1").startsWith(ZIP)) return head;
    const start = Math.max(head.length, size - MOST_DIRECTORY_BYTES);
    return Buffer.concat([head, await readAt(file, start, size - start)]);
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, start);
  return bytes.subarray(0, bytesRead);
}
