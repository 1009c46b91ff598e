import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const MEM0_VERSION = "3.3.1";
const STAND_IN = fileURLToPath(new URL("better-sqlite3-stand-in.cjs", import.meta.url));
const MOST_INSTALLING_MS = 300_000;

/**
 * Installs `mem0ai` with npm into the cache, once. It wants `better-sqlite3`, whose native part is built by an install
 * script; no script is run, so a stand-in over the SQLite of this repository takes its place, unless a built one is there.
 * @returns the folder, or throws an Error that says why it cannot be had
 */
export function installMem0(cache) {
  const folder = join(cache, `mem0ai-${MEM0_VERSION}`);
  if (!existsSync(join(folder, "node_modules", "mem0ai", "package.json"))) install(folder);
  const place = join(folder, "node_modules", "better-sqlite3");
  if (!existsSync(join(place, "build"))) putStandIn(place);
  return folder;
}

function install(folder) {
  const workshop = `${folder}.installing-${process.pid}`;
  mkdirSync(workshop, { recursive: true });
  try {
    writeFileSync(join(workshop, "package.json"), '{ "private": true }\n');
    const wanted = [`mem0ai@${MEM0_VERSION}`, "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    const { status, stderr, error } = spawnSync("npm", ["install", ...wanted, "--loglevel=error"], {
      cwd: workshop,
      encoding: "utf8",
      timeout: MOST_INSTALLING_MS,
      shell: process.platform === "win32",
    });
    if (status !== 0) throw new Error(`npm could not install it: ${error?.message ?? stderr.trim().slice(-300)}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(workshop, folder);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

function putStandIn(place) {
  const sqlite = dirname(createRequire(import.meta.url).resolve("@photostructure/sqlite/package.json"));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(STAND_IN, join(place, "index.cjs"));
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "better-sqlite3", main: "index.cjs" }));
  writeFileSync(join(place, "sqlite.json"), JSON.stringify({ folder: sqlite }));
}
