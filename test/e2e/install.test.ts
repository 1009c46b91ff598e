import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { environmentFor } from "../support/recollect-process.js";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

async function megabytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { hasInstallScript?: boolean }>>;
}

test("no dependency runs an install script: package.json denies each one that has one", async () => {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as LockFile;
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    allowScripts: Record<string, boolean>;
  };
  const withScripts = Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(manifest.allowScripts).toEqual(Object.fromEntries(withScripts.map((name) => [name, false])));
});

test("a clean copy installs with scripts disabled, builds and works, and does not repeat either", async () => {
  const copy = await mkdtemp(join(tmpdir(), "recollect-install-"));
  try {
    for (const name of ["package.json", "package-lock.json", "tsconfig.json", "src"])
      await cp(join(root, name), join(copy, name), { recursive: true });
    const env = environmentFor(join(copy, "data"), { npm_config_ignore_scripts: "true" });
    const bootstrap = (): Promise<{ stdout: string; stderr: string }> =>
      run(process.execPath, [join(copy, "src/bootstrap.mjs")], { env, maxBuffer: 16 * 1024 * 1024 });

    const first = await bootstrap();
    expect(first.stderr).toContain("Installing");
    expect(first.stderr).toContain("Building");
    expect(await bootstrap()).toEqual({ stdout: "", stderr: "" });
    expect(await megabytesOf(join(copy, "node_modules"))).toBeLessThan(100);
    expect(await megabytesOf(join(copy, "dist"))).toBeLessThan(50);

    const program = join(copy, "dist/main.js");
    await run(process.execPath, [program, "add", "Mia lives in Porto."], { env });
    const found = await run(process.execPath, [program, "search", "where does Mia live?", "--json"], { env });
    expect(found.stdout).toContain("Mia lives in Porto");
    const minutes = join(root, "test/fixtures/extractors/harbour.docx");
    await run(process.execPath, [program, "add", minutes], { env });
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 5 });
  }
}, 300_000);
