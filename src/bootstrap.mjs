// Installs the dependencies and builds, each only if something changed since the last time, and removes what only the
// build needed. With `--tests`, the dependencies of tests and checks are installed as well, and stay. Plain JavaScript
// without dependencies, because it runs before either was done.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FLOOR = [20, 19];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1]))
  fail(
    `Recollect needs Node.js ${FLOOR.join(".")} or later; this is ${process.versions.node}. See https://nodejs.org.`,
  );

const isBuildAsked = process.argv.includes("--build");
const areTestsAsked = process.argv.includes("--tests");
const installed = { stamp: join(root, "node_modules", ".recollect-installed"), wanted: wantedInstall };
const built = { stamp: join(root, "dist", ".built"), wanted: wantedBuild };
/** Exists once the packages that only the build needed were removed. */
const pruned = join(root, "node_modules", ".recollect-pruned");

if (isBuildAsked || !isInstalled() || !isCurrent(built)) {
  const unlock = await lock(join(root, ".bootstrap.lock"));
  try {
    // The previous holder of the lock may have built it already.
    const isBuilding = isBuildAsked || !isCurrent(built);
    if (!isInstalled() || (isBuilding && existsSync(pruned))) install();
    if (isBuilding) await build();
    if (!isBuildAsked && !areTestsAsked && isCurrent(installed)) prune();
  } finally {
    unlock();
  }
}

/** An installation for tests contains everything the program needs. */
function isInstalled() {
  return read(installed.stamp) === installed.wanted(true) || (!areTestsAsked && isCurrent(installed));
}

function isCurrent({ stamp, wanted }) {
  return read(stamp) === wanted();
}

function wantedInstall(withTests = areTestsAsked) {
  return hash([join(root, "package-lock.json")], `${process.platform} ${process.arch}${withTests ? " tests" : ""}`);
}

function wantedBuild() {
  return hash(list(join(root, "src")).concat(join(root, "tsconfig.json"), join(root, "package.json")), "");
}

function install() {
  const wanted = installed.wanted();
  say("Installing dependencies (once; needs the npm registry) …");
  // The workspace is only for the tests.
  const workspaces = areTestsAsked ? [] : ["--workspaces=false"];
  run("npm", ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", ...workspaces]);
  writeFileSync(installed.stamp, wanted);
}

/** A joined program contains all libraries but a few, which are a fourth of what the build needed. */
function prune() {
  if (existsSync(pruned) || !existsSync(join(root, "dist", "joined"))) return;
  run("npm", ["prune", "--omit=dev", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--workspaces=false"]);
  writeFileSync(pruned, "");
}

async function build() {
  const wanted = built.wanted();
  say("Building …");
  for (const name of readdirSync(root))
    if (/^dist\.(new|old)$/.test(name)) rmSync(join(root, name), { recursive: true, force: true });
  // Built separately and then swapped, so that a failed build leaves the last good one.
  const draft = join(root, "dist.new");
  const old = join(root, "dist.old");
  const giveUp = () => rmSync(draft, { recursive: true, force: true });
  run(
    process.execPath,
    [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", root, "--outDir", draft],
    giveUp,
  );
  await joinModules(draft, giveUp);
  await copyRecogniser(draft, giveUp);
  chmodSync(join(draft, "main.js"), 0o755);
  writeFileSync(join(draft, ".built"), wanted);
  if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
  renameSync(draft, join(root, "dist"));
  rmSync(old, { recursive: true, force: true });
}

/**
 * Where the tool for it does not run, the program stays in separate modules: it works as well, but takes twice as long
 * to start.
 */
async function joinModules(draft, onFailure) {
  const joiner = await import("./join-modules.mjs").catch((error) => {
    say(`The program will start more slowly: its modules cannot be joined on this system (${error.message}).`);
  });
  try {
    await joiner?.joinModules(draft);
  } catch (error) {
    onFailure();
    fail(`Joining the modules of the program failed: ${error.message}`);
  }
}

/** Reads text in pictures where the system has no tesseract. */
async function copyRecogniser(draft, onFailure) {
  try {
    (await import("./copy-recogniser.mjs")).copyRecogniser(draft);
  } catch (error) {
    onFailure();
    fail(`Copying the program that reads text in pictures failed: ${error.message}`);
  }
}

/** One at a time: two concurrent installs or builds would spoil each other's work. The lock of a dead process is void. */
async function lock(file) {
  let told;
  while (!take(file)) {
    const holder = read(file);
    if (holder && !isAlive(Number(holder))) discard(file, holder);
    else if (told !== holder)
      say(`Waiting for process ${holder}, which is installing or building (if it is not, remove ${file}) …`);
    told = holder;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const unlock = () => {
    process.off("exit", unlock);
    rmSync(file, { force: true });
  };
  process.once("exit", unlock);
  return unlock;
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Moved before it is removed, and checked once more: another lock may have replaced it by now. */
function discard(file, holder) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (read(aside) === holder) rmSync(aside);
    else renameSync(aside, file);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
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
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function run(command, args, onFailure = () => {}) {
  // Their output goes to standard error: standard output belongs to the command that follows.
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
