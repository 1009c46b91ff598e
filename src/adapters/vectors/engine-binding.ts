import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { z } from "zod";

import { AppError } from "../../core/errors.js";
import type { Log } from "../../core/ports.js";
import { LOAD_PROGRAM, NPM_PROGRAM } from "./engine-programs.js";

/** A native Chroma server that loads on this machine. */
export interface EngineBinding {
  readonly file: string;
  readonly version: string;
}

export interface FindBindingOptions {
  /** Where downloaded bindings are kept; several data folders may share it. */
  readonly enginesDirectory: string;
  /** Never download. */
  readonly offline: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The binding bundled with `chromadb`. Tests pass their own; null for none. */
  readonly bundled?: EngineBinding | null;
}

/** The npm package with the native part, by platform and processor. */
const PACKAGES: Readonly<Record<string, string>> = {
  "darwin-arm64": "chromadb-js-bindings-darwin-arm64",
  "darwin-x64": "chromadb-js-bindings-darwin-x64",
  "linux-arm64": "chromadb-js-bindings-linux-arm64-gnu",
  "linux-x64": "chromadb-js-bindings-linux-x64-gnu",
  "win32-arm64": "chromadb-js-bindings-win32-arm64-msvc",
  "win32-x64": "chromadb-js-bindings-win32-x64-msvc",
};

/** The newest builds that run with glibc 2.34 (Debian 12, RHEL 9, Amazon Linux 2023). */
const OLDER_BUILDS: Readonly<Record<string, string>> = { "linux-x64": "1.0.5", "linux-arm64": "1.0.1" };

/** The build to download where npm did not install the one bundled with `chromadb`. */
const PRESENT_BUILD = "1.3.4";

const LOAD_TIMEOUT_MS = 60_000;
const FETCH_TIMEOUT_MS = 15 * 60_000;
const ABANDONED_AFTER_MS = 60 * 60_000;
const INSTEAD = "Set CHROMA_URL to use a Chroma server; until then exact search answers, slower in large containers.";

const manifestShape = z.object({ version: z.string(), main: z.string() });

/**
 * Finds a binding that loads here: the one bundled with `chromadb`, one downloaded earlier, or an older one downloaded from npm
 * now.
 * @throws AppError `unavailable` when there is none, saying why and what to do
 */
export async function findBinding(options: FindBindingOptions): Promise<EngineBinding> {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) throw new AppError("unavailable", `Chroma has no build for ${platform}. ${INSTEAD}`);
  const bundled = options.bundled === undefined ? await bundledBinding(name) : options.bundled;
  const problem = bundled === null ? "it is not installed" : await whyItDoesNotLoad(bundled.file, options.signal);
  if (bundled !== null && problem === null) return bundled;
  const version = OLDER_BUILDS[platform] ?? (bundled === null ? PRESENT_BUILD : undefined);
  const refused = `The Chroma engine of this installation does not run here (${problem}).`;
  if (version === undefined) throw new AppError("unavailable", `${refused} ${INSTEAD}`);
  return fetchedBinding(name, version, refused, options);
}

async function fetchedBinding(
  name: string,
  version: string,
  refused: string,
  options: FindBindingOptions,
): Promise<EngineBinding> {
  const folder = join(options.enginesDirectory, `${name}-${version}`);
  const present = await bindingIn(folder);
  if (present !== null && (await whyItDoesNotLoad(present.file, options.signal)) === null) return present;
  if (options.offline) {
    throw new AppError(
      "unavailable",
      `${refused} ${name}@${version} may run, but nothing is fetched while RECOLLECT_OFFLINE is set: start once without it. ${INSTEAD}`,
    );
  }
  await fetchBinding(`${name}@${version}`, name, folder, options);
  const fetched = await bindingIn(folder);
  if (fetched === null) throw new AppError("unavailable", `${refused} ${name}@${version} is incomplete. ${INSTEAD}`);
  return fetched;
}

/** Uses npm, so that the user's registry, proxy and credentials apply, and npm checks the integrity. */
async function fetchBinding(specifier: string, name: string, folder: string, options: FindBindingOptions) {
  const { enginesDirectory, log, signal } = options;
  log.info("downloading the Chroma engine from npm, about 110 MB, once", { package: specifier, into: folder });
  const startedAt = Date.now();
  await mkdir(enginesDirectory, { recursive: true });
  await removeAbandoned(enginesDirectory);
  const workshop = await mkdtemp(join(enginesDirectory, "fetching-"));
  try {
    await writeFile(join(workshop, "package.json"), '{ "private": true }');
    await runNpm(["install", specifier, ...NPM_OPTIONS, "--prefix", workshop], workshop, signal);
    const fetched = join(workshop, "node_modules", name);
    const binding = await bindingIn(fetched);
    const problem = binding === null ? "the package is incomplete" : await whyItDoesNotLoad(binding.file, signal);
    if (problem !== null) throw new AppError("unavailable", `${specifier} does not run here (${problem}). ${INSTEAD}`);
    await putInPlace(fetched, folder, signal);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  log.info("the Chroma engine was downloaded", {
    package: specifier,
    seconds: Math.round((Date.now() - startedAt) / 1000),
  });
}

const NPM_OPTIONS = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
  "--no-update-notifier",
  "--loglevel=error",
];

/** Another process may have been faster; its download is just as good, if it loads. */
async function putInPlace(fetched: string, folder: string, signal: AbortSignal): Promise<void> {
  const present = await bindingIn(folder);
  if (present !== null && (await whyItDoesNotLoad(present.file, signal)) === null) return;
  await rm(folder, { recursive: true, force: true });
  await rename(fetched, folder);
}

/** Left behind by a process killed during a download. */
async function removeAbandoned(enginesDirectory: string): Promise<void> {
  for (const entry of await readdir(enginesDirectory)) {
    if (!entry.startsWith("fetching-")) continue;
    const folder = join(enginesDirectory, entry);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function runNpm(options: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  const npm = npmEntry();
  const child =
    npm === null
      ? spawn("npm", options, { cwd, stdio: ["ignore", "ignore", "pipe"], shell: process.platform === "win32" })
      : spawn(process.execPath, ["--eval", NPM_PROGRAM, "--", npm, ...options], {
          cwd,
          stdio: ["pipe", "ignore", "pipe"],
        });
  const { code, complaint } = await outcome(child, FETCH_TIMEOUT_MS, signal);
  if (code === 0) return;
  throw new AppError(
    "unavailable",
    `npm could not fetch the Chroma engine (${complaint || `exit ${code}`}). ${INSTEAD}`,
  );
}

/** The npm bundled with this Node.js, or null if it can only be found through PATH. */
function npmEntry(): string | null {
  const bin = dirname(realpathSync(process.execPath));
  const entry = join("node_modules", "npm", "bin", "npm-cli.js");
  const places = [
    join(bin, entry),
    join(bin, "..", "lib", entry),
    join(bin, "..", "share", "nodejs", "npm", "bin", "npm-cli.js"),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/** @returns null when it loads, otherwise the reason */
async function whyItDoesNotLoad(file: string, signal: AbortSignal): Promise<string | null> {
  const child = spawn(process.execPath, ["--eval", LOAD_PROGRAM, "--", file], { stdio: ["pipe", "ignore", "pipe"] });
  const { code, complaint } = await outcome(child, LOAD_TIMEOUT_MS, signal);
  return code === 0 ? null : complaint || `loading it ended with ${code}`;
}

/** Waits for a child to exit. @throws the signal's reason when it aborts first; the child is then killed */
async function outcome(child: ChildProcess, timeoutMs: number, signal: AbortSignal) {
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(kill, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-4_000)));
  try {
    const code = await new Promise<number | string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (exitCode, killedBy) => resolve(exitCode ?? killedBy ?? "unknown"));
    });
    signal.throwIfAborted();
    return { code, complaint: output.trim().split("\n").slice(-3).join(" ").slice(0, 400) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

/** The binding is a dependency of `chromadb`, so it is resolved from there. */
async function bundledBinding(name: string): Promise<EngineBinding | null> {
  try {
    const fromHere = createRequire(import.meta.url);
    return await bindingIn(dirname(createRequire(fromHere.resolve("chromadb")).resolve(name)));
  } catch {
    return null;
  }
}

async function bindingIn(folder: string): Promise<EngineBinding | null> {
  try {
    const manifest = manifestShape.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
    const file = join(folder, manifest.main);
    return existsSync(file) ? { file, version: manifest.version } : null;
  } catch {
    return null;
  }
}
