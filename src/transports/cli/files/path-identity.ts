import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { sha256 } from "../../../lib/crypto.js";

/** The longest customId, in characters. */
const LONGEST = 255;

/**
 * The customId of a file's document: its absolute path with links resolved, so that the file is the same one however it is
 * named. A path that does not fit in a customId is identified by its hash.
 */
export async function pathIdentity(path: string): Promise<string> {
  const absolute = await realpath(path).catch(() => resolve(path));
  const identity = `file:${absolute}`;
  const fits = identity.length <= LONGEST && identity.isWellFormed() && !/\p{Cc}/u.test(identity);
  return fits ? identity : `file:sha256:${sha256(absolute)}`;
}
