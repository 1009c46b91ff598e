import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { sha256 } from "../../../lib/crypto.js";

/** Of a customId, in characters. */
const LONGEST = 255;

/**
 * The customId of the document of a file: its absolute path with links resolved, so that the file is the same one however it is
 * named. A path that no customId can hold is told apart by its hash.
 */
export async function pathIdentity(path: string): Promise<string> {
  const absolute = await realpath(path).catch(() => resolve(path));
  const identity = `file:${absolute}`;
  const fits = identity.length <= LONGEST && identity.isWellFormed() && !/\p{Cc}/u.test(identity);
  return fits ? identity : `file:sha256:${sha256(absolute)}`;
}
