import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether a program is there, so that a test can say which one is missing. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** What LibreOffice makes of a file. @param filter the ending, with the name and options of a filter where it needs them */
export function madeBySoffice(name: string, content: string | Uint8Array, filter: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, name), content);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    run("soffice", [profile, "--headless", "--convert-to", filter, "--outdir", folder, join(folder, name)]);
    const ending = filter.split(":")[0] ?? "";
    return readFileSync(join(folder, `${name.slice(0, name.lastIndexOf("."))}.${ending}`));
  });
}

/** What pandoc makes of Markdown. */
export function madeByPandoc(markdown: string, ending: string): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, "in.md"), markdown);
    run("pandoc", ["-s", join(folder, "in.md"), "-o", join(folder, `out.${ending}`)]);
    return readFileSync(join(folder, `out.${ending}`));
  });
}

function run(program: string, parameters: readonly string[]): void {
  const { status, stderr } = spawnSync(program, parameters, { timeout: 120_000, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "recollect-made-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
