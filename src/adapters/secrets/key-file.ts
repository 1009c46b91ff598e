import { link, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, UnreadableSecret } from "../../core/errors.js";
import type { SecretBox } from "../../core/ports.js";
import { randomSecret, seal, sha256, unseal } from "../../lib/crypto.js";
import { codeOf } from "../../lib/error-code.js";
import { isMissingFile } from "../../lib/file-identity.js";
import { syncFolder } from "../../lib/sync-folder.js";

const ID_LENGTH = 12;
/** Anything shorter was truncated, or is easily guessed. */
const SHORTEST_KEY = 32;

export interface SecretBoxOptions {
  /** Holds one key per line, newest first; created, readable only by its owner, when the first secret is stored. */
  readonly file: string;
  /** Replaces the newest one in the file. */
  readonly key: string | undefined;
}

/** Credentials sealed with AES-256-GCM under keys from a file. A new first line is a new key; the others still decrypt. */
export function createSecretBox({ file, key }: SecretBoxOptions): SecretBox {
  async function newest(): Promise<string> {
    if (key !== undefined) return key;
    const [first] = await readKeys(file);
    if (first !== undefined) return first;
    await makeKey(file);
    return newest();
  }

  return {
    async seal(text) {
      const current = await newest();
      return `${idOf(current)}.${seal(text, current)}`;
    },

    async open(sealed) {
      const [id, closed = ""] = sealed.split(".", 2);
      const isRight = (one: string) => idOf(one) === id;
      const found = key !== undefined && isRight(key) ? key : (await readKeys(file)).find(isRight);
      if (found === undefined)
        throw new UnreadableSecret(
          `The key that the credentials were encrypted with is missing. Put back the file ${file}, or the value of RECOLLECT_SECRET_KEY; or sign in again.`,
          { paths: [file] },
        );
      try {
        return unseal(closed, found);
      } catch (error) {
        throw new UnreadableSecret("The stored credentials are damaged. Sign in again.", {
          cause: error,
        });
      }
    },

    async isCurrent(sealed) {
      const current = key ?? (await readKeys(file))[0];
      return current !== undefined && sealed.startsWith(`${idOf(current)}.`);
    },

    hasKey: async () => key !== undefined || (await readKeys(file)).length > 0,
  };
}

/** The keys in a file, none where it does not exist. @throws AppError `corrupt` for a file that is empty or truncated */
async function readKeys(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissingFile(error)) return null;
    throw error;
  });
  if (text === null) return [];
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== "");
  if (keys.length > 0 && keys.every((line) => line.length >= SHORTEST_KEY)) return keys;
  throw new AppError(
    "corrupt",
    `The file ${file}, which contains the key that credentials are encrypted with, is empty or cut off: every line needs at least ${SHORTEST_KEY} characters. Restore it; or remove it, restart the service, and sign in again to every connection.`,
    { paths: [file] },
  );
}

/** Creates a file with a key, whole or not at all; keeps a file that somebody else created at the same moment. */
async function makeKey(file: string): Promise<void> {
  const draft = `${file}.${randomSecret(8)}.tmp`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${randomSecret()}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Identifies a key without revealing anything about it. */
function idOf(key: string): string {
  return sha256(`secret key ${key}`).slice(0, ID_LENGTH);
}
