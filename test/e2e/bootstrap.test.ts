import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { isAlive } from "../support/chroma.js";
import { waitFor } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 60_000 });

const ROOT = resolve(import.meta.dirname, "../..");
const COMPILER = ["typescript", "@typescript", "@types", "undici-types"];
/** Files for text recognition that are copied beside the program. */
const COPIED = ["tesseract.js-core", "@tesseract.js-data"];
const JOINER = ["rolldown", "@rolldown", "@oxc-project"];

/**
 * Stands in for npm, which is slow and needs a network: takes half a second, complains when another instance runs, and
 * provides the packages that the build needs. Records its calls in a file.
 */
const npm = (packages: readonly string[]): string => `#!${process.execPath}
  import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
  appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
  if (process.argv[2] === "prune") process.exit();
  mkdirSync("npm-at-work");
  setTimeout(() => {
    rmSync("node_modules", { recursive: true, force: true });
    mkdirSync("node_modules");
    for (const name of ${JSON.stringify(packages)})
      symlinkSync(${JSON.stringify(join(ROOT, "node_modules"))} + "/" + name, "node_modules/" + name);
    rmSync("npm-at-work", { recursive: true });
  }, 500);`;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Copy {
  readonly path: string;
  /** Runs the bootstrap of the copy. */
  start(...args: string[]): { child: ChildProcess; ended: Promise<Outcome> };
  write(file: string, text: string): Promise<void>;
  /** The output of the built program, or null when there is none. */
  result(): string | null;
  npmCalls(): string[];
}

/** The real bootstrap, with a one-line program to build. */
async function withCopy(
  work: (copy: Copy) => Promise<void>,
  packages: readonly string[] = [...COMPILER, ...JOINER, ...COPIED],
): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "recollect-bootstrap-"));
  const read = (file: string): string | null =>
    existsSync(join(path, file)) ? readFileSync(join(path, file), "utf8") : null;
  const children = new Set<ChildProcess>();
  const copy: Copy = {
    path,
    start(...args) {
      const env = { PATH: `${join(path, "bin")}:${process.env["PATH"]}` };
      const child = spawn(process.execPath, [join(path, "src/bootstrap.mjs"), ...args], { env, stdio: "pipe" });
      children.add(child);
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const ended = new Promise<Outcome>((end) => child.once("close", (code) => end({ code, stdout, stderr })));
      return { child, ended };
    },
    write: (file, text) => writeFile(join(path, file), text),
    result: () => /console\.log\("(.*)"\)/.exec(read("dist/main.js") ?? "")?.[1] ?? null,
    npmCalls: () => (read("npm-calls") ?? "").split("\n").filter(Boolean),
  };
  try {
    for (const folder of ["src/extractors", "bin"]) await mkdir(join(path, folder), { recursive: true });
    for (const name of ["package.json", "package-lock.json", "tsconfig.json"])
      await cp(join(ROOT, name), join(path, name));
    for (const name of ["bootstrap.mjs", "join-modules.mjs", "write-licences.mjs", "copy-recogniser.mjs"])
      await copyFile(join(ROOT, "src", name), join(path, "src", name));
    await writeFile(join(path, "bin/npm"), npm(packages), { mode: 0o755 });
    await copy.write("src/main.ts", 'console.log("first");\n');
    await copy.write("src/extractors/extraction-program.ts", "export {};\n");
    await work(copy);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

const INSTALL = expect.stringMatching(/^ci .*--ignore-scripts .*--workspaces=false/);
const PRUNE = expect.stringMatching(/^prune --omit=dev --ignore-scripts .*--workspaces=false/);

const left = (copy: Copy): string[] => readdirSync(copy.path).filter((name) => /^(dist\.|\.bootstrap)/.test(name));

test("parallel runs install and build only once, and a later run does neither", () =>
  withCopy(async (copy) => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => copy.start().ended));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(outcomes.map(({ stdout }) => stdout).join("")).toBe("");
    expect(copy.npmCalls()).toEqual([INSTALL, PRUNE]);
    const said = outcomes.map(({ stderr }) => stderr).join("");
    expect(said.match(/Building/g)).toHaveLength(1);
    expect(copy.result()).toBe("first");

    expect(await copy.start().ended).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(copy.npmCalls()).toHaveLength(2);
    expect(left(copy)).toEqual([]);
  }));

test("test dependencies are installed once, when tests run, and cause no reinstallation", () =>
  withCopy(async (copy) => {
    const runs: readonly (readonly string[])[] = [[], ["--tests"], ["--tests"], [], ["--build"]];
    for (const args of runs) expect(await copy.start(...args).ended).toMatchObject({ code: 0 });
    expect(copy.npmCalls()).toEqual([INSTALL, PRUNE, expect.not.stringContaining("--workspaces")]);
  }));

test("a failed build says so, exits with 1 and keeps the last good one; the next good build replaces it", () =>
  withCopy(async (copy) => {
    await copy.start().ended;
    await copy.write("src/main.ts", 'console.log("second") + ;\n');
    for (const args of [[], ["--build"]]) {
      const { code, stderr } = await copy.start(...args).ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/src\/main\.ts.*error[\s\S]*failed\. See above/);
      expect(copy.result()).toBe("first");
      expect(left(copy)).toEqual([]);
    }
    await copy.write("src/main.ts", 'console.log("third");\n');
    expect(await copy.start().ended).toMatchObject({ code: 0 });
    expect(copy.result()).toBe("third");
    // The build dependencies were removed after the first build, and stayed after the failed one.
    expect(copy.npmCalls()).toEqual([INSTALL, PRUNE, INSTALL, PRUNE]);
    expect(left(copy)).toEqual([]);
  }));

test("a killed run does not block later ones", () =>
  withCopy(async (copy) => {
    const killed = copy.start();
    await waitFor(() => copy.npmCalls().length > 0, "npm");
    killed.child.kill("SIGKILL");
    await killed.ended;
    // The process that it started continues for a moment.
    await waitFor(() => !existsSync(join(copy.path, "npm-at-work")), "the end of npm");
    expect(left(copy)).toEqual([".bootstrap.lock"]);
    expect(isAlive(Number(readFileSync(join(copy.path, ".bootstrap.lock"), "utf8")))).toBe(false);

    const outcomes = await Promise.all([copy.start().ended, copy.start().ended]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(copy.npmCalls()).toEqual([INSTALL, INSTALL, PRUNE]);
    expect(copy.result()).toBe("first");
    expect(left(copy)).toEqual([]);
  }));

/** A program of two modules. */
async function writeTwo(copy: Copy): Promise<void> {
  await copy.write("src/other.ts", 'export const what: string = "first";\n');
  await copy.write("src/main.ts", 'import { what } from "./other.js";\nconsole.log(what);\n');
}

const output = (copy: Copy): string =>
  execFileSync(process.execPath, [join(copy.path, "dist/main.js")], { encoding: "utf8" });

test("the modules of the program are joined into one", () =>
  withCopy(async (copy) => {
    await writeTwo(copy);
    expect(await copy.start().ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining("more slowly") });
    expect(readFileSync(join(copy.path, "dist/main.js"), "utf8")).not.toContain("import");
    expect(output(copy)).toBe("first\n");
  }));

test("a system that cannot join modules gets separate ones, with a warning", () =>
  withCopy(
    async (copy) => {
      await writeTwo(copy);
      expect(await copy.start().ended).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/will start more slowly.*rolldown/),
      });
      expect(readFileSync(join(copy.path, "dist/main.js"), "utf8")).toContain("./other.js");
      expect(output(copy)).toBe("first\n");
      expect(copy.npmCalls()).toEqual([INSTALL]);
      expect(left(copy)).toEqual([]);
    },
    [...COMPILER, ...COPIED],
  ));

test("a failure while joining modules fails the build and keeps the last good one", () =>
  withCopy(async (copy) => {
    await copy.start().ended;
    await copy.write("src/main.ts", 'console.log("second");\n');
    await copy.write(
      "src/join-modules.mjs",
      'export const joinModules = () => Promise.reject(new Error("no room left"));\n',
    );
    const { code, stderr } = await copy.start().ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Joining the modules .* failed: no room left/);
    expect(copy.result()).toBe("first");
    expect(left(copy)).toEqual([]);
  }));
