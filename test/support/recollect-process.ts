import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "vitest";

/** The built program, as a user runs it. */
export const PROGRAM = resolve(import.meta.dirname, "../../dist/main.js");

/** A fresh data folder, removed after the work together with any processes that a failed test left on it. */
export async function withDataDirectory<T>(work: (dataDirectory: string) => Promise<T>): Promise<T> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-e2e-"));
  try {
    return await work(dataDirectory);
  } finally {
    for (const pid of processesOf(dataDirectory)) kill(pid, "SIGKILL");
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function environmentFor(dataDirectory: string, extra: Readonly<Record<string, string>> = {}) {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, RECOLLECT_DATA_DIR: dataDirectory, RECOLLECT_OFFLINE: "1", ...extra };
}

export interface McpProcess {
  readonly client: Client;
  readonly pid: number;
  close(): Promise<void>;
}

/** `recollect mcp` connected to the independent client of the first SDK generation. */
export async function startMcp(dataDirectory: string, extra?: Readonly<Record<string, string>>): Promise<McpProcess> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp"],
    env: environmentFor(dataDirectory, extra),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  return { client, pid, close: () => client.close() };
}

export interface ServeProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it has written to stderr so far. */
  readonly stderr: () => string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** `recollect serve` on a free port, once it answers. */
export async function startServe(
  dataDirectory: string,
  extra?: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [PROGRAM, "serve", "--port", "0", "--json"], {
    env: environmentFor(dataDirectory, extra),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const url = await new Promise<string>((resolveUrl, reject) => {
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      const url = /"url":\s*"([^"]+)"/.exec(output)?.[1];
      if (url) resolveUrl(url);
    });
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${errors}`)));
  });
  return { child, url, stderr: () => errors, stop: (signal = "SIGTERM") => stopProcess(child, signal) };
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolveEnd) => child.once("exit", resolveEnd));
  child.kill(signal);
  await ended;
}

/** How a program ended, and its output until then. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Its standard error output so far. */
  printed(): string;
  /** Sends a signal only to the program itself. */
  signal(signal: NodeJS.Signals): Promise<Outcome>;
}

/** Starts the built program without input: its input is at its end, or stays open. */
export function startProgram(
  dataDirectory: string,
  args: readonly string[],
  extra?: Readonly<Record<string, string>>,
  input: "at its end" | "open" = "at its end",
): RunningProgram {
  const command = [PROGRAM, ...args];
  const env = environmentFor(dataDirectory, extra);
  const child =
    input === "open"
      ? spawn(process.execPath, command, { env, stdio: ["pipe", "pipe", "pipe"] })
      : spawn(process.execPath, command, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Outcome>((resolveEnd) =>
    child.once("close", (code, signal) => resolveEnd({ code, signal, stdout, stderr })),
  );
  return {
    child,
    ended,
    printed: () => stderr,
    signal(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs the built program until it ends. */
export function runProgram(
  dataDirectory: string,
  args: readonly string[],
  extra?: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return startProgram(dataDirectory, args, extra).ended;
}

/** Sends a signal to a process that may have ended already. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export interface ServiceFile {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly token: string;
}

export function readService(dataDirectory: string): ServiceFile | null {
  try {
    return JSON.parse(readFileSync(join(dataDirectory, "service.json"), "utf8")) as ServiceFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

/** Waits until a check returns something other than null, undefined or false. */
export async function waitFor<T>(
  find: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  seconds = 20,
): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const found = await find();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${seconds} s`);
    await sleep(20);
  }
}

/** Processes on this machine whose command line or environment names the data folder. */
export function processesOf(dataDirectory: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => ["cmdline", "environ"].some((file) => readProc(name, file).includes(dataDirectory)))
    .map(Number);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Nothing of Recollect is left: no process, no lock, no address, not even part of one. */
export async function expectNothingLeft(dataDirectory: string): Promise<void> {
  await waitFor(() => processesOf(dataDirectory).length === 0, `the end of all processes of ${dataDirectory}`, 10);
  expect(traces(dataDirectory)).toEqual([]);
}

/** Files that exist only while a process owns the data folder. */
export function traces(dataDirectory: string): string[] {
  return readdirSync(dataDirectory).filter((name) => /^(owner\.lock|service\.json)/.test(name));
}
