import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import { STORE_FILE } from "../../src/lib/store-file.js";

let template: Promise<string> | undefined;

/**
 * A new data folder with a store that has its tables and no contents, and with its accompanying files. Copied from one made once per
 * test process: running all migrations takes longer than many a test.
 */
export async function makeFolderWithStore(prefix: string): Promise<string> {
  const made = await (template ??= makeTemplate());
  const folder = await mkdtemp(join(tmpdir(), prefix));
  for (const name of readdirSync(made)) copyFileSync(join(made, name), join(folder, name));
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "recollect-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, STORE_FILE);
  const { writer, reader } = await openSqliteStore({ file, maxMegabytes: 0 });
  reader.close();
  writer.close();
  return folder;
}
