// Packs the built program and its dependencies into an MCP bundle, which desktop clients install with a double click.
// Plain JavaScript: it runs beside the build, not in the program.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const PACKER = "@anthropic-ai/mcpb@2.1.2";
/** Files that no program reads at run time. */
const LEFT_OUT = /(\.map|\.md|\.markdown|\.ts|\.mts|\.cts|\.tsbuildinfo|^\.built)$/i;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { name, version } = readJson(join(root, "package.json"));
const target = resolve(process.argv[2] ?? join(root, `${name}-${version}.mcpb`));
const stage = mkdtempSync(join(tmpdir(), "recollect-bundle-"));

try {
  for (const part of ["manifest.json", "package.json", "LICENSE", "dist"]) copy(join(root, part));
  for (const folder of packages()) copy(folder);
  run("npx", ["-y", PACKER, "pack", stage, target]);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Folders of the packages that the program needs on every platform; it can do without the platform-specific ones. */
function packages() {
  const listed = spawnSync("npm", ["ls", "--omit=dev", "--all", "--parseable", "--workspaces=false"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const folders = (listed.stdout ?? "").split(/\r?\n/).filter((folder) => folder !== "" && folder !== root);
  if (folders.length === 0) fail(`\`npm ls\` named no packages: ${listed.stderr || listed.error}`);
  return folders.filter((folder) => readJson(join(folder, "package.json")).os?.length !== 1);
}

/** Nested packages are copied separately. */
function copy(path) {
  cpSync(path, join(stage, relative(root, path)), {
    recursive: true,
    dereference: true,
    filter: (from) => from === path || (basename(from) !== "node_modules" && !LEFT_OUT.test(basename(from))),
  });
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function run(command, args) {
  const result = spawnSync(command, args, { stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (result.status !== 0)
    fail(`\`${command} ${args.join(" ")}\` failed; it needs the npm registry once. ${result.error?.message ?? ""}`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  throw new Error(text);
}
