import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Where words or bytes occur in the files of a folder: every file, byte by byte. */
export function findInFiles(folder: string, wanted: readonly (string | Uint8Array)[]): string[] {
  const found: string[] = [];
  for (const file of filesIn(folder)) {
    const bytes = readIfThere(file);
    for (const one of wanted) {
      const at = bytes?.indexOf(one) ?? -1;
      if (at >= 0) found.push(`${relative(folder, file)}: ${describe(one)} at ${at}`);
    }
  }
  return found;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Files of a running service appear and disappear. */
function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function describe(one: string | Uint8Array): string {
  return typeof one === "string" ? one : `${one.length} bytes`;
}
