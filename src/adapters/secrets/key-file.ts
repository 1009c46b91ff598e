import { readFile, writeFile } from "node:fs/promises";
import { AppError } from "../../core/errors.js";
import type { SecretBox } from "../../core/ports.js";
import { randomSecret, seal, sha256, unseal } from "../../lib/crypto.js";

const ID_LENGTH = 12;

export interface SecretBoxOptions {
  /** Holds a key a line, the newest first; made, readable to its owner alone, when the first secret is kept. */
  readonly file: string;
  /** Takes the place of the newest one in the file. */
  readonly key: string | undefined;
}

/** Credentials sealed with AES-256-GCM under keys of a file. A new first line is a new key; the others still open. */
export function createSecretBox({ file, key }: SecretBoxOptions): SecretBox {
  async function keys(): Promise<string[]> {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    return [...(key === undefined ? [] : [key]), ...lines.filter((line) => line !== "")];
  }

  async function newest(): Promise<string> {
    const [first] = await keys();
    if (first !== undefined) return first;
    const made = randomSecret();
    // Whoever made one at the same moment was first.
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
      if (!isThere(error)) throw error;
    });
    return (await keys())[0] ?? made;
  }

  return {
    async seal(text) {
      const current = await newest();
      return `${idOf(current)}.${seal(text, current)}`;
    },

    async open(sealed) {
      const [id, closed = ""] = sealed.split(".", 2);
      const found = (await keys()).find((one) => idOf(one) === id);
      if (found === undefined)
        throw new AppError(
          "unavailable",
          `The key that the credentials were encrypted with is missing. Put back the file ${file}, or the value of RECOLLECT_SECRET_KEY; or sign in again.`,
          { paths: [file] },
        );
      return unseal(closed, found);
    },

    async isCurrent(sealed) {
      const [current] = await keys();
      return current !== undefined && sealed.startsWith(`${idOf(current)}.`);
    },
  };
}

/** Tells keys apart, and says nothing of them. */
function idOf(key: string): string {
  return sha256(`secret key ${key}`).slice(0, ID_LENGTH);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
