// Installs the dependencies and builds, each only when something changed since it was done last.
// Plain JavaScript without dependencies, because it runs before either was done.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FLOOR = [20, 19];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1]))
  fail(
    `Recollect needs Node.js ${FLOOR.join(".")} or later; this is ${process.versions.node}. See https://nodejs.org.`,
  );

install();
build(process.argv.includes("--build"));

function install() {
  const wanted = hash([join(root, "package-lock.json")], `${process.platform} ${process.arch}`);
  const stamp = join(root, "node_modules", ".recollect-installed");
  if (read(stamp) === wanted) return;
  say("Installing dependencies (once; needs the npm registry) …");
  run("npm", ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, wanted);
}

function build(always) {
  const sources = list(join(root, "src")).concat(join(root, "tsconfig.json"), join(root, "package.json"));
  const wanted = hash(sources, "");
  const stamp = join(root, "dist", ".built");
  if (!always && read(stamp) === wanted) return;
  say("Building …");
  // Built beside and then swapped, so that a build that fails leaves the last good one.
  const draft = join(root, `dist.${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", root, "--outDir", draft], () =>
    rmSync(draft, { recursive: true, force: true }),
  );
  chmodSync(join(draft, "main.js"), 0o755);
  writeFileSync(join(draft, ".built"), wanted);
  rmSync(join(root, "dist"), { recursive: true, force: true });
  renameSync(draft, join(root, "dist"));
}

function list(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hash(files, seed) {
  const digest = createHash("sha256").update(seed);
  for (const file of files)
    digest
      .update(file.slice(root.length))
      .update("\0")
      .update(read(file) ?? "");
  return digest.digest("hex");
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function run(command, args, onFailure = () => {}) {
  mkdirSync(root, { recursive: true });
  // What they print goes to standard error: standard output belongs to the command that follows.
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32" && command === "npm",
  });
  if (result.status === 0) return;
  onFailure();
  fail(
    `\`${command} ${args.join(" ")}\` failed${result.error ? `: ${result.error.message}` : ""}. See above for the reason.`,
  );
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
