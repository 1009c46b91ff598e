import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const MEM0_VERSION = "3.3.1";
const SQLITE = "better-sqlite3@12";
const STAND_IN = fileURLToPath(new URL("better-sqlite3-stand-in.cjs", import.meta.url));
const MOST_INSTALLING_MS = 900_000;

/**
 * Installs `mem0ai` with npm into the cache, once. It needs `better-sqlite3`, whose native part an install script downloads
 * or builds. That script runs only with `mayBuild`; otherwise a stand-in over this repository's SQLite is used, unless
 * a built one exists already.
 * @returns the folder, and whether the native part is the real one. Throws an Error that says why it is unavailable
 */
export function installMem0(cache, mayBuild) {
  const plain = join(cache, `mem0ai-${MEM0_VERSION}`);
  const built = `${plain}-built`;
  if (!existsSync(built) && mayBuild) install(built, (workshop) => runNpm(workshop, ["rebuild", "better-sqlite3"]));
  if (existsSync(built)) return { installed: built, isBuilt: true };
  if (!existsSync(plain)) install(plain, (workshop) => putStandIn(join(workshop, "node_modules", "better-sqlite3")));
  return { installed: plain, isBuilt: false };
}

/** Written beside the target first, so that the target is always complete. */
function install(folder, complete) {
  const workshop = `${folder}.installing-${process.pid}`;
  mkdirSync(workshop, { recursive: true });
  try {
    writeFileSync(join(workshop, "package.json"), '{ "private": true }\n');
    const wanted = [`mem0ai@${MEM0_VERSION}`, SQLITE];
    runNpm(workshop, ["install", ...wanted, "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"]);
    complete(workshop);
    renameSync(workshop, folder);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

function runNpm(folder, args) {
  const { status, stderr, error } = spawnSync("npm", [...args, "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
    timeout: MOST_INSTALLING_MS,
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${error?.message ?? stderr.trim().slice(-300)}`);
}

function putStandIn(place) {
  const sqlite = dirname(createRequire(import.meta.url).resolve("@photostructure/sqlite/package.json"));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(STAND_IN, join(place, "index.cjs"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "better-sqlite3", main: "index.cjs" }));
  writeFileSync(join(place, "sqlite.json"), JSON.stringify({ folder: sqlite }));
}
