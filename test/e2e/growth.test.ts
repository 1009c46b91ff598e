import { readdirSync, readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "vitest";
import {
  environmentFor,
  expectNothingLeft,
  PROGRAM,
  readService,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";

const CALLS = 800;
const AT_ONCE = 20;
/** How much the number of open connections of a pool may vary. */
const SOME_FILES = AT_ONCE + 10;
/** Storing 400 new documents takes less; a leak of some ten kilobytes per call takes more. */
const SOME_MEGABYTES = 40;
/** With plenty of memory, the collector leaves garbage on a busy machine, which looks like a leak. */
const SMALL_HEAP = "--max-old-space-size=96 --max-semi-space-size=2";

interface Door {
  readonly client: Client;
  readonly pid: number;
  errors(): string;
}

async function open(data: string): Promise<Door> {
  const env = { ...environmentFor(data), NODE_OPTIONS: SMALL_HEAP };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp"],
    env,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, errors: () => errors };
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Half of the calls add and half search, several at a time. @returns the answers that are errors */
async function work({ client }: Door, calls: number, from: number): Promise<unknown[]> {
  const failures: unknown[] = [];
  let next = from;
  const one = async (): Promise<void> => {
    while (next < from + calls) {
      const id = next++;
      const add = { name: "add-memory", arguments: { content: `The shelf ${id} holds the box of person p${id}.` } };
      const search = { name: "search", arguments: { query: `Where is the box of person p${id - 1}?`, limit: 3 } };
      const answer = await client.callTool(id % 2 === 0 ? add : search);
      if (answer.isError) failures.push(answer.content);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return failures;
}

test.runIf(process.platform === "linux")(
  "hundreds of calls through a process that is not the owner leak no sockets, listeners or memory",
  () =>
    withDataDirectory(async (data) => {
      const owner = await open(data);
      await owner.client.callTool({ name: "search", arguments: { query: "x" } });
      expect((await waitFor(() => readService(data), "an owner")).pid).toBe(owner.pid);
      const door = await open(data);
      const both = [owner, door];
      expect(await work(door, 200, 1_000)).toEqual([]);
      const files = both.map(({ pid }) => openFiles(pid));
      const memory = both.map(({ pid }) => residentMegabytes(pid));
      expect(await work(door, CALLS, 10_000)).toEqual([]);
      both.forEach(({ pid }, index) => {
        expect(openFiles(pid)).toBeLessThan((files[index] ?? 0) + SOME_FILES);
        expect(residentMegabytes(pid)).toBeLessThan((memory[index] ?? 0) + SOME_MEGABYTES);
      });
      await Promise.all(both.map(({ client }) => client.close()));
      for (const one of both) expect(one.errors()).not.toMatch(/Warning|ERROR/);
      await expectNothingLeft(data);
    }),
  300_000,
);
