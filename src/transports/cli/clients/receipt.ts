import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { ConfigFileError } from "../../../lib/config-file.js";

const splice = z.object({ offset: z.number().int().min(0), removed: z.string(), inserted: z.string() });
const path = z.array(z.string()).min(1);

const schema = z.object({
  version: z.literal(1),
  client: z.string(),
  scope: z.enum(["user", "project"]),
  file: z.string(),
  writtenAt: z.string(),
  /** False when the file was created for the entry. */
  existed: z.boolean(),
  madeFolder: z.string().optional(),
  backup: z.string().optional(),
  splice,
  /** Digest of the text that was written. */
  digest: z.string(),
  entries: z.array(
    z.object({
      path,
      value: z.json(),
      /** What was there before; absent when nothing was. */
      before: z.json().optional(),
      /** How many steps of the path existed before. */
      depth: z.number().int().min(0),
    }),
  ),
  /** The API key that was created for this client. */
  keyId: z.string().optional(),
});

/** What was done to a client's file, so that it can be undone. Holds what was written, including keys. */
export type Receipt = z.infer<typeof schema>;

/** The receipt for a file, or undefined; an unreadable one counts as none. */
export async function readReceipt(home: string, file: string): Promise<Receipt | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(receiptPath(home, file), "utf8")));
  } catch {
    return undefined;
  }
}

/** Makes sure, before anything is changed, that a receipt can be stored. @throws ConfigFileError that names the folder */
export async function prepareReceipts(home: string): Promise<void> {
  const folder = receiptFolder(home);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigFileError(`${folder}, where changes are recorded, cannot be used: ${reason}`);
  }
}

/** Stores a receipt, readable only by its owner. */
export async function keepReceipt(home: string, receipt: Receipt): Promise<void> {
  const target = receiptPath(home, receipt.file);
  await writeFile(target, `${JSON.stringify(receipt)}\n`, { mode: 0o600 });
  await chmod(target, 0o600);
}

export async function dropReceipt(home: string, file: string): Promise<void> {
  await rm(receiptPath(home, file), { force: true });
}

/** A digest that identifies a text. */
export function textDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** One per file, in the home folder whatever the data folder is: connections belong to the user. */
function receiptPath(home: string, file: string): string {
  return join(receiptFolder(home), `${basename(file)}-${textDigest(file).slice(0, 16)}.json`);
}

function receiptFolder(home: string): string {
  return join(home, ".recollect", "clients");
}
