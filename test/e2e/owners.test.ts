import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  environmentFor,
  expectNothingLeft,
  type McpProcess,
  processesOf,
  PROGRAM,
  readService,
  startMcp,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";

const CONTAINER = "owners";

/** One memory per pair of numbers, worded so that no two have the same meaning. */
function sentence(writer: string, number: number): string {
  return `The locker ${writer}-${number} belongs to person ${writer}x${number}.`;
}

async function add(door: McpProcess, content: string): Promise<boolean> {
  try {
    const answer = await door.client.callTool({ name: "add-memory", arguments: { content, containerTag: CONTAINER } });
    return answer.isError !== true;
  } catch {
    return false;
  }
}

interface Listed {
  readonly memories: { content: string }[];
  readonly pagination: { totalItems: number };
}

/** Everything in the store, read over HTTP from its owner. */
async function listContents(url: string): Promise<string[]> {
  const response = await fetch(`${url}/v3/documents/list`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ containerTags: [CONTAINER], limit: 1_100, includeContent: true }),
  });
  const page = (await response.json()) as Listed;
  expect(page.memories).toHaveLength(page.pagination.totalItems);
  return page.memories.map((document) => document.content);
}

async function searchFirst(url: string, q: string): Promise<string | undefined> {
  const response = await fetch(`${url}/v4/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ q, containerTag: CONTAINER, limit: 3, threshold: 0 }),
  });
  const { results } = (await response.json()) as { results: { memory?: string; chunk?: string }[] };
  // Memories end without the full stop.
  const said = (text: string | undefined) => text?.replace(/\.$/, "");
  return results.map((result) => result.memory ?? result.chunk).find((text) => said(text) === said(q));
}

/** What was acknowledged before it was searchable becomes searchable soon. */
async function waitUntilSearchable(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v3/documents/processing?containerTag=${CONTAINER}`);
    const { totalCount } = (await response.json()) as { totalCount: number };
    if (totalCount === 0) return;
    await sleep(100);
  }
}

function expectEachOnce(found: readonly string[], expected: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const content of found) counts.set(content, (counts.get(content) ?? 0) + 1);
  expect(expected.filter((content) => !counts.has(content))).toEqual([]);
  expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
}

test("8 MCP processes on one new data folder, 20 simultaneous adds each: 160 stored, none twice", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const doors = await Promise.all(Array.from({ length: 8 }, () => startMcp(dataDirectory)));
    const sentences = doors.map((_, writer) =>
      Array.from({ length: 20 }, (_, number) => sentence(`w${writer}`, number)),
    );
    const acknowledged = await Promise.all(
      doors.flatMap((door, writer) => sentences[writer]?.map((content) => add(door, content)) ?? []),
    );
    expect(acknowledged.filter(Boolean)).toHaveLength(160);

    const { url } = await waitFor(() => readService(dataDirectory), "an owner");
    const found = await listContents(url);
    expect(found).toHaveLength(160);
    expectEachOnce(found, sentences.flat());
    await waitUntilSearchable(url);
    const recalled = await Promise.all(sentences.flat().map((text) => searchFirst(url, text)));
    expect(recalled.filter((text) => text === undefined)).toHaveLength(0);

    await Promise.all(doors.map((door) => door.close()));
    await expectNothingLeft(dataDirectory);
  });
}, 180_000);

test("the owner is killed three times during such a run: everything acknowledged is found", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const acknowledged: string[] = [];
    let isRunning = true;
    const doors = new Set<McpProcess>();

    async function write(writer: string): Promise<void> {
      let door = await startMcp(dataDirectory);
      doors.add(door);
      for (let number = 0; isRunning; number++) {
        const content = sentence(writer, number);
        if (await add(door, content)) acknowledged.push(content);
        else if (processesOf(dataDirectory).every((pid) => pid !== door.pid)) {
          doors.delete(door);
          await door.close();
          door = await startMcp(dataDirectory);
          doors.add(door);
        }
      }
    }

    const writers = ["a", "b", "c", "d"].map(write);
    for (let kill = 0; kill < 3; kill++) {
      const before = acknowledged.length;
      await waitFor(() => acknowledged.length > before + 20, `progress before kill ${kill + 1}`, 60);
      const owner = await waitFor(() => readService(dataDirectory), "an owner");
      process.kill(owner.pid, "SIGKILL");
      await waitFor(() => readService(dataDirectory)?.pid !== owner.pid, "another owner", 30);
    }
    await sleep(200);
    isRunning = false;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(60);
    await Promise.all([...doors].map((door) => door.close()));
    await expectNothingLeft(dataDirectory);

    const service = await startServe(dataDirectory);
    const found = await listContents(service.url);
    expectEachOnce(found, acknowledged);
    await service.stop();
    await expectNothingLeft(dataDirectory);
  });
}, 240_000);

test("serve starts while an MCP process owns the data folder, and takes over when that exits", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const door = await startMcp(dataDirectory);
    expect(await add(door, "Mia plays the cello.")).toBe(true);
    const owner = await waitFor(() => readService(dataDirectory), "an owner");
    expect(owner.pid).toBe(door.pid);

    const service = await startServe(dataDirectory);
    expect(await listContents(service.url)).toEqual(["Mia plays the cello."]);
    await door.close();
    await waitFor(() => readService(dataDirectory)?.pid === service.child.pid, "serve to become the owner");
    expect(await listContents(service.url)).toEqual(["Mia plays the cello."]);
    await service.stop();
    await expectNothingLeft(dataDirectory);
  });
}, 60_000);

test("an MCP process starts while serve owns the data folder, and continues when serve is killed", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startServe(dataDirectory);
    const door = await startMcp(dataDirectory);
    expect(await add(door, "Noah keeps bees.")).toBe(true);
    expect(await listContents(service.url)).toEqual(["Noah keeps bees."]);
    await service.stop("SIGKILL");
    expect(await add(door, "Noah sells honey.")).toBe(true);
    const owner = await waitFor(
      () => [readService(dataDirectory)].find((file) => file?.pid === door.pid),
      "the MCP process to become the owner",
    );
    expect((await listContents(owner.url)).sort()).toEqual(["Noah keeps bees.", "Noah sells honey."]);
    await door.close();
    await expectNothingLeft(dataDirectory);
  });
}, 60_000);

test("no process is left when the program that started an MCP process is killed", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const script = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, [${JSON.stringify(PROGRAM)}, "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
      const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
      child.stdout.once("data", () => {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/call", params: { name: "add-memory", arguments: { content: "Ida sails." } } });
        child.stdout.once("data", () => console.log("added"));
      });
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
      send({ id: 1, method: "initialize", params });
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["-e", script], {
      env: environmentFor(dataDirectory),
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => parent.stdout.once("data", resolve));
    await waitFor(() => readService(dataDirectory), "an owner");
    parent.kill("SIGKILL");
    await expectNothingLeft(dataDirectory);
  });
}, 60_000);
