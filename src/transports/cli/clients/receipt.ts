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
  /** False when the file was made for the entry. */
  existed: z.boolean(),
  madeFolder: z.string().optional(),
  backup: z.string().optional(),
  splice,
  /** Of the text that was written. */
  digest: z.string(),
  entries: z.array(
    z.object({
      path,
      value: z.json(),
      /** What was there before; absent when nothing was. */
      before: z.json().optional(),
      /** How many steps of the path were there before. */
      depth: z.number().int().min(0),
    }),
  ),
  /** The API key that was made for this client. */
  keyId: z.string().optional(),
});

/** What was done to the file of a client, so that it can be undone. Holds what was written, keys too. */
export type Receipt = z.infer<typeof schema>;

/** The receipt for a file, or undefined; one that cannot be read counts as none. */
export async function readReceipt(home: string, file: string): Promise<Receipt | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(receiptPath(home, file), "utf8")));
  } catch {
    return undefined;
  }
}

/** Makes sure, before anything is changed, that a receipt can be kept. @throws ConfigFileError that names the folder */
export async function prepareReceipts(home: string): Promise<void> {
  const folder = receiptFolder(home);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigFileError(`${folder}, where it is noted what was written, cannot be used: ${reason}`);
  }
}

/** Keeps a receipt, readable by its owner only. */
export async function keepReceipt(home: string, receipt: Receipt): Promise<void> {
  const target = receiptPath(home, receipt.file);
  await writeFile(target, `${JSON.stringify(receipt)}\n`, { mode: 0o600 });
  await chmod(target, 0o600);
}

export async function dropReceipt(home: string, file: string): Promise<void> {
  await rm(receiptPath(home, file), { force: true });
}

/** Tells one text from another. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** One for each file, in the home folder whatever the data folder is: what was connected is the person's. */
function receiptPath(home: string, file: string): string {
  return join(receiptFolder(home), `${basename(file)}-${digestOf(file).slice(0, 16)}.json`);
}

function receiptFolder(home: string): string {
  return join(home, ".recollect", "clients");
}
