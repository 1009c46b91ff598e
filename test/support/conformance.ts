import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const PACKAGE = dirname(require.resolve("@modelcontextprotocol/conformance/package.json"));
const SUBSTITUTE = join(import.meta.dirname, "glob-sync.mjs");

/** Protocol revisions for which the suite knows the requirements of a server. */
export type Revision = "2025-11-25" | "2026-07-28";

/** The result of a run of the suite. Checks are named `scenario:check`. */
export interface Conformance {
  readonly exitCode: number | null;
  readonly output: string;
  /** Checks of required scenarios. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Failed checks that are only recommended. */
  readonly warned: readonly string[];
  /** Failing scenarios that are not required. */
  readonly failedUnscored: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
}

/**
 * Runs the official suite against a server over HTTP, with all scenarios required by a revision.
 * @param expectedFailures file that lists expected failures; the suite succeeds if exactly these fail
 */
export async function runConformance(url: string, revision: Revision, expectedFailures?: string): Promise<Conformance> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-conformance-"));
  try {
    const args = ["server", "--url", url, "--requirements", revision, "--output-dir", folder];
    if (expectedFailures !== undefined) args.push("--expected-failures", expectedFailures);
    const { exitCode, output } = await runSuite(args);
    const required = await requiredScenarios(revision);
    const scenarios = await readScenarios(folder);
    const named = (status: Check["status"]): string[] =>
      scenarios
        .filter(({ name }) => required.has(name))
        .flatMap(({ name, checks }) =>
          checks.filter((check) => check.status === status).map(({ id }) => `${name}:${id}`),
        )
        .toSorted();
    return {
      exitCode,
      output,
      passed: named("SUCCESS"),
      failed: named("FAILURE"),
      warned: named("WARNING"),
      failedUnscored: scenarios
        .filter(({ name, checks }) => !required.has(name) && checks.some(({ status }) => status === "FAILURE"))
        .map(({ name }) => name)
        .toSorted(),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runSuite(args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const shim = "globSync" in fs ? [] : ["--import", SUBSTITUTE];
  const child = spawn(process.execPath, [...shim, join(PACKAGE, "dist/index.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
  return new Promise((done) => child.once("close", (exitCode) => done({ exitCode, output })));
}

/** Each scenario leaves a folder named after itself and the time. */
async function readScenarios(folder: string): Promise<{ name: string; checks: readonly Check[] }[]> {
  const results = await readdir(folder);
  return Promise.all(
    results.map(async (result) => ({
      name: result.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, ""),
      // A scenario during which the suite itself broke down leaves no results.
      checks: JSON.parse(await readFile(join(folder, result, "checks.json"), "utf8").catch(() => "[]")) as Check[],
    })),
  );
}

async function requiredScenarios(revision: Revision): Promise<ReadonlySet<string>> {
  const text = await readFile(join(PACKAGE, "requirements", `${revision}.yaml`), "utf8");
  const section = /^server:\n((?: +- .*\n)+)/m.exec(text)?.[1] ?? "";
  return new Set(section.match(/[\w-]+(?=\n)/g));
}
