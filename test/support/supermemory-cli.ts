import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import type { ClientService } from "./client-service.js";

const CLI = resolve(import.meta.dirname, "../../node_modules/supermemory/bin/cli");

export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliRun {
  readonly input?: string;
  /** Undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly seen?: (stdout: string) => void;
}

/** The official command line, in a separate home folder that names the service as a user would. */
export interface SupermemoryCli {
  /** Working folder of every command. */
  readonly folder: string;
  readonly home: string;
  /** @param options.seen receives the whole standard output each time that there is more */
  run(args: readonly string[], options?: CliRun): Promise<CliOutcome>;
  /** The output of a successful command for people. */
  print(...args: readonly string[]): Promise<string>;
  /** The output of a successful command for programs. */
  read(...args: readonly string[]): Promise<any>;
  /** The error that a command prints for programs, with its exit code. */
  refuse(...args: readonly string[]): Promise<{ code: number | null; error: string; message: string }>;
  close(): Promise<void>;
}

export async function openSupermemoryCli(service: ClientService): Promise<SupermemoryCli> {
  const home = await mkdtemp(join(tmpdir(), "recollect-cli-home-"));
  const folder = join(home, "work");
  await mkdir(folder);
  await mkdir(join(home, ".supermemory"));
  await writeFile(join(home, ".supermemory/config.json"), JSON.stringify({ apiUrl: service.url, output: "human" }));
  const run: SupermemoryCli["run"] = (args, { input, environment, seen } = {}) => {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: home, NO_COLOR: "1", SUPERMEMORY_API_KEY: service.key, ...environment };
    const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      seen?.(stdout);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.end(input ?? "");
    return new Promise((done, fail) => {
      child.once("error", fail);
      child.once("close", (code) => done({ code, stdout, stderr }));
    });
  };
  const succeed = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Error") });
    return stdout.trim();
  };
  return {
    folder,
    home,
    run,
    print: (...args) => succeed(args),
    read: async (...args) => JSON.parse(await succeed([...args, "--json"])),
    async refuse(...args) {
      const { code, stderr } = await run([...args, "--json"]);
      return { code, ...(JSON.parse(stderr) as { error: string; message: string }) };
    },
    close: () => rm(home, { recursive: true }),
  };
}

/** Every command that the CLI lists in its help, with its subcommands: `add`, `tags list`, … */
export async function commandsOf(cli: SupermemoryCli): Promise<string[]> {
  const { stdout } = await cli.run(["help", "--all", "--json"]);
  const { commands } = JSON.parse(stdout) as {
    commands: Readonly<Record<string, { usage: string; arguments?: object }>>;
  };
  return Object.entries(commands).flatMap(([name, { usage, arguments: own }]) => {
    const alternatives = own ? undefined : /^supermemory \w+ [<[]([a-z]+(?:\|[a-z]+)+)[>\]]/.exec(usage)?.[1];
    const subcommands = alternatives?.split("|").map((subcommand) => `${name} ${subcommand}`) ?? [];
    const isCommandItself = alternatives === undefined || usage.includes("[");
    return isCommandItself ? [name, ...subcommands] : subcommands;
  });
}
