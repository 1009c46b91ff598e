import { createReadStream } from "node:fs";
import { isMissingFile } from "../../lib/file-identity.js";
import { ageOfFile } from "./age.js";

/** Up to `length` bytes of a file from `start`, fewer at the end; null when there is no such file. */
export async function readRange(path: string, start: number, length: number): Promise<Uint8Array | null> {
  if (length <= 0) return (await ageOfFile(path)) === null ? null : new Uint8Array();
  const pieces: Buffer[] = [];
  try {
    for await (const piece of createReadStream(path, { start, end: start + length - 1 })) pieces.push(piece as Buffer);
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
  return Buffer.concat(pieces);
}
